//! Subagents of one agent: each has its own conversation, driver and task, and shares files and commands with
//! its parent.
//!
//! Must not know how a subagent is set up, nor who receives its events.

mod runner;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};

use self::runner::{Order, Runner};
use super::abort::Abort;
use super::subagent_setup::{SubagentListener, SubagentSetup};
use crate::tools::interaction::delegate::{AgentReport, AgentStatus, AgentTask, Delegate, DelegateResult};

/// Maximum number of concurrent subagents of one agent, as in Claude Code.
const SUBAGENTS_MAX: usize = 20;
/// Capacity of the message queue of a subagent.
const ORDERS_MAX: usize = 32;

/// The subagents of one agent. Cheap to clone; all clones share the pool.
#[derive(Clone)]
pub struct SubagentPool {
    setup: Arc<dyn SubagentSetup>,
    listener: SubagentListener,
    members: Arc<Mutex<BTreeMap<String, Entry>>>,
    count: Arc<AtomicU32>,
}

/// Handle of a subagent.
#[derive(Clone)]
struct Entry {
    orders: mpsc::Sender<Order>,
    abort: Abort,
    report: watch::Receiver<AgentReport>,
    activity: watch::Receiver<String>,
    /// The last report that a caller received.
    received_report: Arc<Mutex<Option<AgentReport>>>,
}

impl Entry {
    /// Whether its answer was received by a caller: closing it loses nothing.
    fn is_report_received(&self) -> bool {
        let report = self.report.borrow();
        let received_report = self.received_report.lock();
        report.status != AgentStatus::Running && received_report.as_ref() == Some(&*report)
    }
}

impl SubagentPool {
    /// Creates an empty pool.
    pub fn new(setup: Arc<dyn SubagentSetup>, listener: SubagentListener) -> Self {
        Self { setup, listener, members: Arc::default(), count: Arc::default() }
    }

    fn entries(&self) -> Vec<Entry> {
        self.members.lock().values().cloned().collect()
    }

    fn entry(&self, id: &str) -> Result<Entry, String> {
        let members = self.members.lock();
        members.get(id).cloned().ok_or_else(|| {
            let known: Vec<&str> = members.keys().map(String::as_str).collect();
            let there = if known.is_empty() { "none".to_string() } else { known.join(", ") };
            format!("There is no agent {id:?}. The agents are: {there}.")
        })
    }

    async fn start(self, task: AgentTask) -> DelegateResult {
        if task.message.trim().is_empty() {
            return Err("The task is empty.".to_string());
        }
        let subagent = self.setup.set_up(&task).await?;
        let mut members = self.members.lock();
        if members.len() >= SUBAGENTS_MAX {
            // A subagent whose answer was received and that was not closed is evicted; its task ends with its
            // entry.
            let received =
                members.iter().find(|(_, entry)| entry.is_report_received()).map(|(id, _)| id.clone());
            let Some(received) = received else {
                return Err(format!(
                    "{SUBAGENTS_MAX} agents are there already, and the answer of none of them was heard; wait for \
                     one or close one first."
                ));
            };
            self.setup.admit()?;
            members.remove(&received);
        } else {
            self.setup.admit()?;
        }
        let id = self.unique_name(&task, &members);
        let (orders, order_receiver) = mpsc::channel(ORDERS_MAX);
        let first = AgentReport {
            id: id.clone(),
            status: AgentStatus::Running,
            output: String::new(),
            turns: 0,
            cost: 0.0,
        };
        let (report, reported) = watch::channel(first.clone());
        let (activity, active) = watch::channel(String::new());
        let abort = Abort::default();
        let member =
            Runner::new(&id, &task.call_id, subagent, abort.clone(), self.listener.clone(), report, activity);
        tokio::spawn(member.run(task.message, order_receiver));
        let received = Arc::default();
        members.insert(
            id,
            Entry { orders, abort, report: reported, activity: active, received_report: received },
        );
        Ok(first)
    }

    /// Returns the requested name, reduced to characters that models repeat reliably, or a numbered one.
    fn unique_name(&self, task: &AgentTask, members: &BTreeMap<String, Entry>) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let requested: String = task.name.as_deref().unwrap_or("agent").chars().map(plain).take(40).collect();
        let requested = if requested.is_empty() { "agent".to_string() } else { requested };
        if task.name.is_some() && !members.contains_key(&requested) {
            return requested;
        }
        loop {
            let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            let name = format!("{requested}_{number}");
            if !members.contains_key(&name) {
                return name;
            }
        }
    }
}

/// Returns the report for a subagent that has ended.
fn ended_error(id: &str) -> String {
    format!("Agent {id:?} has ended.")
}

impl Delegate for SubagentPool {
    fn spawn(&self, task: AgentTask) -> BoxFuture<'static, DelegateResult> {
        self.clone().start(task).boxed()
    }

    fn send(&self, id: &str, message: String) -> BoxFuture<'static, DelegateResult> {
        let (entry, id) = (self.entry(id), id.to_string());
        async move {
            let entry = entry?;
            let (accepted, taken) = tokio::sync::oneshot::channel();
            entry.orders.send(Order::Message(message, accepted)).await.map_err(|_| ended_error(&id))?;
            taken.await.map_err(|_| ended_error(&id))
        }
        .boxed()
    }

    fn wait(
        &self,
        id: &str,
        progress: Arc<dyn Fn(String) + Send + Sync>,
    ) -> BoxFuture<'static, DelegateResult> {
        let (entry, id) = (self.entry(id), id.to_string());
        async move {
            let Entry { mut report, mut activity, received_report: received, .. } = entry?;
            loop {
                let now = report.borrow_and_update().clone();
                if now.status != AgentStatus::Running {
                    *received.lock() = Some(now.clone());
                    return Ok(now);
                }
                tokio::select! {
                    changed = report.changed() => changed.map_err(|_| ended_error(&id))?,
                    Ok(()) = activity.changed() => progress(activity.borrow_and_update().clone()),
                }
            }
        }
        .boxed()
    }

    fn close(&self, id: &str) -> BoxFuture<'static, DelegateResult> {
        let entry = self.entry(id);
        let members = Arc::clone(&self.members);
        let id = id.to_string();
        let close = async move {
            let mut entry = entry?;
            entry.abort.interrupt();
            // If it ended by itself, its last report is still there.
            if entry.orders.send(Order::Close).await.is_ok() {
                let closed = entry.report.wait_for(|report| report.status == AgentStatus::Closed).await;
                if closed.is_err() {
                    tracing::warn!(agent = id, "an agent's task was lost");
                }
            }
            members.lock().remove(&id);
            let last = entry.report.borrow().clone();
            Ok(AgentReport { status: AgentStatus::Closed, ..last })
        };
        let closing = tokio::spawn(close);
        async move { closing.await.unwrap_or_else(|error| Err(format!("It could not be closed: {error}."))) }
            .boxed()
    }

    fn interrupt(&self) {
        for entry in self.entries() {
            entry.abort.interrupt();
            match entry.orders.try_send(Order::Interrupt) {
                // An ended subagent has nothing to interrupt.
                Ok(()) | Err(TrySendError::Closed(_)) => {}
                Err(TrySendError::Full(say)) => {
                    tokio::spawn(async move { entry.orders.send(say).await.is_ok() });
                }
            }
        }
    }

    fn close_all(&self) -> BoxFuture<'static, ()> {
        let ids: Vec<String> = self.members.lock().keys().cloned().collect();
        let closing: Vec<_> = ids.iter().map(|id| self.close(id)).collect();
        futures::future::join_all(closing).map(|_| ()).boxed()
    }
}
