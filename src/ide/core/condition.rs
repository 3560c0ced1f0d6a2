//! When a command can run, and what the user reads where it cannot: the palette dims its row, and its key shows the
//! message. Must not know any concrete command.
//!
//! A condition is also asked while the palette is open above what the command is about, so it must not depend on
//! what is the topmost layer.

use crate::ide::core::layers::layer::Layer;
use crate::ide::core::state::State;

/// Whether a command can run now.
pub type Condition = fn(&State) -> Result<(), Reason>;

/// Why a command cannot run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// The reason in a few words.
    pub text: &'static str,
    /// What helps: its words and the id of its command.
    remedy: Option<(&'static str, &'static str)>,
}

impl Reason {
    /// Returns a reason without a remedy.
    pub const fn new(text: &'static str) -> Self {
        Self { text, remedy: None }
    }

    /// Adds what helps, such as "Open one" and the command that does.
    #[must_use]
    pub const fn with_remedy(mut self, words: &'static str, command: &'static str) -> Self {
        self.remedy = Some((words, command));
        self
    }

    /// Returns the message for the user, with the keys of what helps.
    pub fn message(self, state: &State) -> String {
        match self.remedy {
            Some((words, command)) => format!("{}. {words}: {}", self.text, state.how_to(command)),
            None => self.text.to_string(),
        }
    }
}

/// Fails with a reason unless a condition holds.
pub const fn require(holds: bool, reason: Reason) -> Result<(), Reason> {
    if holds { Ok(()) } else { Err(reason) }
}

/// Fails with a reason unless such a layer is open, be it below another one.
pub fn layer<T: Layer>(state: &State, reason: Reason) -> Result<(), Reason> {
    require(state.layers.all::<T>().next().is_some(), reason)
}

/// The reason while the session is being connected.
pub const STARTING: Reason = Reason::new("Session is starting; try again in a moment");

/// A file is shown.
pub fn has_file(state: &State) -> Result<(), Reason> {
    require(state.buffers.current().is_some(), Reason::new("No file open"))
}

/// A session is connected.
pub fn has_session(state: &State) -> Result<(), Reason> {
    require(state.agent.connected, STARTING)
}

/// The agent or a summary is at work.
pub fn has_turn(state: &State) -> Result<(), Reason> {
    let is_working = state.agent.working_since.is_some() || state.agent.summarizing.is_some();
    require(is_working, Reason::new("The agent is not working"))
}
