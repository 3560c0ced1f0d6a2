//! Edits a file by replacing exact texts.
//!
//! Must not know other tools. The work is in `editing`.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::base::json::json;
use crate::patch::passes::Tolerance;
use crate::patch::replace::ReplaceOptions;
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::args;
use crate::tools::contract::intent::{Intent, Kind, TextReplacement};
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::editing::replace;
use crate::tools::files::changes;

/// The action.
#[derive(Debug)]
pub struct Edit {
    /// The argument with the path.
    pub path: &'static str,
    /// The arguments with the texts.
    pub form: Form,
    /// How far an old text may differ from the file's content.
    pub tolerance: Tolerance,
    /// Whether the file must have been read before.
    pub read_first: bool,
    /// Whether an empty old text creates a missing file.
    pub creates: bool,
    /// Whether the result repeats the lines that changed.
    pub repeats_lines: bool,
}

/// The form of replacements in a call.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// `edits`, a list of objects with `oldText` and `newText`.
    List,
    /// `old_string` and `new_string`.
    Pair {
        /// The argument that requests replacing all occurrences.
        everywhere: &'static str,
        /// Whether a sentence in `instruction` is required. It is not displayed.
        instruction: bool,
    },
}

impl Edit {
    fn swaps(&self, args: &Value) -> Vec<TextReplacement> {
        let to_replacement = |value: &Value, old: &str, new: &str| TextReplacement {
            old: args::text(value, old).to_string(),
            new: args::text(value, new).to_string(),
        };
        match self.form {
            Form::List => {
                let list = args.get("edits").and_then(Value::as_array);
                list.into_iter().flatten().map(|edit| to_replacement(edit, "oldText", "newText")).collect()
            }
            Form::Pair { .. } => vec![to_replacement(args, "old_string", "new_string")],
        }
    }

    fn everywhere(&self, args: &Value) -> bool {
        matches!(self.form, Form::Pair { everywhere, .. } if args::flag(args, everywhere))
    }
}

impl Action for Edit {
    fn kind(&self) -> Kind {
        Kind::Edit
    }

    fn prepare(&self, args: Value) -> Value {
        match (self.form, args) {
            (Form::List, Value::Object(fields)) => Value::Object(with_list(fields)),
            (Form::Pair { everywhere, instruction: true }, Value::Object(fields)) => {
                Value::Object(with_instruction(fields, everywhere))
            }
            (_, other) => other,
        }
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let path = args.get(self.path)?.as_str()?.to_string();
        if let Form::Pair { .. } = self.form {
            args.get("old_string").zip(args.get("new_string"))?;
        }
        Some(Intent::Edit { path, swaps: self.swaps(args), everywhere: self.everywhere(args) })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Edit { path, swaps: replacements, everywhere } = intent else { return None };
        match (self.form, &replacements[..]) {
            (Form::List, replacements) if !everywhere => {
                let edit = |replacement: &TextReplacement| json!({"oldText": replacement.old, "newText": replacement.new});
                let edits: Vec<Value> = replacements.iter().map(edit).collect();
                Some(args::object([(self.path, json!(path)), ("edits", json!(edits))]))
            }
            (Form::Pair { everywhere: flag, instruction }, [one]) => Some(args::object([
                (self.path, json!(path)),
                ("instruction", json!(instruction.then_some("Change this text."))),
                ("old_string", json!(one.old)),
                ("new_string", json!(one.new)),
                (flag, json!(everywhere.then_some(true))),
            ])),
            _ => None,
        }
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        vec![args::text(args, self.path).to_string()]
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let request = replace::ReplaceRequest {
                path: args::text(&call.args, self.path).to_string(),
                swaps: self.swaps(&call.args),
                how: ReplaceOptions { tolerance: self.tolerance, everywhere: self.everywhere(&call.args) },
                read_first: self.read_first,
                creates: self.creates,
                repeats_lines: self.repeats_lines,
            };
            replace::run(&call, &request).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        replace::view(args::text(args, self.path), &self.swaps(args))
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::view_or(text, details)
    }
}

/// Normalizes forms that models send instead of a list: its JSON text, a single object, or the two texts
/// beside the path.
fn with_list(mut fields: Map<String, Value>) -> Map<String, Value> {
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

/// Normalizes arguments for an older version of the tool: a replacement count, and a missing instruction.
fn with_instruction(mut fields: Map<String, Value>, everywhere: &str) -> Map<String, Value> {
    let expected = fields.remove("expected_replacements").and_then(|count| count.as_u64());
    if expected.is_some_and(|count| count > 1) {
        fields.entry(everywhere).or_insert(json!(true));
    }
    fields.entry("instruction").or_insert(json!(""));
    fields
}

#[cfg(test)]
mod tests;
