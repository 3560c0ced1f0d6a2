//! `wait`: waits for the answer of an agent that was started before.
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
use crate::tools::output::limits::Limits;

/// The tool.
#[derive(Debug)]
pub struct Wait {
    /// Whether it is on offer before anybody asks for it.
    pub by_default: bool,
}

impl Tool for Wait {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "wait".to_string(),
            description:
                "Wait until an agent has answered, and get its answer, whether it succeeded, and how \
                          many turns it took."
                    .to_string(),
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

    fn limits(&self) -> Option<Limits> {
        Some(delegation::LIMITS)
    }

    fn snippet(&self) -> &'static str {
        "Wait for the answer of an agent"
    }

    fn by_default(&self) -> bool {
        self.by_default
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { delegation::wait(&call).await }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        delegation::view(args.get("agent_id"))
    }
}
