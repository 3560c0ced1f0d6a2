//! Subagent actions: start, send a message, wait, close.
//!
//! Must not know how agents work.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::args;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::CallView;
use crate::tools::interaction::delegate::AgentTask;
use crate::tools::interaction::delegation;

/// Starts an agent.
#[derive(Debug)]
pub struct SpawnAgent {
    /// The argument with the task.
    pub task: &'static str,
    /// The argument with a short description of the task.
    pub title: Option<&'static str>,
    /// Whether the call waits for the answer, unless `run_in_background` is set.
    pub waits: bool,
}

impl Action for SpawnAgent {
    fn kind(&self) -> Kind {
        Kind::Agent
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let text = |name: &str| call.args.get(name).and_then(Value::as_str).map(str::to_string);
            let turns = call.args.get("max_turns").and_then(Value::as_u64);
            let task = AgentTask {
                call_id: call.call_id.clone(),
                name: text("name"),
                message: text(self.task).unwrap_or_default(),
                folder: text("working_dir"),
                model: text("model"),
                turns_max: turns.map(|turns| u32::try_from(turns).unwrap_or(u32::MAX)),
            };
            if self.waits && !args::flag(&call.args, "run_in_background") {
                delegation::spawn_and_wait(&call, task).await
            } else {
                delegation::spawn(&call, task).await
            }
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let Some(title) = self.title else { return delegation::view(args.get(self.task)) };
        let body = args.get(self.task).and_then(Value::as_str).map(str::to_string);
        CallView { title: args::text(args, title).to_string(), body, ..CallView::default() }
    }
}

/// Operations on an existing agent, by its `agent_id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentAction {
    /// Sends the agent `message`.
    Send,
    /// Waits for the agent's answer.
    Wait,
    /// Closes the agent.
    Close,
}

impl Action for AgentAction {
    fn kind(&self) -> Kind {
        Kind::Agent
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            match self {
                Self::Send => delegation::send(&call).await,
                Self::Wait => delegation::wait(&call).await,
                Self::Close => delegation::close(&call).await,
            }
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let view = delegation::view(args.get("agent_id"));
        match self {
            Self::Send => CallView { body: delegation::view(args.get("message")).body, ..view },
            Self::Wait | Self::Close => view,
        }
    }
}
