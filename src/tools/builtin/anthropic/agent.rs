//! `Agent`: has another agent do a part of the work, and waits for its answer unless told not to.
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
pub struct Agent;

impl Tool for Agent {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Agent".to_string(),
            description: "Have another agent do a task of its own, and get its last words. It sees nothing of \
                          this conversation, so the prompt must say everything that it needs, and what it is to \
                          answer. It works on the same files with the same tools. Several calls in one answer \
                          work at the same time. With run_in_background the call gives an id at once: wait, \
                          send_input and close_agent take it."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "description": {"type": "string", "description": "The task in three to five words"},
                    "prompt": {"type": "string", "description": "The task, in full"},
                    "model": {"type": "string", "description": "Another model than yours"},
                    "run_in_background": {"type": "boolean", "description": "Do not wait for the answer"},
                    "name": {"type": "string", "description": "By which it is spoken to"},
                },
                "required": ["description", "prompt"],
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
        // As much of an agent's answer as Claude Code passes on.
        Some(Limits { chars: 32_000, ..delegation::LIMITS })
    }

    fn snippet(&self) -> &'static str {
        "Have another agent do a part of the work"
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let text = |name: &str| call.args.get(name).and_then(Value::as_str).map(str::to_string);
            let task = Task {
                name: text("name"),
                message: text("prompt").unwrap_or_default(),
                model: text("model"),
                ..Task::default()
            };
            if call.args.get("run_in_background").and_then(Value::as_bool) == Some(true) {
                delegation::spawn(&call, task).await
            } else {
                delegation::spawn_and_wait(&call, task).await
            }
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let title = args.get("description").and_then(Value::as_str).unwrap_or_default().to_string();
        let body = args.get("prompt").and_then(Value::as_str).map(str::to_string);
        CallView { title, body }
    }
}
