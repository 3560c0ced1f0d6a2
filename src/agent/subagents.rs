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
use crate::tools::interaction::delegate::{AgentReport, Delegate, Done, Status, Task};

/// Maximum number of concurrent subagents of one agent, as in Claude Code.
const MEMBERS_MAX: usize = 20;
/// Capacity of the message queue of a subagent.
const SAID_MAX: usize = 32;

/// The subagents of one agent. Cheap to clone; all clones share the pool.
#[derive(Clone)]
pub struct SubagentPool {
    equip: Arc<dyn SubagentSetup>,
    ears: SubagentListener,
    members: Arc<Mutex<BTreeMap<String, Entry>>>,
    count: Arc<AtomicU32>,
}

/// Handle of a subagent.
#[derive(Clone)]
struct Entry {
    says: mpsc::Sender<Order>,
    abort: Abort,
    report: watch::Receiver<AgentReport>,
    activity: watch::Receiver<String>,
    /// The last report that a caller received.
    heard: Arc<Mutex<Option<AgentReport>>>,
}

impl Entry {
    /// Whether its answer was received by a caller: closing it loses nothing.
    fn is_heard(&self) -> bool {
        let report = self.report.borrow();
        let heard = self.heard.lock();
        report.status != Status::Running && heard.as_ref() == Some(&*report)
    }
}

impl SubagentPool {
    /// Creates an empty pool.
    pub fn new(equip: Arc<dyn SubagentSetup>, ears: SubagentListener) -> Self {
        Self { equip, ears, members: Arc::default(), count: Arc::default() }
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

    async fn start(self, task: Task) -> Done {
        if task.message.trim().is_empty() {
            return Err("The task is empty.".to_string());
        }
        let recruit = self.equip.equip(&task).await?;
        let mut members = self.members.lock();
        if members.len() >= MEMBERS_MAX {
            // A subagent whose answer was received and that was not closed is evicted; its task ends with its
            // entry.
            let heard = members.iter().find(|(_, entry)| entry.is_heard()).map(|(id, _)| id.clone());
            let Some(heard) = heard else {
                return Err(format!(
                    "{MEMBERS_MAX} agents are there already, and the answer of none of them was heard; wait for \
                     one or close one first."
                ));
            };
            self.equip.admit()?;
            members.remove(&heard);
        } else {
            self.equip.admit()?;
        }
        let id = self.name(&task, &members);
        let (says, said) = mpsc::channel(SAID_MAX);
        let first = AgentReport {
            id: id.clone(),
            status: Status::Running,
            output: String::new(),
            turns: 0,
            cost: 0.0,
        };
        let (report, reported) = watch::channel(first.clone());
        let (activity, active) = watch::channel(String::new());
        let abort = Abort::default();
        let member = Runner::new(&id, recruit, abort.clone(), self.ears.clone(), report, activity);
        tokio::spawn(member.work(task.message, said));
        let heard = Arc::default();
        members.insert(id, Entry { says, abort, report: reported, activity: active, heard });
        Ok(first)
    }

    /// Returns the requested name, reduced to characters that models repeat reliably, or a numbered one.
    fn name(&self, task: &Task, members: &BTreeMap<String, Entry>) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let wished: String = task.name.as_deref().unwrap_or("agent").chars().map(plain).take(40).collect();
        let wished = if wished.is_empty() { "agent".to_string() } else { wished };
        if task.name.is_some() && !members.contains_key(&wished) {
            return wished;
        }
        loop {
            let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            let name = format!("{wished}_{number}");
            if !members.contains_key(&name) {
                return name;
            }
        }
    }
}

/// Returns the report for a subagent that has ended.
fn gone(id: &str) -> String {
    format!("Agent {id:?} has ended.")
}

impl Delegate for SubagentPool {
    fn spawn(&self, task: Task) -> BoxFuture<'static, Done> {
        self.clone().start(task).boxed()
    }

    fn send(&self, id: &str, message: String) -> BoxFuture<'static, Done> {
        let (entry, id) = (self.entry(id), id.to_string());
        async move {
            let entry = entry?;
            let (heard, taken) = tokio::sync::oneshot::channel();
            entry.says.send(Order::Words(message, heard)).await.map_err(|_| gone(&id))?;
            taken.await.map_err(|_| gone(&id))
        }
        .boxed()
    }

    fn wait(&self, id: &str, progress: Arc<dyn Fn(String) + Send + Sync>) -> BoxFuture<'static, Done> {
        let (entry, id) = (self.entry(id), id.to_string());
        async move {
            let Entry { mut report, mut activity, heard, .. } = entry?;
            loop {
                let now = report.borrow_and_update().clone();
                if now.status != Status::Running {
                    *heard.lock() = Some(now.clone());
                    return Ok(now);
                }
                tokio::select! {
                    changed = report.changed() => changed.map_err(|_| gone(&id))?,
                    Ok(()) = activity.changed() => progress(activity.borrow_and_update().clone()),
                }
            }
        }
        .boxed()
    }

    fn close(&self, id: &str) -> BoxFuture<'static, Done> {
        let entry = self.entry(id);
        let members = Arc::clone(&self.members);
        let id = id.to_string();
        let close = async move {
            let mut entry = entry?;
            entry.abort.now();
            // If it ended by itself, its last report is still there.
            if entry.says.send(Order::Close).await.is_ok() {
                let closed = entry.report.wait_for(|report| report.status == Status::Closed).await;
                if closed.is_err() {
                    tracing::warn!(agent = id, "an agent's task was lost");
                }
            }
            members.lock().remove(&id);
            let last = entry.report.borrow().clone();
            Ok(AgentReport { status: Status::Closed, ..last })
        };
        let closing = tokio::spawn(close);
        async move { closing.await.unwrap_or_else(|error| Err(format!("It could not be closed: {error}."))) }
            .boxed()
    }

    fn interrupt(&self) {
        for entry in self.entries() {
            entry.abort.now();
            match entry.says.try_send(Order::Interrupt) {
                // An ended subagent has nothing to interrupt.
                Ok(()) | Err(TrySendError::Closed(_)) => {}
                Err(TrySendError::Full(say)) => {
                    tokio::spawn(async move { entry.says.send(say).await.is_ok() });
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
