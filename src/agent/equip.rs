//! What an agent that another one starts is equipped with, and who hears of it.
//!
//! Must not know who starts agents.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::config::Config;
use super::driver::{Services, Setup};
use super::event::AgentEvent;
use crate::tools::delegate::Task;

/// What a new agent works with.
pub struct Recruit {
    /// The rules of its loop.
    pub config: Config,
    /// Models, tools, files.
    pub services: Services,
    /// Who answers, and with what in mind.
    pub setup: Setup,
}

/// Equips new agents.
pub trait Equip: Send + Sync {
    /// What an agent for a task works with; why there can be none, in words on which a model can act.
    fn equip(&self, task: &Task) -> BoxFuture<'static, Result<Recruit, String>>;
}

/// Hears what the agents do: the id of one, and what happened to it.
pub type Ears = Arc<dyn Fn(&str, AgentEvent) -> BoxFuture<'static, ()> + Send + Sync>;
