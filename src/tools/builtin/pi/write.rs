//! `write`: makes a file or replaces it whole.
//!
//! Must not know other tools. The work is `editing`'s.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::editing::whole;
use crate::tools::{contract::args, files::changes};

/// The tool.
#[derive(Debug)]
pub struct Write;

impl Tool for Write {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "write".to_string(),
            description:
                "Write a file: makes it, with its folders, or replaces it whole. To change parts of \
                          an existing file, use edit."
                    .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Path of the file, relative or absolute"},
                    "content": {"type": "string", "description": "The whole new content"},
                },
                "required": ["path", "content"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Edits
    }

    fn snippet(&self) -> &'static str {
        "Make or replace whole files"
    }

    fn kind(&self) -> Kind {
        Kind::Write
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let text = |name: &str| args.get(name)?.as_str().map(String::from);
        Some(Intent::Write { path: text("path")?, content: text("content")? })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Write { path, content } = intent else { return None };
        Some(json!({"path": path, "content": content}))
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        let work = async move {
            let (path, content) = (args::text(&call.args, "path"), args::text(&call.args, "content"));
            whole::run(&call, path, content, false).await
        };
        work.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let text = |name: &str| args.get(name).and_then(Value::as_str).map(str::to_string);
        CallView { title: text("path").unwrap_or_default(), body: text("content") }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::view(details).unwrap_or_else(|| ResultView::Text(text.to_string()))
    }
}

#[cfg(test)]
mod tests;
