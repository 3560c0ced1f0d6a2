//! `spawn_agent`: has another agent do a part of the work, beside this one.
//!
//! Must not know how agents work.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::interaction::delegate::Task;
use crate::tools::interaction::delegation;
use crate::tools::output::limits::Limits;

/// The tool.
#[derive(Debug)]
pub struct SpawnAgent {
    /// Whether it is on offer before anybody asks for it.
    pub by_default: bool,
}

impl Tool for SpawnAgent {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "spawn_agent".to_string(),
            description: "Start another agent on a task of its own and go on at once. It sees nothing of this \
                          conversation, so its task must say everything that it needs, and what it is to \
                          answer. It works on the same files with the same tools. Good for parts that do not \
                          depend on each other: several agents work at the same time. Use wait for its answer."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "task": {"type": "string", "description": "What it is to do, in full"},
                    "working_dir": {"type": "string", "description": "Folder that it works in, below the workspace"},
                    "model": {"type": "string", "description": "Another model than yours"},
                    "max_turns": {"type": "integer", "description": "Answers that it may give (default 50)"},
                },
                "required": ["task"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn kind(&self) -> Kind {
        Kind::Agent
    }

    fn limits(&self) -> Option<Limits> {
        Some(delegation::LIMITS)
    }

    fn snippet(&self) -> &'static str {
        "Have another agent do a part of the work"
    }

    fn by_default(&self) -> bool {
        self.by_default
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let text = |name: &str| call.args.get(name).and_then(Value::as_str).map(str::to_string);
            let turns = call.args.get("max_turns").and_then(Value::as_u64);
            let task = Task {
                name: None,
                message: text("task").unwrap_or_default(),
                folder: text("working_dir"),
                model: text("model"),
                turns_max: turns.map(|turns| u32::try_from(turns).unwrap_or(u32::MAX)),
            };
            delegation::spawn(&call, task).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        delegation::view(args.get("task"))
    }
}
