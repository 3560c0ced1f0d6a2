//! Commands in progress in RPC mode, and the order of their answers among the events.
//!
//! Must not know how they are carried out.

use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;

use super::command::Command;

/// A job whose result is a line.
pub type Job = BoxFuture<'static, String>;
/// A job whose result is several lines, the answer last.
pub type LongJob = BoxFuture<'static, Vec<String>>;

/// Progress of a command.
pub enum JobProgress {
    /// Complete.
    Line(String),
    /// The data was collected; the answer is being rendered.
    Rendering(Job),
}

/// Position of an answer among the events.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AnswerOrder {
    /// Before events that are not sent yet when it is ready.
    BeforePending,
    /// After all events except those of the run that the command starts.
    BeforeRun,
    /// After all events of the session that the command replaces.
    AfterReplaced,
}

/// The command that is answered before the next one is read.
pub struct CurrentJob {
    /// Its job.
    pub job: BoxFuture<'static, JobProgress>,
    /// The position of its answer.
    pub order: AnswerOrder,
}

/// All commands in progress.
#[derive(Default)]
pub struct Jobs {
    /// The current inline command.
    pub current: Option<CurrentJob>,
    /// Its answer being rendered, which blocks no other command.
    pub rendering: Option<Job>,
    /// The background commands.
    pub background: FuturesUnordered<LongJob>,
}

impl Jobs {
    /// Returns the result of the current command if it is ready; polls without waiting.
    pub fn poll_current(
        &mut self,
        which: impl FnOnce(AnswerOrder) -> bool,
    ) -> Option<(JobProgress, AnswerOrder)> {
        let current = self.current.as_mut().filter(|current| which(current.order))?;
        let done = current.job.as_mut().now_or_never()?;
        let order = current.order;
        self.current = None;
        Some((done, order))
    }
}

/// Returns the position of a command's answer.
pub fn answer_order(command: &Command) -> AnswerOrder {
    match command {
        Command::Prompt { .. } => AnswerOrder::BeforeRun,
        Command::NewSession { .. }
        | Command::SwitchSession { .. }
        | Command::Fork { .. }
        | Command::Clone
        | Command::NavigateTree { .. }
        | Command::Restore { .. } => AnswerOrder::AfterReplaced,
        _ => AnswerOrder::BeforePending,
    }
}
