//! `edit`: replaces exact pieces of a file.
//!
//! Must not know other tools. Matching is `patch`'s; when the file changes between reading and
//! writing, everything is matched again against what is there now.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use crate::exec::EnvError;
use crate::llm::model::ToolSpec;
use crate::patch::diff;
use crate::patch::replace::{self, Change};
use crate::tools::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::view::{CallView, ResultView};
use crate::tools::{changes, paths};

/// Times that an edit starts again because somebody else changed the file meanwhile.
const TRIES: usize = 5;

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

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        edit(call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let args = self.prepare(args.clone());
        let title = args.get("path").and_then(Value::as_str).unwrap_or_default().to_string();
        let body: String = change_list(&args).iter().map(marked).collect();
        CallView { title, body: (!body.is_empty()).then_some(body) }
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

fn change_list(args: &Value) -> Vec<Change> {
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_string();
    let list = args.get("edits").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .map(|value| Change { old: text(value, "oldText"), new: text(value, "newText") })
        .collect()
}

/// A change as `-` and `+` lines.
fn marked(change: &Change) -> String {
    let old = change.old.lines().map(|line| ["-", line, "\n"]);
    let new = change.new.lines().map(|line| ["+", line, "\n"]);
    old.chain(new).flatten().collect()
}

async fn edit(call: Invocation) -> Outcome {
    let shown = call.args.get("path").and_then(Value::as_str).unwrap_or_default();
    let path = paths::resolve(&*call.env, shown);
    let wanted = change_list(&call.args);
    for _ in 0..TRIES {
        let data = match call.env.read(&path).await {
            Ok(data) => data,
            Err(error) => return Outcome::error(format!("Cannot edit {error}")),
        };
        let Ok(before) = String::from_utf8(data.bytes) else {
            return Outcome::error(format!(
                "Cannot edit {shown}: it is not UTF-8 text. Use bash to change it."
            ));
        };
        let after = match replace::apply(&before, &wanted) {
            Ok(after) => after,
            Err(error) => return Outcome::error(format!("Cannot edit {shown}: {error}.")),
        };
        if call.cancel.is_cancelled() {
            return Outcome::error("Interrupted; nothing was written.");
        }
        match call.env.write(&path, after.text.clone().into_bytes(), Some(data.stamp)).await {
            Ok(_) => return outcome(shown, wanted.len(), &before, &after),
            Err(EnvError::Stale(_)) => {}
            Err(error) => return Outcome::error(format!("Cannot edit {error}")),
        }
    }
    Outcome::error(format!("{shown} keeps being changed by somebody else; nothing was written. Try again."))
}

fn outcome(shown: &str, count: usize, before: &str, after: &replace::Replacement) -> Outcome {
    let diff = diff::lines(before, &after.text);
    let plural = if count == 1 { "piece" } else { "pieces" };
    let mut text = format!("Replaced {count} {plural} in {shown} (+{} -{} lines).", diff.added, diff.removed);
    if after.tolerant > 0 {
        text.push_str(" Trailing blanks differed from the given old text.");
    }
    Outcome::text(text).details(changes::details(&diff))
}

#[cfg(test)]
mod tests;
