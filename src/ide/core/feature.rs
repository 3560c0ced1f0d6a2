//! What a feature is to the rest of the program: one row, with its state and what it does when something happens. Must
//! not know any feature.

use std::time::Duration;

use crate::ide::core::command_line::LineCommand;
use crate::ide::core::context::{Command, Cx};
use crate::ide::core::layers::picker;
use crate::ide::core::options::Options;
use crate::ide::core::pane;
use crate::ide::core::slots::Value;
use crate::ide::core::state::State;
use crate::ide::model::buffers::BufferId;

/// Something that happened, which features may act upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureEvent {
    /// The first frame is on the screen, and tasks may begin.
    Started,
    /// A frame was sent: what it had to do without may be looked for.
    FrameSent,
    /// The loop is about to sleep.
    BeforeSleep,
    /// Time has passed that some row's [`Feature::deadline`] named.
    DeadlineReached,
    /// A file was opened and read to its end.
    Opened(BufferId),
    /// A text was saved.
    Saved {
        /// Which one.
        buffer: BufferId,
        /// Whether under another name than before.
        is_renamed: bool,
    },
    /// A text is about to be closed.
    Closing(BufferId),
    /// Other programs may have changed files: the window got the focus, or a command of the agent has run.
    FilesMayHaveChanged,
}

/// One feature.
pub struct Feature {
    /// Its folder's name.
    pub id: &'static str,
    /// Its commands, by file.
    pub commands: &'static [&'static [Command]],
    /// Its pickers.
    pub pickers: &'static [&'static picker::PickerSpec],
    /// What it draws beside the text.
    pub panes: &'static [&'static pane::PaneSpec],
    /// Make what it keeps in the state.
    pub slots: &'static [fn(&Options) -> Value],
    /// What it does when something happens.
    pub on_event: fn(&mut Cx<'_>, FeatureEvent),
    /// When time alone makes something due in it, on the monotonic clock.
    pub deadline: fn(&State) -> Option<Duration>,
    /// Ends what it is doing for the user, as Escape does; returns whether there was something.
    pub stop: fn(&mut Cx<'_>) -> bool,
    /// Saves a text that is no file but its own; returns whether it is.
    pub save_own_buffer: fn(&mut Cx<'_>, BufferId) -> bool,
    /// Its commands of command lines.
    pub line_commands: &'static [LineCommand],
    /// Whether it is changing something on disk that must not be left half done.
    pub is_changing: fn(&State) -> bool,
}

impl Feature {
    /// A feature without state that nothing happens to.
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
            line_commands: &[],
            deadline: |_| None,
            is_changing: |_| false,
        }
    }
}

/// Tells every feature that something happened.
pub fn notify(cx: &mut Cx<'_>, fact: FeatureEvent) {
    for feature in cx.state.catalog.features {
        (feature.on_event)(cx, fact);
    }
}
