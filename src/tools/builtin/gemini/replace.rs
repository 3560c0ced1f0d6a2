//! `replace`: replaces a text in a file.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::patch::passes::Ladder;
use crate::patch::replace::How;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::editing::swap;
use crate::tools::output::limits::Limits;
use crate::tools::{contract::args, files::changes, output::defaults};

/// The tool.
#[derive(Debug)]
pub struct Replace;

impl Tool for Replace {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "replace".to_string(),
            description: "Replace a text in a file. old_string must be in the file exactly once, with at least three lines around \
                 the change, white space included, unless allow_multiple is set. With an empty old_string a new file is \
                 made."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "Path of the file"},
                    "instruction": {"type": "string", "description": "What the change is for, in a sentence that is clear without the rest of the conversation"},
                    "old_string": {"type": "string", "description": "The text to replace"},
                    "new_string": {"type": "string", "description": "The text to put there"},
                    "allow_multiple": {"type": "boolean", "description": "Replace it wherever it stands (false)"},
                },
                "required": ["file_path", "instruction", "old_string", "new_string"],
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
            everywhere: args::flag(args, "allow_multiple"),
        })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Edit { path, swaps, everywhere } = intent else { return None };
        let [one] = &swaps[..] else { return None };
        Some(args::object([
            ("file_path", json!(path)),
            ("instruction", json!("Change this text.")),
            ("old_string", json!(one.old)),
            ("new_string", json!(one.new)),
            ("allow_multiple", json!(everywhere.then_some(true))),
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
            ("absolute_path", "file_path"),
            ("old_str", "old_string"),
            ("new_str", "new_string"),
        ];
        let mut args = args::renamed(args, &names);
        if let Some(fields) = args.as_object_mut() {
            // An older version counted; and the sentence is for people.
            let expected = fields.remove("expected_replacements").and_then(|count| count.as_u64());
            if expected.is_some_and(|count| count > 1) {
                fields.entry("allow_multiple").or_insert(json!(true));
            }
            fields.entry("instruction").or_insert(json!(""));
        }
        args
    }

    fn target(&self, args: &Value) -> String {
        args::text(args, "file_path").to_string()
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let request = swap::Request {
                path: args::text(&call.args, "file_path").to_string(),
                swaps: vec![swap::pair(&call.args)],
                how: How { ladder: Ladder::Fuzzy, everywhere: args::flag(&call.args, "allow_multiple") },
                read_first: false,
                makes: true,
                repeats: true,
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
