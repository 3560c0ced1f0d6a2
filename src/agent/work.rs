//! Work in progress of an agent: the streaming answer, running tools, a timer.
//!
//! Must not know the state machine's rules. Waiting is cancel-safe: it can be dropped and repeated at any
//! point without losing anything.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;

use super::compaction::summary::{FinishedSummary, RetryNotice, SummaryError, SummaryFuture};
use super::effect::Timer;
use crate::base::clock::SharedClock;
use crate::base::panics::catch;
use crate::base::paths;
use crate::llm::model::{StreamEvent, ToolCall};
use crate::llm::provider::EventStream;
use crate::tools::contract::tool::ToolClass;
use crate::tools::permissions::approval::{Approval, Ask, Decision};
use crate::tools::{self, Outcome, Progress, Registry};

/// Passes requests for approval on, and sums how long they stand: that is not the time of the tool.
struct TimedApproval {
    inner: Arc<dyn Approval>,
    clock: SharedClock,
    /// In nanoseconds.
    waited: Arc<AtomicU64>,
}

impl Approval for TimedApproval {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        let (decision, clock, waited) =
            (self.inner.decide(ask), self.clock.clone(), Arc::clone(&self.waited));
        let start = clock.monotonic();
        Box::pin(async move {
            let decision = decision.await;
            let stood = clock.monotonic().saturating_sub(start);
            waited.fetch_add(u64::try_from(stood.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
            decision
        })
    }
}

/// Something that happened.
#[derive(Debug)]
pub enum Wake {
    /// The next event of the answer; `None` when the stream ended without a final event.
    Stream(Option<StreamEvent>),
    /// A tool call ended.
    Tool(ToolDone),
    /// Live output: call id and text, the latest of each call that has new output.
    Progress(Vec<(String, String)>),
    /// The timer has expired.
    TimerExpired(Timer),
    /// A summary was written or has failed.
    Summary(Result<FinishedSummary, SummaryError>),
    /// A summary request is retried.
    SummaryRetry(RetryNotice),
}

/// A tool call that ended.
#[derive(Debug)]
pub struct ToolDone {
    /// Its index among the calls of its answer.
    pub index: usize,
    /// The call.
    pub call: ToolCall,
    /// The outcome.
    pub outcome: Outcome,
    /// Duration.
    pub took: Duration,
}

/// All work in progress.
#[derive(Default)]
pub struct Work {
    answer: Option<EventStream>,
    summary: Option<SummaryFuture>,
    /// Retry notices of the summary.
    retry_notices: Option<mpsc::Receiver<RetryNotice>>,
    tools: JoinSet<ToolDone>,
    /// Abandoned calls that have not ended yet.
    ending: Vec<JoinSet<ToolDone>>,
    /// The end of the last started edit of each file.
    edits: BTreeMap<PathBuf, CancellationToken>,
    live_output: Arc<LiveOutput>,
    timer: Option<(Timer, Pin<Box<Sleep>>)>,
}

/// The latest live output of each running call. Bounded by the number of calls, since newer text replaces
/// older text.
#[derive(Debug, Default)]
struct LiveOutput {
    latest: Mutex<BTreeMap<String, CallOutput>>,
    changed: Notify,
}

/// The latest output of a call.
#[derive(Debug, Clone)]
pub struct CallOutput {
    /// The tool's name.
    pub tool: String,
    /// The text as tools report it, see [`Progress`].
    pub text: String,
    /// Whether it was sent to listeners.
    sent: bool,
}

impl Work {
    /// Starts reading an answer.
    pub fn start_answer(&mut self, answer: EventStream) {
        self.answer = Some(answer);
    }

    /// Stops reading, which closes the connection; returns whether there was an answer.
    pub fn stop_answer(&mut self) -> bool {
        self.answer.take().is_some()
    }

    /// Starts writing a summary, with retry notices on `repeats`.
    pub fn start_summary(&mut self, summary: SummaryFuture, repeats: mpsc::Receiver<RetryNotice>) {
        self.retry_notices = Some(repeats);
        let guarded = AssertUnwindSafe(summary).catch_unwind();
        let failed = || SummaryError::Failed("it failed inside; this is a defect".to_string());
        self.summary = Some(guarded.map(move |written| written.unwrap_or_else(|_| Err(failed()))).boxed());
    }

    /// Stops writing, which closes the connection; returns whether there was a summary.
    pub fn stop_summary(&mut self) -> bool {
        self.summary.take().is_some()
    }

    /// Starts a timer, replacing the current one.
    pub fn start_timer(&mut self, timer: Timer, delay: Duration) {
        self.timer = Some((timer, Box::pin(tokio::time::sleep(delay))));
    }

    /// Starts a tool call on its own task. Edits of one file run in the order of the calls, so that each begins with
    /// what the one before it wrote.
    pub fn start_tool(
        &mut self,
        index: usize,
        call: ToolCall,
        registry: Registry,
        context: tools::Context,
        cancel: CancellationToken,
        clock: SharedClock,
    ) {
        let (board, id, tool) = (self.live_output.clone(), call.id.clone(), call.name.clone());
        let progress: Progress = Arc::new(move |text| board.put(&id, &tool, text));
        let ended = CancellationToken::new();
        let earlier = self.queue_edit(&call, &registry, &context, &ended);
        self.tools.spawn(async move {
            let _ended = ended.drop_guard();
            for edit in earlier {
                tokio::select! {
                    () = edit.cancelled() => {}
                    () = cancel.cancelled() => break,
                }
            }
            let start = clock.monotonic();
            let waited = Arc::<AtomicU64>::default();
            let approval = TimedApproval {
                inner: Arc::clone(&context.approval),
                clock: clock.clone(),
                waited: Arc::clone(&waited),
            };
            let context = tools::Context { approval: Arc::new(approval), ..context };
            let work = tools::execute(&registry, &context, &call, cancel, progress);
            let outcome = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
                Outcome::error(format!("{} failed inside; this is a defect of bowline", call.name))
            });
            let total = clock.monotonic().saturating_sub(start);
            let waited = Duration::from_nanos(waited.load(Ordering::Relaxed));
            ToolDone { index, call, outcome, took: total.saturating_sub(waited) }
        });
    }

    /// Records an edit whose end `ended` tells; returns the ends of those that it must wait for.
    fn queue_edit(
        &mut self,
        call: &ToolCall,
        registry: &Registry,
        context: &tools::Context,
        ended: &CancellationToken,
    ) -> Vec<CancellationToken> {
        self.edits.retain(|_, edit| !edit.is_cancelled());
        let Some(tool) = registry.get(&call.name).filter(|tool| tool.class() == ToolClass::Edits) else {
            return Vec::new();
        };
        let root = context.env.root();
        // The arguments are not validated yet: a tool that panics on them fails when it is run.
        let targets = catch(|| tool.targets(&tool.prepare(call.arguments.clone()))).unwrap_or_default();
        let paths = targets.into_iter().map(|path| paths::absolute(root, Path::new(&path)));
        let paths: BTreeSet<PathBuf> = paths.collect();
        paths.into_iter().filter_map(|path| self.edits.insert(path, ended.clone())).collect()
    }

    /// Abandons running tools: their ends are ignored.
    pub fn abandon_tools(&mut self) {
        self.ending.push(mem::take(&mut self.tools));
        self.ending.retain_mut(|set| {
            while set.try_join_next().is_some() {}
            !set.is_empty()
        });
        self.edits.clear();
        self.live_output = Arc::default();
        self.timer = None;
    }

    /// Ends all work. Interrupted calls get `grace` to end by themselves; then their tasks are dropped, which
    /// kills the process groups of their commands.
    pub async fn end(&mut self, grace: Duration) {
        self.stop_answer();
        self.stop_summary();
        self.abandon_tools();
        for set in &mut self.ending {
            let quiet = async { while set.join_next().await.is_some() {} };
            if tokio::time::timeout(grace, quiet).await.is_err() {
                set.shutdown().await;
            }
        }
        self.ending.clear();
    }

    /// Returns the live output of a call that has ended, unless it was sent.
    pub fn take_unsent_output(&self, call_id: &str) -> Option<String> {
        self.live_output.latest.lock().remove(call_id).filter(|shown| !shown.sent).map(|shown| shown.text)
    }

    /// Returns the latest output of the running calls, by id.
    pub fn call_outputs(&self) -> BTreeMap<String, CallOutput> {
        self.live_output.latest.lock().clone()
    }

    /// Waits for the next event; forever when there is no work.
    pub async fn next(&mut self) -> Wake {
        loop {
            tokio::select! {
                biased;
                event = next_event(&mut self.answer) => {
                    if event.is_none() {
                        self.answer = None;
                    }
                    return Wake::Stream(event);
                }
                Some(repeat) = next_retry_notice(&mut self.retry_notices) => return Wake::SummaryRetry(repeat),
                written = next_summary(&mut self.summary) => {
                    (self.summary, self.retry_notices) = (None, None);
                    return Wake::Summary(written);
                }
                Some(done) = self.tools.join_next() => match done {
                    Ok(done) => return Wake::Tool(done),
                    Err(error) => tracing::error!("a tool's task was lost: {error}"),
                },
                () = self.live_output.changed.notified() => {
                    let latest = self.live_output.take_unsent();
                    if !latest.is_empty() {
                        return Wake::Progress(latest);
                    }
                }
                timer = wait_for_timer(&mut self.timer) => {
                    self.timer = None;
                    return Wake::TimerExpired(timer);
                }
            }
        }
    }
}

impl LiveOutput {
    fn put(&self, call_id: &str, tool: &str, text: String) {
        self.latest
            .lock()
            .insert(call_id.to_string(), CallOutput { tool: tool.to_string(), text, sent: false });
        self.changed.notify_one();
    }

    /// Returns output that was not sent yet, and marks it as sent.
    fn take_unsent(&self) -> Vec<(String, String)> {
        let mut latest = self.latest.lock();
        let unheard = latest.iter_mut().filter(|(_, shown)| !shown.sent);
        let to_update = |(call_id, shown): (&String, &mut CallOutput)| {
            shown.sent = true;
            (call_id.clone(), shown.text.clone())
        };
        unheard.map(to_update).collect()
    }
}

async fn next_event(answer: &mut Option<EventStream>) -> Option<StreamEvent> {
    match answer {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}

/// Returns the next retry notice; pending when there is no channel.
async fn next_retry_notice(repeats: &mut Option<mpsc::Receiver<RetryNotice>>) -> Option<RetryNotice> {
    let received = match repeats {
        Some(repeats) => repeats.recv().await,
        None => std::future::pending().await,
    };
    if received.is_none() {
        *repeats = None;
    }
    received
}

async fn next_summary(summary: &mut Option<SummaryFuture>) -> Result<FinishedSummary, SummaryError> {
    match summary {
        Some(writing) => writing.await,
        None => std::future::pending().await,
    }
}

async fn wait_for_timer(timer: &mut Option<(Timer, Pin<Box<Sleep>>)>) -> Timer {
    match timer {
        Some((timer, sleep)) => {
            sleep.await;
            *timer
        }
        None => std::future::pending().await,
    }
}
