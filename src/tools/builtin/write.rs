//! `write`: makes a file or replaces it whole.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::exec::{EnvError, Stamp};
use crate::llm::model::ToolSpec;
use crate::patch::diff::{self, LineDiff};
use crate::tools::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::view::{CallView, ResultView};
use crate::tools::{changes, limits, paths};

/// Times that a write starts again because somebody else changed the file meanwhile.
const TRIES: usize = 5;

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

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        write(call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let text = |name: &str| args.get(name).and_then(Value::as_str).map(str::to_string);
        CallView { title: text("path").unwrap_or_default(), body: text("content") }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::view(details).unwrap_or_else(|| ResultView::Text(text.to_string()))
    }
}

async fn write(call: Invocation) -> Outcome {
    let argument = |name: &str| call.args.get(name).and_then(Value::as_str).unwrap_or_default();
    let (shown, content) = (argument("path"), argument("content"));
    let path = paths::resolve(&*call.env, shown);
    for _ in 0..TRIES {
        if call.cancel.is_cancelled() {
            return Outcome::error("Interrupted; nothing was written.");
        }
        // The old content is only for the diff: a file that cannot be read can still be replaced.
        let before = match call.env.read(&path).await {
            Ok(data) => Some(data),
            Err(EnvError::NotFound(_)) => None,
            Err(error) => return Outcome::error(format!("Cannot write {error}")),
        };
        let expected = before.as_ref().map_or_else(Stamp::missing, |data| data.stamp.clone());
        match call.env.write(&path, content.as_bytes().to_vec(), Some(expected)).await {
            Ok(_) => {
                let old = before.as_ref().map(|data| String::from_utf8_lossy(&data.bytes));
                return outcome(shown, old.as_deref(), content);
            }
            Err(EnvError::Stale(_)) => {}
            Err(error) => return Outcome::error(format!("Cannot write {error}")),
        }
    }
    Outcome::error(format!("{shown} keeps being changed by somebody else; nothing was written. Try again."))
}

fn outcome(shown: &str, old: Option<&str>, new: &str) -> Outcome {
    let what = if old.is_some() { "Replaced" } else { "Made" };
    let lines = limits::count_lines(new);
    let text = format!("{what} {shown} ({lines} lines, {}).", limits::size(new.len()));
    let diff: LineDiff = diff::lines(old.unwrap_or(""), new);
    let mut details = changes::details(&diff);
    details["created"] = json!(old.is_none());
    Outcome::text(text).details(details)
}

#[cfg(test)]
mod tests;
