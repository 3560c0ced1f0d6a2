//! `Write`: makes a file or replaces it whole.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::editing::whole;
use crate::tools::output::limits::Limits;
use crate::tools::{contract::args, files::changes, output::defaults};

/// The tool.
#[derive(Debug)]
pub struct Write;

impl Tool for Write {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Write".to_string(),
            description: "Write a file: makes it, with its folders, or replaces it whole. A file that is there must have been read \
                 before. To change parts of a file use Edit."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "Path of the file, best an absolute one"},
                    "content": {"type": "string", "description": "The whole new content"},
                },
                "required": ["file_path", "content"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Edits
    }

    fn kind(&self) -> Kind {
        Kind::Write
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let text = |name: &str| args.get(name)?.as_str().map(String::from);
        Some(Intent::Write { path: text("file_path")?, content: text("content")? })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Write { path, content } = intent else { return None };
        Some(json!({"file_path": path, "content": content}))
    }

    fn limits(&self) -> Option<Limits> {
        Some(defaults::WRITE)
    }

    fn snippet(&self) -> &'static str {
        "Make or replace whole files"
    }

    fn prepare(&self, args: Value) -> Value {
        args::renamed(
            args,
            &[
                ("path", "file_path"),
                ("filePath", "file_path"),
                ("contents", "content"),
                ("file_text", "content"),
            ],
        )
    }

    fn target(&self, args: &Value) -> String {
        args::text(args, "file_path").to_string()
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        let work = async move {
            let (path, content) = (args::text(&call.args, "file_path"), args::text(&call.args, "content"));
            whole::run(&call, path, content, true).await
        };
        work.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: args::text(args, "file_path").to_string(), body: args::some_text(args, "content") }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::view(details).unwrap_or_else(|| ResultView::Text(text.to_string()))
    }
}
