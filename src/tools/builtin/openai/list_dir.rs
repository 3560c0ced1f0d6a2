//! `list_dir`: what a folder holds, some levels deep.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::FileKind;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::output::limits::Limits;
use crate::tools::search::{gather, listing};
use crate::tools::{contract::args, files::paths, output::defaults};

/// The tool.
#[derive(Debug)]
pub struct ListDir;

impl Tool for ListDir {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "list_dir".to_string(),
            description: "List what is in a folder and in the folders below it, each level indented; folders end with a slash."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "dir_path": {"type": "string", "description": "The folder"},
                    "offset": {"type": "number", "description": "First entry to show, counted from 1"},
                    "limit": {"type": "number", "description": "Entries to show at most (25)"},
                    "depth": {"type": "number", "description": "Levels to go down (2)"},
                },
                "required": ["dir_path"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn kind(&self) -> Kind {
        Kind::Ls
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        Some(Intent::Ls { path: Some(args.get("dir_path")?.as_str()?.to_string()) })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Ls { path } = intent else { return None };
        Some(json!({"dir_path": path.as_deref().unwrap_or(".")}))
    }

    fn limits(&self) -> Option<Limits> {
        Some(defaults::GLOB)
    }

    fn snippet(&self) -> &'static str {
        "List folders"
    }

    fn prepare(&self, args: Value) -> Value {
        args::renamed(args, &[("path", "dir_path")])
    }

    fn target(&self, args: &Value) -> String {
        args::text(args, "dir_path").to_string()
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { list(&call).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: args::text(args, "dir_path").to_string(), body: None }
    }
}

/// Entries that one call gives, and levels that it goes down, unless it asks for more, as in codex.
const LIMIT: usize = 25;
const DEPTH: usize = 2;

async fn list(call: &Invocation) -> Result<Outcome, String> {
    let shown = args::text(&call.args, "dir_path");
    let root = paths::resolve(&*call.env, shown);
    let number = |name: &str, usual: usize| args::from_one(&call.args, name).unwrap_or(usual);
    let (first, limit, depth) = (number("offset", 1), number("limit", LIMIT), number("depth", DEPTH));
    let entries =
        listing::deep(&*call.env, &root, depth).await.map_err(|error| listing::cannot(shown, &error))?;
    if call.cancel.is_cancelled() {
        return Err("Interrupted.".to_string());
    }
    if first > entries.len().max(1) {
        return Err(format!(
            "Offset {first} is beyond the end of {shown}, which has {} entries.",
            entries.len()
        ));
    }
    let line = |entry: &listing::Entry| {
        let slash = if entry.kind == FileKind::Folder { "/" } else { "" };
        format!("{}{}{slash}", "  ".repeat(entry.depth), gather::on_one_line(&entry.name))
    };
    let mut lines = vec![format!("Absolute path: {}", root.display())];
    lines.extend(entries.iter().skip(first - 1).take(limit).map(line));
    let last = entries.len().min(first - 1 + limit);
    let mut remarks = Vec::new();
    if last < entries.len() {
        remarks.push(format!("Entries {first}-{last} of {}. Go on with offset={}.", entries.len(), last + 1));
    }
    let details = json!({"entries": entries.len(), "entryLimitReached": last < entries.len()});
    Ok(Outcome::text(gather::with_remarks(lines.join("\n"), &remarks)).details(details))
}
