//! `write_todos`: keeps the list of what is to be done.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView, Step};
use crate::tools::interaction::plan;

/// The tool.
#[derive(Debug)]
pub struct WriteTodos;

impl Tool for WriteTodos {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "write_todos".to_string(),
            description: "Keep the list of steps of a longer piece of work; each call replaces the whole list. At most \
                          one step is in progress."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "todos": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "description": {"type": "string", "description": "One step, in a few words"},
                                "status": {"type": "string", "enum": ["pending", "in_progress", "completed", "cancelled", "blocked"], "description": "How far it is"},
                            },
                            "required": ["description", "status"],
                        },
                    },
                },
                "required": ["todos"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn kind(&self) -> Kind {
        Kind::Plan
    }

    fn snippet(&self) -> &'static str {
        "Keep a list of what is to be done"
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let items = items(&call.args);
            match plan::objection(&items) {
                Some(why) => Outcome::error(why),
                None => Outcome::text(plan::summary(&items)).details(plan::details(&items)),
            }
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: plan::summary(&items(args)), body: None }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        plan::of_details(details).map_or_else(|| ResultView::Text(text.to_string()), ResultView::Plan)
    }
}

fn items(args: &Value) -> Vec<Step> {
    plan::read(args.get("todos"), "description")
}
