//! What a command is, what it gets, and how it starts outside work: a task is started where its answer is used, and
//! the answer comes back to the loop as a callback.
//!
//! Must not know any command, nor what any task does. A task that panics reaches its callback as a [`TaskError`], so
//! nothing waits for ever. Commands and tasks stand in one file because each is made of the other.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;

use crate::base::error::Report;
use crate::base::panics::{Panicked, catch_async};
use crate::exec::Environment;
use crate::ide::core::effect::Effect;
use crate::ide::core::keys::pending_char::PendingChar;
use crate::ide::core::state::State;
use crate::ide::core::tasks::fault_injection::{FaultInjection, PlannedPanic};
use crate::ide::core::tasks::threads::{Threads, on_thread};
use crate::runtime::Handle;

/// One action.
pub struct Command {
    /// `area.verb[-object]`, stable.
    pub id: &'static str,
    /// Ids that it had in earlier versions; key maps may still use them.
    pub former_ids: &'static [&'static str],
    /// What it does, in two to five words that begin with a verb.
    pub title: &'static str,
    /// Other names for it that users may search for.
    pub aliases: &'static [&'static str],
    /// Whether it belongs to a chain of kills or yanks; every other command ends one.
    pub keeps_kill_chain: bool,
    /// Does it.
    pub run: fn(&mut Cx<'_>),
}

/// What a command gets.
pub struct Cx<'a> {
    /// Everything that the IDE knows.
    pub state: &'a mut State,
    /// Outside work to be done.
    pub effects: &'a mut Vec<Effect>,
    /// What starts tasks.
    pub tasks: &'a Tasks,
    /// Files and commands of the place that is worked in.
    pub env: &'a Arc<dyn Environment>,
    /// The session, once it is there.
    pub session: Option<&'a Handle>,
    /// Milliseconds since the epoch.
    pub now_ms: u64,
    /// The monotonic clock.
    pub now: Duration,
}

/// A row of the table: id, title, aliases, and what it does.
pub const fn command(
    id: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    run: fn(&mut Cx<'_>),
) -> Command {
    Command { id, former_ids: &[], title, aliases, keeps_kill_chain: false, run }
}

/// A row of the table for a command that kills or yanks.
pub const fn kill_command(
    id: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    run: fn(&mut Cx<'_>),
) -> Command {
    Command { id, former_ids: &[], title, aliases, keeps_kill_chain: true, run }
}

impl Command {
    /// The same command, which had these ids in earlier versions.
    #[must_use]
    pub const fn with_former_ids(mut self, ids: &'static [&'static str]) -> Self {
        self.former_ids = ids;
        self
    }
}

/// The next character goes to a command; any other key gives it up.
pub fn await_char(cx: &mut Cx<'_>, awaiting: PendingChar, question: &str) {
    if cx.state.text_target().is_some() {
        cx.state.pending_char = Some(awaiting);
        cx.state.set_status(question);
    }
}

/// Why a task has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// It panicked. Where it did is in the log.
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

/// The answer of a task that may fail in a way of its own; where it has none, the report says what could not be done.
pub fn answer_or_report<T>(what: &str, answer: Result<Result<T, Report>, TaskError>) -> Result<T, Report> {
    answer.unwrap_or_else(|why| Err(Report::caused(format!("cannot {what}"), &why)))
}

/// The answer; where there is none, the last line says what could not be done.
pub fn answer_or_error<T>(cx: &mut Cx<'_>, what: &str, answer: Result<T, TaskError>) -> Option<T> {
    answer.map_err(|why| cx.state.set_error(format!("Cannot {what}: {why}"))).ok()
}

/// The same for a task that may fail in a way of its own.
pub fn success_or_error<T>(
    cx: &mut Cx<'_>,
    what: &str,
    answer: Result<Result<T, Report>, TaskError>,
) -> Option<T> {
    answer_or_report(what, answer).map_err(|report| cx.state.set_error(report.to_string())).ok()
}

/// Starts a task that asks the session, if there is one. Its answer goes to `done`; where it has none, the last line says
/// that the program cannot do `what`, and why.
pub fn ask_session<T, W>(
    cx: &Cx<'_>,
    name: &'static str,
    what: &'static str,
    work: impl FnOnce(Handle) -> W,
    done: impl FnOnce(&mut Cx<'_>, T) + Send + 'static,
) where
    T: Send + 'static,
    W: Future<Output = Result<T, Report>> + Send + 'static,
{
    let Some(session) = cx.session.cloned() else { return };
    cx.tasks.spawn(name, work(session), move |cx, answer| {
        if let Some(answer) = success_or_error(cx, what, answer) {
            done(cx, answer);
        }
    });
}

/// A task that is done: its answer with the callback that it goes to.
pub struct Completion {
    name: &'static str,
    order: Order,
    callback: Box<dyn FnOnce(&mut Cx<'_>) + Send>,
}

/// What a completion promises about its place among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The one answer of a task: it may come before or after the answers of all other tasks.
    Any,
    /// One of several callbacks of a task, which come in the order in which the task posted them.
    Posted,
}

impl Completion {
    /// Hands the answer over.
    pub fn deliver(self, cx: &mut Cx<'_>) {
        tracing::trace!(task = self.name, "done");
        (self.callback)(cx);
    }

    /// The name of its task.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it promises about its place among others.
    pub fn order(&self) -> Order {
        self.order
    }
}

/// Where answers wait for the loop.
pub trait CompletionQueue: Send + Sync {
    /// Puts one in; waits while there is no room.
    fn put(&self, completion: Completion) -> BoxFuture<'_, ()>;

    /// The same from a thread that may block.
    fn put_blocking(&self, completion: Completion);
}

/// Starts tasks. Copies start them for the same loop.
#[derive(Clone)]
pub struct Tasks {
    threads: Threads,
    queue: Arc<dyn CompletionQueue>,
    running: Arc<AtomicUsize>,
    fault_injection: FaultInjection,
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").field("running", &self.running).finish_non_exhaustive()
    }
}

/// Counts a task for as long as it lives.
pub struct TaskGuard(Arc<AtomicUsize>);

impl Drop for TaskGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Tasks {
    /// Tasks that run on `threads` and answer to the loop that reads `queue`.
    pub fn new(threads: Threads, queue: Arc<dyn CompletionQueue>) -> Self {
        Self { threads, queue, running: Arc::default(), fault_injection: FaultInjection::default() }
    }

    /// Starts `work`. Its answer, or that it has none, is handed to `done` on the loop. `name` is `feature.verb`, for
    /// the log.
    pub fn spawn<T: Send + 'static>(
        &self,
        name: &'static str,
        work: impl Future<Output = T> + Send + 'static,
        done: impl FnOnce(&mut Cx<'_>, Result<T, TaskError>) + Send + 'static,
    ) {
        let work = self.guard(work);
        let tasks = self.clone();
        self.run(async move {
            let answer = work.await.map_err(TaskError::from);
            let callback = Box::new(move |cx: &mut Cx<'_>| done(cx, answer));
            tasks.queue.put(Completion { name, order: Order::Any, callback }).await;
        });
    }

    /// The same for work that blocks, or that computes for long.
    pub fn spawn_blocking<T: Send + 'static>(
        &self,
        name: &'static str,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(&mut Cx<'_>, Result<T, TaskError>) + Send + 'static,
    ) {
        self.spawn(name, on_thread(work), done);
    }

    /// Counts as a task until it is dropped.
    pub fn count_task(&self) -> TaskGuard {
        self.running.fetch_add(1, Ordering::SeqCst);
        TaskGuard(self.running.clone())
    }

    /// Whether a task is still at work.
    pub fn is_busy(&self) -> bool {
        self.running.load(Ordering::SeqCst) > 0
    }

    /// Hands a callback to the loop; waits while its queue is full.
    pub async fn post(&self, name: &'static str, callback: impl FnOnce(&mut Cx<'_>) + Send + 'static) {
        self.queue.put(Completion { name, order: Order::Posted, callback: Box::new(callback) }).await;
    }

    /// The same from a thread that may block.
    pub fn post_blocking(&self, name: &'static str, callback: impl FnOnce(&mut Cx<'_>) + Send + 'static) {
        self.queue.put_blocking(Completion { name, order: Order::Posted, callback: Box::new(callback) });
    }

    /// Runs a task that says for itself what becomes of it.
    pub fn run(&self, task: impl Future<Output = ()> + Send + 'static) {
        let running = self.count_task();
        self.threads.spawn(async move {
            task.await;
            drop(running);
        });
    }

    /// Runs a task that nothing waits for.
    pub fn detach(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.threads.spawn(task);
    }

    /// Whether the task that begins now panics for a test.
    pub fn next_panic(&self) -> PlannedPanic {
        self.fault_injection.next()
    }

    /// Catches the panic of `work`, or makes it panic if a test wants it. To be called on the loop, where the order
    /// of tasks is known.
    pub fn guard<W: Future + Send + 'static>(
        &self,
        work: W,
    ) -> impl Future<Output = Result<W::Output, Panicked>> + Send + use<W> {
        let fault = self.fault_injection.next();
        catch_async(async move {
            fault.panic_if_planned();
            work.await
        })
    }

    /// Makes the task panic that is the `nth` to come, from 1. For tests.
    #[doc(hidden)]
    pub fn panic_in_task(&self, nth: usize) {
        self.fault_injection.set(nth);
    }

    /// Whether that task did not come yet. For tests.
    #[doc(hidden)]
    pub fn is_panic_pending(&self) -> bool {
        self.fault_injection.is_pending()
    }
}
