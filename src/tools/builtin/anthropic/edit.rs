//! `Edit`: replaces a text in a file.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::patch::replace::How;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::editing::swap;
use crate::tools::output::limits::Limits;
use crate::tools::{contract::args, files::changes, output::defaults};

/// The tool.
#[derive(Debug)]
pub struct Edit;

impl Tool for Edit {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Edit".to_string(),
            description: "Replace a text in a file. old_string must be in the file exactly once, white space included and without \
                 line numbers, unless replace_all is set; add lines around it until it is unique. Read the file before. \
                 With an empty old_string a new file is made."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "Path of the file, best an absolute one"},
                    "old_string": {"type": "string", "description": "The text to replace"},
                    "new_string": {"type": "string", "description": "The text to put there, another one than old_string"},
                    "replace_all": {"type": "boolean", "description": "Replace it wherever it stands (false)", "default": false},
                },
                "required": ["file_path", "old_string", "new_string"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Edits
    }

    fn kind(&self) -> Kind {
        Kind::Edit
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let path = args.get("file_path")?.as_str()?.to_string();
        args.get("old_string").zip(args.get("new_string"))?;
        Some(Intent::Edit {
            path,
            swaps: vec![swap::pair(args)],
            everywhere: args::flag(args, "replace_all"),
        })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Edit { path, swaps, everywhere } = intent else { return None };
        let [one] = &swaps[..] else { return None };
        let all = everywhere.then_some(true);
        Some(args::object([
            ("file_path", json!(path)),
            ("old_string", json!(one.old)),
            ("new_string", json!(one.new)),
            ("replace_all", json!(all)),
        ]))
    }

    fn limits(&self) -> Option<Limits> {
        Some(defaults::EDIT)
    }

    fn snippet(&self) -> &'static str {
        "Replace exact texts in files"
    }

    fn prepare(&self, args: Value) -> Value {
        let names = [
            ("path", "file_path"),
            ("filePath", "file_path"),
            ("old_str", "old_string"),
            ("new_str", "new_string"),
            ("oldText", "old_string"),
            ("newText", "new_string"),
        ];
        args::renamed(args, &names)
    }

    fn target(&self, args: &Value) -> String {
        args::text(args, "file_path").to_string()
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let request = swap::Request {
                path: args::text(&call.args, "file_path").to_string(),
                swaps: vec![swap::pair(&call.args)],
                how: How { everywhere: args::flag(&call.args, "replace_all"), ..How::default() },
                read_first: true,
                makes: true,
                repeats: false,
            };
            swap::run(&call, &request).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let args = self.prepare(args.clone());
        swap::view(args::text(&args, "file_path"), &[swap::pair(&args)])
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::view(details).unwrap_or_else(|| ResultView::Text(text.to_string()))
    }
}
