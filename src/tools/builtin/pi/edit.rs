//! `edit`: replaces exact pieces of a file.
//!
//! Must not know other tools. The work is `editing`'s.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::patch::replace::How;
use crate::tools::contract::intent::{Intent, Kind, Swap};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::editing::swap;
use crate::tools::{contract::args, files::changes};

/// The tool.
#[derive(Debug)]
pub struct Edit;

impl Tool for Edit {
    fn spec(&self) -> ToolSpec {
        let edit = json!({
            "type": "object",
            "properties": {
                "oldText": {"type": "string", "description":
                    "Exact text to replace; must occur once in the file as it is now"},
                "newText": {"type": "string", "description": "Text to put there"},
            },
            "required": ["oldText", "newText"],
        });
        ToolSpec {
            name: "edit".to_string(),
            description:
                "Replace exact pieces of one file. Every oldText is matched against the file as it is \
                          now, not after earlier edits of the call, must occur exactly once and must not \
                          overlap another. Keep oldText short, with just enough lines to be unique; merge \
                          changes of neighbouring lines into one edit."
                    .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Path of the file, relative or absolute"},
                    "edits": {"type": "array", "items": edit, "minItems": 1,
                        "description": "One or more replacements"},
                },
                "required": ["path", "edits"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Edits
    }

    fn snippet(&self) -> &'static str {
        "Replace exact pieces of files"
    }

    fn prepare(&self, args: Value) -> Value {
        match args {
            Value::Object(fields) => Value::Object(with_edit_list(fields)),
            other => other,
        }
    }

    fn kind(&self) -> Kind {
        Kind::Edit
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let path = args.get("path")?.as_str()?.to_string();
        Some(Intent::Edit { path, swaps: swaps(args), everywhere: false })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Edit { path, swaps, everywhere: false } = intent else { return None };
        let edits: Vec<Value> =
            swaps.iter().map(|swap| json!({"oldText": swap.old, "newText": swap.new})).collect();
        Some(json!({"path": path, "edits": edits}))
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let request = swap::Request {
                path: args::text(&call.args, "path").to_string(),
                swaps: swaps(&call.args),
                how: How::default(),
                read_first: false,
                makes: false,
                repeats: false,
            };
            swap::run(&call, &request).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let args = self.prepare(args.clone());
        swap::view(args::text(&args, "path"), &swaps(&args))
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::view(details).unwrap_or_else(|| ResultView::Text(text.to_string()))
    }
}

/// The forms that models send instead of a list: its JSON text, a single object, or the two
/// texts beside the path.
fn with_edit_list(mut fields: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::String(text)) = fields.get("edits")
        && let Ok(parsed @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(text)
    {
        fields.insert("edits".to_string(), parsed);
    }
    if let Some(single @ Value::Object(_)) = fields.get("edits").cloned() {
        fields.insert("edits".to_string(), json!([single]));
    }
    if let (Some(old), Some(new)) = (fields.get("oldText").cloned(), fields.get("newText").cloned()) {
        let legacy = json!({"oldText": old, "newText": new});
        match fields.get_mut("edits") {
            Some(Value::Array(list)) => list.push(legacy),
            _ => {
                fields.insert("edits".to_string(), json!([legacy]));
            }
        }
        fields.remove("oldText");
        fields.remove("newText");
    }
    fields
}

fn swaps(args: &Value) -> Vec<Swap> {
    let list = args.get("edits").and_then(Value::as_array);
    let swap = |value: &Value| Swap {
        old: args::text(value, "oldText").to_string(),
        new: args::text(value, "newText").to_string(),
    };
    list.into_iter().flatten().map(swap).collect()
}

#[cfg(test)]
mod tests;
