//! One running subagent: its driver, its orders, and its reports.
//!
//! Must not know the pool.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use crate::agent::abort::Abort;
use crate::agent::driver::{Driver, Listener};
use crate::agent::effect::Event;
use crate::agent::event::AgentEvent;
use crate::agent::queue::Lane;
use crate::agent::subagent_setup::{ChangedSetup, SetupChanges, Subagent, SubagentListener};
use crate::llm::model::{Message, UserMessage};
use crate::tools::interaction::delegate::{AgentReport, AgentStatus};
use crate::tools::{AgentToolState, Registry};

/// Number of recent activity lines for waiting callers.
const ACTIVITY_LINES_MAX: usize = 8;

/// Grace period of its commands: SIGTERM, SIGKILL after two seconds, and a moment to exit.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(2300);

/// An order to a subagent.
#[derive(Debug)]
pub(super) enum Order {
    /// A message, and the sender of its report.
    Message(String, oneshot::Sender<AgentReport>),
    /// Interrupt the run.
    Interrupt,
    /// Close.
    Close,
}

/// A running subagent.
pub(super) struct Runner {
    driver: Driver<RunnerListener>,
    setup_changes: Box<dyn SetupChanges>,
    /// Holds its commands and its own subagents.
    shared: Arc<AgentToolState>,
    /// Its commands that are ending.
    ending: JoinSet<()>,
}

/// The listener of its driver.
struct RunnerListener {
    id: String,
    /// The call that started it.
    call_id: String,
    listener: SubagentListener,
    registry: Registry,
    report: watch::Sender<AgentReport>,
    activity: watch::Sender<String>,
    lines: VecDeque<String>,
    /// The error that ended the run.
    error: Option<String>,
}

impl Runner {
    pub(super) fn new(
        id: &str,
        call_id: &str,
        subagent: Subagent,
        abort: Abort,
        listener: SubagentListener,
        report: watch::Sender<AgentReport>,
        activity: watch::Sender<String>,
    ) -> Self {
        let Subagent { config, services, setup, setup_changes: gear } = subagent;
        let shared = Arc::clone(&services.tools.shared);
        let runner_listener = RunnerListener {
            id: id.to_string(),
            call_id: call_id.to_string(),
            listener,
            registry: services.registry.clone(),
            report,
            activity,
            lines: VecDeque::new(),
            error: None,
        };
        let driver = Driver::new(config, services, setup, abort, runner_listener);
        Self { driver, setup_changes: gear, shared, ending: JoinSet::new() }
    }

    /// Works on a task, then on further orders, until it is closed or its last handle is dropped.
    pub(super) async fn run(mut self, task: String, mut orders: mpsc::Receiver<Order>) {
        self.prompt(task).await;
        loop {
            tokio::select! {
                biased;
                say = orders.recv() => match say {
                    Some(Order::Message(words, heard)) => {
                        self.prompt(words).await;
                        let report = self.driver.listener().report.borrow().clone();
                        if heard.send(report).is_err() {
                            tracing::debug!("who spoke to an agent has gone");
                        }
                    }
                    Some(Order::Interrupt) => self.interrupt().await,
                    Some(Order::Close) | None => break,
                },
                step = self.driver.next() => {
                    self.apply_setup_changes().await;
                    self.driver.handle(step).await;
                }
            }
        }
        self.interrupt().await;
        while self.driver.is_working() {
            let step = self.driver.next().await;
            self.driver.handle(step).await;
        }
        if let Some(others) = &self.shared.delegate {
            let closing = others.close_all();
            self.ending.spawn(closing);
        }
        self.driver.stop_work().await;
        while self.ending.join_next().await.is_some() {}
        self.driver.listener().report.send_modify(|report| report.status = AgentStatus::Closed);
    }

    /// Interrupts the run and its commands and subagents.
    async fn interrupt(&mut self) {
        self.driver.send(Event::Abort).await;
        if let Some(others) = &self.shared.delegate {
            others.interrupt();
        }
        self.ending.spawn(self.shared.jobs.end_own(SHUTDOWN_GRACE));
        // Collects those that have already ended.
        while self.ending.try_join_next().is_some() {}
    }

    /// Applies changed tools and prompt.
    async fn apply_setup_changes(&mut self) {
        let Some(ChangedSetup { registry, parallel, system }) = self.setup_changes.take_changes().await
        else {
            return;
        };
        self.driver.listener().registry = registry.clone();
        self.driver.set_tools(registry, parallel, |_| true);
        self.driver.setup().system = system;
    }

    async fn prompt(&mut self, words: String) {
        self.apply_setup_changes().await;
        self.driver.listener().report.send_modify(|report| report.status = AgentStatus::Running);
        self.driver.listener().error = None;
        let message = UserMessage::text(words, 0);
        self.driver.send(Event::Prompt { message, lane: Lane::Steering }).await;
    }
}

impl RunnerListener {
    /// Records an event that waiting callers should see.
    fn note(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::ToolStart { tool, args, .. } => {
                let title = self.registry.get(tool).map(|known| known.call_view(args).title);
                self.line(format!("{tool} {}", title.unwrap_or_default()));
            }
            AgentEvent::RetryStart { error, .. } => self.line(error.clone()),
            AgentEvent::LimitReached(text) => self.error = Some(text.clone()),
            AgentEvent::AgentEnd { aborted, error } => self.end(*aborted, error.as_deref()),
            _ => {}
        }
    }

    fn line(&mut self, line: String) {
        if self.lines.len() == ACTIVITY_LINES_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
        let all: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        self.activity.send_replace(all.join("\n"));
    }

    fn end(&mut self, aborted: bool, error: Option<&str>) {
        let interrupted = aborted.then_some("It was interrupted.");
        let reason = interrupted.or(error).map(str::to_string).or_else(|| self.error.take());
        self.report.send_modify(|report| match reason {
            None => report.status = AgentStatus::Completed,
            Some(message) => {
                report.status = AgentStatus::Failed;
                let words = std::mem::take(&mut report.output);
                report.output =
                    if words.is_empty() { message } else { format!("{message}\n\nIts last words:\n{words}") };
            }
        });
    }

    fn count(&mut self, message: &Message) {
        let Message::Assistant(answer) = message else { return };
        self.report.send_modify(|report| {
            report.turns += 1;
            report.cost += answer.usage.cost.total;
            report.output = answer.text();
        });
    }
}

impl Listener for RunnerListener {
    async fn store(&mut self, message: &Message) {
        self.count(message);
    }

    async fn sync(&mut self) {}

    async fn on_event(&mut self, event: AgentEvent) {
        self.note(&event);
        (self.listener)(&self.id, &self.call_id, event).await;
    }

    async fn return_messages(&mut self, messages: Vec<UserMessage>) {
        tracing::debug!(count = messages.len(), "an agent that has ended was spoken to");
    }
}
