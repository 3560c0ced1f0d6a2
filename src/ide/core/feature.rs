//! The interface of a feature to the rest of the program: one row with its state and its reactions to facts.
//! Must not know any concrete feature.

use std::path::Path;
use std::time::Duration;

use crate::config::Settings;
use crate::ide::core::command_line::LineCommand;
use crate::ide::core::context::{Command, Cx};
use crate::ide::core::layers::picker;
use crate::ide::core::options::Options;
use crate::ide::core::pane;
use crate::ide::core::slots::Value;
use crate::ide::core::state::State;
use crate::ide::core::tree_job::TreeJob;
use crate::ide::model::buffers::BufferId;

/// An occurrence to which features may react.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureEvent {
    /// The first frame is on the screen, and tasks may begin.
    Started,
    /// A frame was sent: data that was missing for it may now be computed.
    FrameSent,
    /// The loop is about to sleep.
    BeforeSleep,
    /// A deadline named by a row's [`Feature::deadline`] has passed.
    DeadlineReached,
    /// A file was opened and read completely.
    Opened(BufferId),
    /// A text was saved.
    Saved {
        /// The file's buffer.
        buffer: BufferId,
        /// Whether under another name than before.
        is_renamed: bool,
        /// Whether there was no such file before.
        is_created: bool,
    },
    /// Files of open texts were moved; the texts belong to the new paths.
    TextsMoved,
    /// A text is about to be closed.
    Closing(BufferId),
    /// Other programs may have changed files: the window got the focus, or a command of the agent ran.
    FilesMayHaveChanged,
    /// It was read or changed whether the folder is trusted.
    TrustChanged,
    /// Files were restored from checkpoints.
    FilesRestored,
    /// A tool call of the agent or a subagent has ended.
    ToolEnded,
    /// The agent has ended its turn.
    AgentEnded {
        /// Whether by an error.
        is_failed: bool,
    },
    /// The agent waits for an approval or an answer.
    AgentAsks,
    /// The conversation continues at another entry.
    ConversationReplaced {
        /// Whether that is in another session.
        is_other_session: bool,
    },
}

/// What a change of a setting does while the program runs.
pub struct SettingSpec {
    /// Which setting.
    pub key: &'static str,
    /// The picker of its values, which saves the chosen one; without one the value is typed, or one of a few.
    pub picker: Option<&'static str>,
    /// Makes the value take effect.
    pub apply: fn(&mut Cx<'_>, &Settings),
}

impl SettingSpec {
    /// Returns a row for a setting without a picker of its own.
    pub const fn new(key: &'static str, apply: fn(&mut Cx<'_>, &Settings)) -> Self {
        Self { key, picker: None, apply }
    }
}

/// The rest of saving a file, on the event loop.
pub type SaveStep = Box<dyn FnOnce(&mut Cx<'_>) + Send>;

/// How a job on files goes on after features were asked about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prepared {
    /// It is to be done now. `problem` is what the user should know then, in a sentence without a full stop.
    Go {
        /// The problem.
        problem: Option<String>,
    },
    /// It was done, together with what a feature has changed because of it.
    Done,
    /// It is not to be done; the user knows.
    Canceled,
}

/// The rest of a job on files, on the event loop.
pub type JobStep = Box<dyn FnOnce(&mut Cx<'_>, Prepared) + Send>;

/// What happened to a file on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskChange {
    /// It was created.
    Created,
    /// Its content was changed.
    Changed,
    /// It was deleted.
    Deleted,
}

/// One feature.
pub struct Feature {
    /// Name of its folder.
    pub id: &'static str,
    /// Its commands, by file.
    pub commands: &'static [&'static [Command]],
    /// Its pickers.
    pub pickers: &'static [&'static picker::PickerSpec],
    /// Its panes beside the text.
    pub panes: &'static [&'static pane::PaneSpec],
    /// Constructors of its state.
    pub slots: &'static [fn(&Options) -> Value],
    /// Reaction to a fact.
    pub on_event: fn(&mut Cx<'_>, FeatureEvent),
    /// When it next has something due by time, on the monotonic clock.
    pub deadline: fn(&State) -> Option<Duration>,
    /// Stops what it is doing for the user, as Escape does; returns whether there was anything to stop.
    pub stop: fn(&mut Cx<'_>) -> bool,
    /// Saves a buffer that is not a file but belongs to the feature; returns whether it does.
    pub save_own_buffer: fn(&mut Cx<'_>, BufferId) -> bool,
    /// Prepares a text for being saved. Returns the rest of saving, or keeps it to run it once the text is ready.
    pub before_save: fn(&mut Cx<'_>, BufferId, SaveStep) -> Option<SaveStep>,
    /// Prepares a job on files. Returns the rest of it, or keeps it to run it once it knows how the job goes on.
    pub before_job: fn(&mut Cx<'_>, &TreeJob, JobStep) -> Option<JobStep>,
    /// Reaction to a job that is done; the path is that of what was moved, links resolved, or of what was deleted in the
    /// trash folder.
    pub after_job: fn(&mut Cx<'_>, &TreeJob, &Path),
    /// Reaction to a file that was changed on the disk, by any program.
    pub on_disk_change: fn(&mut Cx<'_>, &Path, DiskChange),
    /// Called once a file or folder was moved on the disk: from, to. It is no change of either path then.
    pub on_disk_move: fn(&mut Cx<'_>, &Path, &Path),
    /// The settings whose changes it makes take effect.
    pub settings: &'static [&'static [SettingSpec]],
    /// Its commands for command lines.
    pub line_commands: &'static [LineCommand],
    /// Whether it is changing something on disk that must not be interrupted.
    pub is_changing: fn(&State) -> bool,
}

impl Feature {
    /// Returns a feature without state or reactions.
    pub const fn new(id: &'static str) -> Self {
        Self {
            id,
            commands: &[],
            pickers: &[],
            panes: &[],
            slots: &[],
            on_event: |_, _| {},
            stop: |_| false,
            save_own_buffer: |_, _| false,
            before_save: |_, _, rest| Some(rest),
            before_job: |_, _, rest| Some(rest),
            after_job: |_, _, _| {},
            on_disk_change: |_, _, _| {},
            on_disk_move: |_, _, _| {},
            settings: &[],
            line_commands: &[],
            deadline: |_| None,
            is_changing: |_| false,
        }
    }
}

/// Notifies every feature of a fact.
pub fn notify(cx: &mut Cx<'_>, fact: FeatureEvent) {
    for feature in cx.state.catalog.features {
        (feature.on_event)(cx, fact);
    }
}

/// Notifies every feature of a job that is done.
pub fn notify_job(cx: &mut Cx<'_>, job: &TreeJob, path: &Path) {
    for feature in cx.state.catalog.features {
        (feature.after_job)(cx, job, path);
    }
}

/// Notifies every feature of a file that was changed on the disk.
pub fn notify_disk_change(cx: &mut Cx<'_>, path: &Path, change: DiskChange) {
    for feature in cx.state.catalog.features {
        (feature.on_disk_change)(cx, path, change);
    }
}

/// Notifies every feature of a file or folder that was moved on the disk.
pub fn notify_disk_move(cx: &mut Cx<'_>, from: &Path, to: &Path) {
    for feature in cx.state.catalog.features {
        (feature.on_disk_move)(cx, from, to);
    }
}
