//! Commands, their context, and how they start background work: a task is started where its result is used,
//! and the result returns to the event loop as a callback.
//!
//! Must not know any concrete command, nor what any task does. If a task panics, its callback gets a
//! [`TaskError`], so that nothing waits forever. Commands and tasks share a file because each refers to the
//! other.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;

use crate::base::error::Report;
use crate::base::panics::{Panicked, catch_async};
use crate::exec::Environment;
use crate::ide::core::condition::{Condition, Reason};
use crate::ide::core::keys::pending_char::PendingChar;
use crate::ide::core::options::Notify;
use crate::ide::core::state::State;
use crate::ide::core::tasks::fault_injection::{FaultInjection, PlannedPanic};
use crate::ide::core::tasks::threads::{Threads, on_thread};
use crate::runtime::Handle;
use crate::text::rope::Text;
use crate::tui::theme::Theme;

/// One action.
pub struct Command {
    /// `area.verb[-object]`, stable.
    pub id: &'static str,
    /// Ids from earlier versions; key maps may still use them.
    pub former_ids: &'static [&'static str],
    /// Description in two to five words that begin with a verb.
    pub title: &'static str,
    /// Other names that users may search for.
    pub aliases: &'static [&'static str],
    /// Whether it belongs to a chain of kills or yanks; every other command ends such a chain.
    pub keeps_kill_chain: bool,
    /// When it can run; always, without one.
    pub condition: Option<Condition>,
    /// Runs it.
    pub run: fn(&mut Cx<'_>),
}

/// Context of a command.
pub struct Cx<'a> {
    /// State of the IDE.
    pub state: &'a mut State,
    /// Steps that run after the current one; see [`Cx::defer`].
    pub deferred: &'a mut Vec<Deferred>,
    /// Requests to the terminal.
    pub ui: &'a mut UiRequests,
    /// Starts tasks.
    pub tasks: &'a Tasks,
    /// Files and processes of the workspace.
    pub env: &'a Arc<dyn Environment>,
    /// The session, once it is connected.
    pub session: Option<&'a Handle>,
    /// Milliseconds since the epoch.
    pub now_ms: u64,
    /// The monotonic clock.
    pub now: Duration,
}

/// A step that runs once the current command has returned.
pub type Deferred = Box<dyn FnOnce(&mut Cx<'_>)>;

/// What the owner of the terminal does once an event is handled.
#[derive(Debug, Default)]
pub struct UiRequests {
    /// Text to edit in another program, which gets the terminal meanwhile.
    pub edit: Option<ExternalEdit>,
    /// Text to put on the system clipboard.
    pub clipboard: Option<String>,
    /// Text to put on the terminal's clipboard, because no other one took it.
    pub terminal_clipboard: Option<String>,
    /// Whether to paste the text of the system clipboard.
    pub paste_clipboard: bool,
    /// Whether to attach the image of the system clipboard, which has no text.
    pub paste_clipboard_image: bool,
    /// A notification to show while another window has the focus.
    pub notification: Option<Notification>,
    /// How to notify the user from now on.
    pub notify: Option<Notify>,
    /// Whether to use the mouse from now on.
    pub mouse: Option<bool>,
    /// The theme to show from now on.
    pub theme: Option<Theme>,
    /// Whether to redraw everything from scratch, because the screen may show something else.
    pub repaint: bool,
}

/// A notification of the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// What it is about.
    pub title: String,
    /// What happened.
    pub text: String,
}

/// A text that another program edits.
#[derive(Debug)]
pub struct ExternalEdit {
    /// The program's command line, for a shell.
    pub command: String,
    /// The text.
    pub text: Text,
    /// What identifies the state of the prompt that the text was taken from.
    pub revision: (u64, u64, usize),
}

impl Cx<'_> {
    /// Runs `step` once the current command has returned and the key that started it is handled.
    pub fn defer(&mut self, step: impl FnOnce(&mut Cx<'_>) + 'static) {
        self.deferred.push(Box::new(step));
    }

    /// Runs the deferred steps in order, each followed by the steps that it defers itself.
    pub fn run_deferred(&mut self) {
        for step in std::mem::take(self.deferred) {
            step(self);
            self.run_deferred();
        }
    }
}

/// Builds a row of the table: id, title, aliases and function.
pub const fn command(
    id: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    run: fn(&mut Cx<'_>),
) -> Command {
    Command { id, former_ids: &[], title, aliases, keeps_kill_chain: false, condition: None, run }
}

/// A row of the table for a command that kills or yanks.
pub const fn kill_command(
    id: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    run: fn(&mut Cx<'_>),
) -> Command {
    Command { id, former_ids: &[], title, aliases, keeps_kill_chain: true, condition: None, run }
}

impl Command {
    /// Adds the ids that the command had in earlier versions.
    #[must_use]
    pub const fn with_former_ids(mut self, ids: &'static [&'static str]) -> Self {
        self.former_ids = ids;
        self
    }

    /// Adds when the command can run.
    #[must_use]
    pub const fn when(mut self, condition: Condition) -> Self {
        self.condition = Some(condition);
        self
    }

    /// Fails if the command cannot run now.
    pub fn check(&self, state: &State) -> Result<(), Reason> {
        self.condition.map_or(Ok(()), |condition| condition(state))
    }
}

/// Passes the next character to a command; any other key cancels.
pub fn await_char(cx: &mut Cx<'_>, awaiting: PendingChar, question: &str) {
    if cx.state.text_target().is_some() {
        cx.state.pending_char = Some(awaiting);
        cx.state.set_status(question);
    }
}

/// Why a task has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// It panicked. The location is in the log.
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

/// Returns the result of a fallible task, or a report that says what could not be done.
pub fn answer_or_report<T>(action: &str, answer: Result<Result<T, Report>, TaskError>) -> Result<T, Report> {
    answer.unwrap_or_else(|error| Err(Report::caused(format!("cannot {action}"), &error)))
}

/// Returns the result; without one, the status line says what could not be done.
pub fn answer_or_error<T>(cx: &mut Cx<'_>, action: &str, answer: Result<T, TaskError>) -> Option<T> {
    answer.map_err(|error| cx.state.set_error(format!("Cannot {action}: {error}"))).ok()
}

/// Does the same for a fallible task.
pub fn success_or_error<T>(
    cx: &mut Cx<'_>,
    action: &str,
    answer: Result<Result<T, Report>, TaskError>,
) -> Option<T> {
    answer_or_report(action, answer).map_err(|report| cx.state.set_error(report.to_string())).ok()
}

/// Starts a task that queries the session, if there is one. Its result goes to `done`; without one, the
/// status line says that the program cannot do `what`, and why.
pub fn ask_session<T, W>(
    cx: &Cx<'_>,
    name: &'static str,
    action: &'static str,
    work: impl FnOnce(Handle) -> W,
    done: impl FnOnce(&mut Cx<'_>, T) + Send + 'static,
) where
    T: Send + 'static,
    W: Future<Output = Result<T, Report>> + Send + 'static,
{
    let Some(session) = cx.session.cloned() else { return };
    cx.tasks.spawn(name, work(session), move |cx, answer| {
        if let Some(answer) = success_or_error(cx, action, answer) {
            done(cx, answer);
        }
    });
}

/// A finished task: its result with the callback that takes it.
pub struct Completion {
    name: &'static str,
    order: Order,
    callback: Box<dyn FnOnce(&mut Cx<'_>) + Send>,
}

/// Ordering guarantee of a completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The only result of a task: it may arrive before or after the results of all other tasks.
    Any,
    /// One of several callbacks of a task, delivered in the order in which the task posted them.
    Posted,
}

impl Completion {
    /// Delivers the result.
    pub fn deliver(self, cx: &mut Cx<'_>) {
        tracing::trace!(task = self.name, "done");
        (self.callback)(cx);
    }

    /// Returns the name of its task.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns its ordering guarantee.
    pub fn order(&self) -> Order {
        self.order
    }
}

/// Queue of results for the event loop.
pub trait CompletionQueue: Send + Sync {
    /// Adds a completion; waits while the queue is full.
    fn put(&self, completion: Completion) -> BoxFuture<'_, ()>;

    /// The same from a thread that may block.
    fn put_blocking(&self, completion: Completion);
}

/// Starts tasks. Clones start them for the same event loop.
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

/// Counts a task while it is alive.
pub struct TaskGuard(Arc<AtomicUsize>);

impl Drop for TaskGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Tasks {
    /// Returns a task starter that runs tasks on `threads` and puts results into `queue`.
    pub fn new(threads: Threads, queue: Arc<dyn CompletionQueue>) -> Self {
        Self { threads, queue, running: Arc::default(), fault_injection: FaultInjection::default() }
    }

    /// Starts `work`. Its result or failure is passed to `done` on the event loop. `name` is `feature.verb`,
    /// for the log.
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

    /// Does the same for work that blocks or computes for long.
    pub fn spawn_blocking<T: Send + 'static>(
        &self,
        name: &'static str,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(&mut Cx<'_>, Result<T, TaskError>) + Send + 'static,
    ) {
        self.spawn(name, on_thread(work), done);
    }

    /// Returns a guard that counts as a task until it is dropped.
    pub fn count_task(&self) -> TaskGuard {
        self.running.fetch_add(1, Ordering::SeqCst);
        TaskGuard(self.running.clone())
    }

    /// Whether a task is still at work.
    pub fn is_busy(&self) -> bool {
        self.running.load(Ordering::SeqCst) > 0
    }

    /// Posts a callback to the event loop; waits while its queue is full.
    pub async fn post(&self, name: &'static str, callback: impl FnOnce(&mut Cx<'_>) + Send + 'static) {
        self.queue.put(Completion { name, order: Order::Posted, callback: Box::new(callback) }).await;
    }

    /// The same from a thread that may block.
    pub fn post_blocking(&self, name: &'static str, callback: impl FnOnce(&mut Cx<'_>) + Send + 'static) {
        self.queue.put_blocking(Completion { name, order: Order::Posted, callback: Box::new(callback) });
    }

    /// Runs a task that reports its own result.
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

    /// Returns whether the task that begins now must panic for a test.
    pub fn next_panic(&self) -> PlannedPanic {
        self.fault_injection.next()
    }

    /// Catches a panic of `work`, or makes it panic if a test requests it. Must be called on the event loop,
    /// where the order of tasks is known.
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

    /// Makes the `nth` following task panic, counted from 1. For tests.
    #[doc(hidden)]
    pub fn panic_in_task(&self, nth: usize) {
        self.fault_injection.set(nth);
    }

    /// Returns whether that task has not started yet. For tests.
    #[doc(hidden)]
    pub fn is_panic_pending(&self) -> bool {
        self.fault_injection.is_pending()
    }
}
