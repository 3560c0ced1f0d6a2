//! Interfaces for the setup of subagents and for their events.
//!
//! Must not know who starts subagents.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::config::Config;
use super::driver::{Services, Setup};
use super::event::AgentEvent;
use crate::tools::Registry;
use crate::tools::interaction::delegate::AgentTask;

/// Setup of a new subagent.
pub struct Subagent {
    /// The loop settings.
    pub config: Config,
    /// Models, tools, files.
    pub services: Services,
    /// Model and prompt.
    pub setup: Setup,
    /// Changes to tools and prompt while the subagent works.
    pub setup_changes: Box<dyn SetupChanges>,
}

/// Tools and prompt of a running subagent, which follow the user's choice.
pub trait SetupChanges: Send {
    /// Returns the present tools and prompt if they changed since the last call. Called before each request
    /// and each tool call.
    fn take_changes(&mut self) -> BoxFuture<'_, Option<ChangedSetup>>;
}

/// Changed tools and prompt.
#[derive(Debug)]
pub struct ChangedSetup {
    /// The available tools.
    pub registry: Registry,
    /// Whether calls of one answer may run at the same time.
    pub parallel: bool,
    /// The system prompt.
    pub system: Vec<String>,
}

/// Sets up new subagents.
pub trait SubagentSetup: Send + Sync {
    /// Returns the setup for a task; the error is a text that a model can act on.
    fn set_up(&self, task: &AgentTask) -> BoxFuture<'static, Result<Subagent, String>>;

    /// Counts a subagent that is about to start; the error, if a limit is reached, is a text that a model can
    /// act on.
    fn admit(&self) -> Result<(), String>;
}

/// Receives the events of subagents, with the subagent's id and that of the call that started it.
pub type SubagentListener = Arc<dyn Fn(&str, &str, AgentEvent) -> BoxFuture<'static, ()> + Send + Sync>;
