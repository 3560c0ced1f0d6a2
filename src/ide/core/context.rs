//! What a command is and what it gets. Must not know any command.

use std::time::Duration;

use crate::ide::core::awaiting::Awaiting;
use crate::ide::core::effect::Effect;
use crate::ide::core::state::State;

/// One action.
pub struct Command {
    /// `area.verb[-object]`, stable.
    pub id: &'static str,
    /// What it does, one line.
    pub title: &'static str,
    /// Whether it belongs to a chain of kills or yanks; every other command ends one.
    pub chains: bool,
    /// Does it.
    pub run: fn(&mut Cx<'_>),
}

/// What a command gets.
pub struct Cx<'a> {
    /// Everything that the IDE knows.
    pub state: &'a mut State,
    /// Outside work to be done.
    pub effects: &'a mut Vec<Effect>,
    /// Milliseconds since the epoch.
    pub now_ms: u64,
    /// The monotonic clock.
    pub now: Duration,
}

/// A row of the table.
pub const fn command(id: &'static str, title: &'static str, run: fn(&mut Cx<'_>)) -> Command {
    Command { id, title, chains: false, run }
}

/// A row of the table for a command that kills or yanks.
pub const fn chaining(id: &'static str, title: &'static str, run: fn(&mut Cx<'_>)) -> Command {
    Command { id, title, chains: true, run }
}

/// The next character goes to a command; any other key gives it up.
pub fn wait(cx: &mut Cx<'_>, awaiting: Awaiting, question: &str) {
    if cx.state.text_target().is_some() {
        cx.state.awaiting = Some(awaiting);
        cx.state.say(question);
    }
}
