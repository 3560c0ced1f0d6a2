//! Applies a patch in v4a format: adds, deletes, moves and updates files.
//!
//! Must not know other tools. The patch is parsed by `patch::v4a`. As models expect, it is not atomic:
//! sections before a failed one stay applied, and the result says so.

mod steps;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::{Grammar, GrammarSyntax};
use crate::patch::v4a::{self, Kind, Outline, Section};
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::intent::{self, Intent};
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::files::changes::{self, ChangedFile};

/// The grammar of the input for providers that can enforce it; others send it as JSON.
const GRAMMAR: &str = include_str!("../../../../../assets/grammars/apply_patch.lark");

/// The action.
#[derive(Debug)]
pub struct ApplyPatch;

impl Action for ApplyPatch {
    fn grammar(&self) -> Option<Grammar> {
        Some(Grammar { syntax: GrammarSyntax::Lark, definition: GRAMMAR.to_string() })
    }

    /// Returns all paths of the patch; empty for an invalid patch, which changes no file.
    fn targets(&self, args: &Value) -> Vec<String> {
        let sections = v4a::parse::parse(input(args)).unwrap_or_default();
        let mut paths: Vec<String> = Vec::new();
        for path in sections.iter().flat_map(Section::paths) {
            if !paths.iter().any(|known| known == path) {
                paths.push(path.to_string());
            }
        }
        paths
    }

    fn kind(&self) -> intent::Kind {
        intent::Kind::Patch
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        Some(Intent::Patch { patch: args.get("input")?.as_str()?.to_string() })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Patch { patch } = intent else { return None };
        Some(json!({"input": patch}))
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        apply(call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let patch = input(args);
        let mut outline = Outline::default();
        outline.feed(patch);
        outline.feed("\n");
        let files: Vec<String> = outline.files().iter().map(title).collect();
        CallView {
            title: files.join(", "),
            body: (!patch.is_empty()).then(|| patch.to_string()),
            ..CallView::default()
        }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::files_view(details).unwrap_or_else(|| ResultView::Text(text.to_string()))
    }
}

fn input(args: &Value) -> &str {
    args.get("input").and_then(Value::as_str).unwrap_or_default()
}

/// Returns a short description of a file of the patch.
fn title(file: &v4a::outline::FileOutline) -> String {
    let to = file.to.as_ref().map(|to| format!(" → {to}")).unwrap_or_default();
    let count = match file.kind {
        Kind::Delete => "deleted".to_string(),
        Kind::Add => format!("+{}", file.added),
        Kind::Update => format!("+{} −{}", file.added, file.removed),
    };
    format!("{}{to} {count}", file.path)
}

async fn apply(call: Invocation) -> Outcome {
    let sections = match v4a::parse::parse(input(&call.args)) {
        Ok(sections) => sections,
        Err(error) => return Outcome::error(format!("Nothing was changed: {error}.")),
    };
    let mut applied: Vec<ChangedFile> = Vec::with_capacity(sections.len());
    for section in &sections {
        let step = if call.cancel.is_cancelled() {
            Err("Interrupted".to_string())
        } else {
            steps::apply(&call, section).await
        };
        match step {
            Ok(step) => applied.push(step),
            Err(message) => return failed(&message, &applied, &sections),
        }
    }
    let text = format!("Applied the patch:\n{}", applied_list(&applied));
    Outcome::text(text).details(changes::files_details(&applied))
}

/// Returns one line per file.
fn applied_list(applied: &[ChangedFile]) -> String {
    applied.iter().map(ChangedFile::line).collect::<Vec<_>>().join("\n")
}

/// Returns an error message: what failed, what was applied before, and what was not attempted.
fn failed(reason: &str, applied: &[ChangedFile], sections: &[Section]) -> Outcome {
    let mut text = format!("{reason}.");
    if applied.is_empty() {
        text.push_str("\nNothing was changed.");
    } else {
        text.push_str("\nThese sections before it were applied and stay; do not send them again:\n");
        text.push_str(&applied_list(applied));
    }
    let remaining: Vec<&str> = sections.iter().skip(applied.len() + 1).map(Section::path).collect();
    if !remaining.is_empty() {
        text.push_str("\nNot tried: ");
        text.push_str(&remaining.join(", "));
    }
    let files: Vec<Value> = applied.iter().map(ChangedFile::details).collect();
    Outcome::error(text).details(json!({"applied": files}))
}

#[cfg(test)]
mod tests;
