//! `send_input`: says something to an agent that was started before.
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
use crate::tools::interaction::delegation;

/// The tool.
#[derive(Debug)]
pub struct SendInput {
    /// Whether it is on offer before anybody asks for it.
    pub by_default: bool,
}

impl Tool for SendInput {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "send_input".to_string(),
            description:
                "Say something to an agent. One that works hears it after the tools that it runs; one \
                          that has answered works on."
                    .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "agent_id": {"type": "string", "description": "Its id"},
                    "message": {"type": "string", "description": "What to say"},
                },
                "required": ["agent_id", "message"],
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

    fn snippet(&self) -> &'static str {
        "Say something to an agent"
    }

    fn by_default(&self) -> bool {
        self.by_default
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { delegation::send(&call).await }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView {
            body: delegation::view(args.get("message")).body,
            ..delegation::view(args.get("agent_id"))
        }
    }
}
