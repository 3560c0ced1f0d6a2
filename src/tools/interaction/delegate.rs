//! Port for tools that start subagents. Must not know how agents work.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;

/// The task of a subagent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentTask {
    /// The id of the call that starts it.
    pub call_id: String,
    /// Its name; generated if none is given.
    pub name: Option<String>,
    /// The prompt.
    pub message: String,
    /// Its folder, below the workspace.
    pub folder: Option<String>,
    /// Its model, if not the parent's.
    pub model: Option<String>,
    /// Maximum number of answers.
    pub turns_max: Option<u32>,
}

/// State of a subagent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentStatus {
    /// Working.
    Running,
    /// It has answered.
    Completed,
    /// It failed.
    Failed,
    /// It was closed.
    Closed,
}

impl AgentStatus {
    /// Returns the name for models.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Closed => "closed",
        }
    }
}

/// Report about a subagent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentReport {
    /// Its id.
    pub id: String,
    /// Its state.
    pub status: AgentStatus,
    /// Its last message; for a failed one the error.
    pub output: String,
    /// Number of answers.
    pub turns: u32,
    /// Cost in US dollars.
    pub cost: f64,
}

impl AgentReport {
    /// As data for front ends.
    pub fn details(&self) -> Value {
        json!({"agentId": self.id, "status": self.status.name(), "turns": self.turns, "cost": self.cost})
    }
}

/// The result of an operation; the error is a text that a model can act on.
pub type DelegateResult = Result<AgentReport, String>;

/// Operations on subagents.
pub trait Delegate: Send + Sync {
    /// Starts a subagent without waiting for it.
    fn spawn(&self, task: AgentTask) -> BoxFuture<'static, DelegateResult>;

    /// Sends a message: steers a working subagent, or starts a new run of one that has answered.
    fn send(&self, id: &str, message: String) -> BoxFuture<'static, DelegateResult>;

    /// Waits until a subagent has answered or failed; reports its activity meanwhile.
    fn wait(
        &self,
        id: &str,
        progress: Arc<dyn Fn(String) + Send + Sync>,
    ) -> BoxFuture<'static, DelegateResult>;

    /// Closes a subagent with its commands and its own subagents; returns its last report. Continues when the
    /// wait is interrupted.
    fn close(&self, id: &str) -> BoxFuture<'static, DelegateResult>;

    /// Interrupts all working subagents; they accept messages afterwards.
    fn interrupt(&self);

    /// Closes all subagents concurrently.
    fn close_all(&self) -> BoxFuture<'static, ()>;
}
