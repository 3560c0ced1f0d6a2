//! Commands that RPC mode is about, and where their answers stand among the events.
//!
//! Must not know how they are done.

use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;

use super::command::Command;

/// What ends with a line.
pub type Job = BoxFuture<'static, String>;
/// What ends with lines, its answer last.
pub type LongJob = BoxFuture<'static, Vec<String>>;

/// How far a command is.
pub enum Done {
    /// As far as it can be.
    Line(String),
    /// What it asks about was seen, and the line is being made of that.
    Seen(Job),
}

/// Where the answer of a command stands among the events.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AnswerOrder {
    /// Before what is not told yet when it is there.
    First,
    /// Behind everything but the run that it begins.
    BeforeRun,
    /// Behind everything of the session that it leaves.
    BehindReplaced,
}

/// The command that is answered before the next one is looked at.
pub struct Current {
    /// What it comes to.
    pub job: BoxFuture<'static, Done>,
    /// Where that stands.
    pub place: AnswerOrder,
}

/// What is being done.
#[derive(Default)]
pub struct Jobs {
    /// The one that is answered first.
    pub current: Option<Current>,
    /// The rest of its work, which nobody else has to wait for.
    pub making: Option<Job>,
    /// What takes its time.
    pub long: FuturesUnordered<LongJob>,
}

impl Jobs {
    /// What the current command has come to, if it has; it is looked at without waiting.
    pub fn ready(&mut self, which: impl FnOnce(AnswerOrder) -> bool) -> Option<(Done, AnswerOrder)> {
        let current = self.current.as_mut().filter(|current| which(current.place))?;
        let done = current.job.as_mut().now_or_never()?;
        let place = current.place;
        self.current = None;
        Some((done, place))
    }
}

/// Where the answer of a command stands.
pub fn place(command: &Command) -> AnswerOrder {
    match command {
        Command::Prompt { .. } => AnswerOrder::BeforeRun,
        Command::NewSession { .. }
        | Command::SwitchSession { .. }
        | Command::Fork { .. }
        | Command::Clone
        | Command::NavigateTree { .. }
        | Command::Restore { .. } => AnswerOrder::BehindReplaced,
        _ => AnswerOrder::First,
    }
}
