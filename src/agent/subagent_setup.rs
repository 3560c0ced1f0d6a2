//! What an agent that another one starts is equipped with, and who hears of it.
//!
//! Must not know who starts agents.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::config::Config;
use super::driver::{Services, Setup};
use super::event::AgentEvent;
use crate::tools::Registry;
use crate::tools::interaction::delegate::Task;

/// What a new agent works with.
pub struct Subagent {
    /// The rules of its loop.
    pub config: Config,
    /// Models, tools, files.
    pub services: Services,
    /// Who answers, and with what in mind.
    pub setup: Setup,
    /// What of it may become another while the agent works.
    pub gear: Box<dyn SetupChanges>,
}

/// The tools and the prompt of an agent that works, as the user wants them.
pub trait SetupChanges: Send {
    /// Those of now, where they are others than when this was asked last. Asked before each request and
    /// each call.
    fn renewed(&mut self) -> BoxFuture<'_, Option<ChangedSetup>>;
}

/// Other tools and another prompt.
#[derive(Debug)]
pub struct ChangedSetup {
    /// The tools on offer.
    pub registry: Registry,
    /// Whether calls of one answer may run at the same time.
    pub parallel: bool,
    /// The system prompt.
    pub system: Vec<String>,
}

/// Equips new agents.
pub trait SubagentSetup: Send + Sync {
    /// What an agent for a task works with; why there can be none, in words on which a model can act.
    fn equip(&self, task: &Task) -> BoxFuture<'static, Result<Subagent, String>>;

    /// Counts an agent that is about to start; why it may not, in words on which a model can act.
    fn admit(&self) -> Result<(), String>;
}

/// Hears what the agents do: the id of one, and what happened to it.
pub type SubagentListener = Arc<dyn Fn(&str, AgentEvent) -> BoxFuture<'static, ()> + Send + Sync>;
