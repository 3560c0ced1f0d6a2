//! What an agent waits for: the answer that streams in, tools that run, a timer.
//!
//! Must not know the state machine's rules. Waiting here can be given up and taken up again at
//! any point without losing anything.

use std::collections::BTreeMap;
use std::mem;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use parking_lot::Mutex;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;

use super::compaction::summary::{Repeat, SummaryError, Writing, Written};
use super::effect::Timer;
use crate::base::clock::SharedClock;
use crate::llm::model::{StreamEvent, ToolCall};
use crate::llm::provider::EventStream;
use crate::tools::{self, Outcome, Progress, Registry};

/// Something that came.
#[derive(Debug)]
pub enum Wake {
    /// The next event of the answer; `None` when the stream is over without a last event.
    Stream(Option<StreamEvent>),
    /// A tool call ended.
    Tool(ToolDone),
    /// Live output: call id and text, the latest of each call that has more.
    Progress(Vec<(String, String)>),
    /// The timer.
    Due(Timer),
    /// A summary was written, or was not.
    Summary(Result<Written, SummaryError>),
    /// A request for a summary is sent again.
    Repeat(Repeat),
}

/// A tool call that ended.
#[derive(Debug)]
pub struct ToolDone {
    /// Its place among the calls of its answer.
    pub index: usize,
    /// The call.
    pub call: ToolCall,
    /// What it gave.
    pub outcome: Outcome,
    /// How long it took.
    pub took: Duration,
}

/// Everything that is going on.
#[derive(Default)]
pub struct Work {
    answer: Option<EventStream>,
    summary: Option<Writing>,
    /// What is heard of it meanwhile.
    repeats: Option<mpsc::Receiver<Repeat>>,
    tools: JoinSet<ToolDone>,
    /// Calls that nobody waits for any more and that have not ended yet.
    ending: Vec<JoinSet<ToolDone>>,
    board: Arc<Board>,
    timer: Option<(Timer, Pin<Box<Sleep>>)>,
}

/// The latest live output of each running call. Bounded by the number of calls, since a newer
/// text replaces an older one.
#[derive(Debug, Default)]
struct Board {
    latest: Mutex<BTreeMap<String, Shown>>,
    changed: Notify,
}

/// What a call has shown last.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The tool's name.
    pub tool: String,
    /// As tools tell it, see [`Progress`].
    pub text: String,
    /// Whether listeners have heard of it.
    heard: bool,
}

impl Work {
    /// Starts reading an answer.
    pub fn read(&mut self, answer: EventStream) {
        self.answer = Some(answer);
    }

    /// Stops reading, which closes the connection; says whether there was something to stop.
    pub fn hang_up(&mut self) -> bool {
        self.answer.take().is_some()
    }

    /// Starts writing a summary, of whose repetitions `repeats` tells.
    pub fn write(&mut self, summary: Writing, repeats: mpsc::Receiver<Repeat>) {
        self.repeats = Some(repeats);
        let whole = AssertUnwindSafe(summary).catch_unwind();
        let failed = || SummaryError::Failed("it failed inside; this is a defect".to_string());
        self.summary = Some(whole.map(move |written| written.unwrap_or_else(|_| Err(failed()))).boxed());
    }

    /// Stops writing, which closes the connection; says whether there was something to stop.
    pub fn give_up(&mut self) -> bool {
        self.summary.take().is_some()
    }

    /// Starts a timer in place of the one before.
    pub fn wait(&mut self, timer: Timer, delay: Duration) {
        self.timer = Some((timer, Box::pin(tokio::time::sleep(delay))));
    }

    /// Starts a tool call on a task of its own.
    pub fn run(
        &mut self,
        index: usize,
        call: ToolCall,
        registry: Registry,
        context: tools::Context,
        cancel: CancellationToken,
        clock: SharedClock,
    ) {
        let (board, id, tool) = (self.board.clone(), call.id.clone(), call.name.clone());
        let progress: Progress = Arc::new(move |text| board.put(&id, &tool, text));
        self.tools.spawn(async move {
            let start = clock.monotonic();
            let work = tools::execute(&registry, &context, &call, cancel, progress);
            let outcome = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| {
                Outcome::error(format!("{} failed inside; this is a defect of bowline", call.name))
            });
            ToolDone { index, call, outcome, took: clock.monotonic().saturating_sub(start) }
        });
    }

    /// Lets running tools end unheard.
    pub fn forget_tools(&mut self) {
        self.ending.push(mem::take(&mut self.tools));
        self.ending.retain_mut(|set| {
            while set.try_join_next().is_some() {}
            !set.is_empty()
        });
        self.board = Arc::default();
        self.timer = None;
    }

    /// Ends everything. Calls that were interrupted get `grace` to end by themselves; then
    /// their tasks are dropped, and a command takes its whole process group along.
    pub async fn end(&mut self, grace: Duration) {
        self.hang_up();
        self.give_up();
        self.forget_tools();
        for set in &mut self.ending {
            let quiet = async { while set.join_next().await.is_some() {} };
            if tokio::time::timeout(grace, quiet).await.is_err() {
                set.shutdown().await;
            }
        }
        self.ending.clear();
    }

    /// The live output of a call that has ended, unless it was heard.
    pub fn last_progress(&self, call_id: &str) -> Option<String> {
        self.board.latest.lock().remove(call_id).filter(|shown| !shown.heard).map(|shown| shown.text)
    }

    /// What the running calls have shown last, by their ids, heard or not.
    pub fn shown(&self) -> BTreeMap<String, Shown> {
        self.board.latest.lock().clone()
    }

    /// Waits for the next thing; forever when nothing is going on.
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
                Some(repeat) = heard(&mut self.repeats) => return Wake::Repeat(repeat),
                written = wait(&mut self.summary) => {
                    (self.summary, self.repeats) = (None, None);
                    return Wake::Summary(written);
                }
                Some(done) = self.tools.join_next() => match done {
                    Ok(done) => return Wake::Tool(done),
                    Err(error) => tracing::error!("a tool's task was lost: {error}"),
                },
                () = self.board.changed.notified() => {
                    let latest = self.board.unheard();
                    if !latest.is_empty() {
                        return Wake::Progress(latest);
                    }
                }
                timer = ring(&mut self.timer) => {
                    self.timer = None;
                    return Wake::Due(timer);
                }
            }
        }
    }
}

impl Board {
    fn put(&self, call_id: &str, tool: &str, text: String) {
        self.latest.lock().insert(call_id.to_string(), Shown { tool: tool.to_string(), text, heard: false });
        self.changed.notify_one();
    }

    /// What nobody has heard yet; it counts as heard from now on.
    fn unheard(&self) -> Vec<(String, String)> {
        let mut latest = self.latest.lock();
        let unheard = latest.iter_mut().filter(|(_, shown)| !shown.heard);
        let hear = |(call_id, shown): (&String, &mut Shown)| {
            shown.heard = true;
            (call_id.clone(), shown.text.clone())
        };
        unheard.map(hear).collect()
    }
}

async fn next_event(answer: &mut Option<EventStream>) -> Option<StreamEvent> {
    match answer {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}

/// The next repetition; pending where nobody tells of any.
async fn heard(repeats: &mut Option<mpsc::Receiver<Repeat>>) -> Option<Repeat> {
    let heard = match repeats {
        Some(repeats) => repeats.recv().await,
        None => std::future::pending().await,
    };
    if heard.is_none() {
        *repeats = None;
    }
    heard
}

async fn wait(summary: &mut Option<Writing>) -> Result<Written, SummaryError> {
    match summary {
        Some(writing) => writing.await,
        None => std::future::pending().await,
    }
}

async fn ring(timer: &mut Option<(Timer, Pin<Box<Sleep>>)>) -> Timer {
    match timer {
        Some((timer, sleep)) => {
            sleep.await;
            *timer
        }
        None => std::future::pending().await,
    }
}
