//! `close_agent`: ends an agent that was started before.
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
pub struct CloseAgent {
    /// Whether it is on offer before anybody asks for it.
    pub by_default: bool,
}

impl Tool for CloseAgent {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "close_agent".to_string(),
            description: "End an agent and everything that it runs. What it has done stays done.".to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "agent_id": {"type": "string", "description": "Its id"},
                },
                "required": ["agent_id"],
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
        "End an agent"
    }

    fn by_default(&self) -> bool {
        self.by_default
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { delegation::close(&call).await }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        delegation::view(args.get("agent_id"))
    }
}
