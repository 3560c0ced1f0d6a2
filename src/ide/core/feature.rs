//! The interface of a feature to the rest of the program: one row with its state and its reactions to facts.
//! Must not know any concrete feature.

use std::time::Duration;

use crate::config::Settings;
use crate::ide::core::command_line::LineCommand;
use crate::ide::core::context::{Command, Cx};
use crate::ide::core::layers::picker;
use crate::ide::core::options::Options;
use crate::ide::core::pane;
use crate::ide::core::slots::Value;
use crate::ide::core::state::State;
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
    },
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
