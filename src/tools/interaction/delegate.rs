//! The port through which a tool has another agent do something. Must not know how agents work.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;

/// What another agent is to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Task {
    /// What it is called; it gets a name when none is given.
    pub name: Option<String>,
    /// In words.
    pub message: String,
    /// The folder that it works in, below the workspace.
    pub folder: Option<String>,
    /// Another model than that of the agent who asks.
    pub model: Option<String>,
    /// Answers that it may give.
    pub turns_max: Option<u32>,
}

/// How far an agent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It works.
    Running,
    /// It has answered.
    Completed,
    /// It broke off.
    Failed,
    /// It was ended.
    Closed,
}

impl Status {
    /// The name that models see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Closed => "closed",
        }
    }
}

/// An agent as others see it.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentReport {
    /// By which it is spoken to.
    pub id: String,
    /// How far it is.
    pub status: Status,
    /// Its last words; of one that failed, why.
    pub output: String,
    /// Answers that it has given.
    pub turns: u32,
    /// US dollars that it has cost.
    pub cost: f64,
}

impl AgentReport {
    /// As data for front ends.
    pub fn details(&self) -> Value {
        json!({"agentId": self.id, "status": self.status.name(), "turns": self.turns, "cost": self.cost})
    }
}

/// What a delegate does or why it does not, in words on which a model can act.
pub type Done = Result<AgentReport, String>;

/// Has other agents work.
pub trait Delegate: Send + Sync {
    /// Starts an agent and does not wait for it.
    fn spawn(&self, task: Task) -> BoxFuture<'static, Done>;

    /// Says something to an agent: to one that works in between, to one that has answered anew.
    fn send(&self, id: &str, message: String) -> BoxFuture<'static, Done>;

    /// Waits until an agent has answered or failed; tells meanwhile what it does.
    fn wait(&self, id: &str, progress: Arc<dyn Fn(String) + Send + Sync>) -> BoxFuture<'static, Done>;

    /// Ends an agent with all that it runs, its own agents included; the last that is heard of it. Goes on
    /// when the wait was interrupted.
    fn close(&self, id: &str) -> BoxFuture<'static, Done>;

    /// Interrupts everybody who works; they can be spoken to afterwards.
    fn interrupt(&self);

    /// Ends everybody, all at the same time.
    fn close_all(&self) -> BoxFuture<'static, ()>;
}
