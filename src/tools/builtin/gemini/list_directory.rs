//! `list_directory`: what a folder holds.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::{FileKind, FindSpec, Selection};
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::output::limits::Limits;
use crate::tools::search::{gather, listing};
use crate::tools::{contract::args, files::paths, output::defaults};

/// The tool.
#[derive(Debug)]
pub struct ListDirectory;

impl Tool for ListDirectory {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "list_directory".to_string(),
            description:
                "List what is in a folder, folders first. Names that match ignore patterns are left out."
                    .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "dir_path": {"type": "string", "description": "The folder"},
                    "ignore": {"type": "array", "items": {"type": "string"}, "description": "Glob patterns of names to leave out"},
                    "file_filtering_options": {"type": "object", "description": "Which ignore files count", "properties": {"respect_git_ignore": {"type": "boolean", "description": "What .gitignore leaves out is left out (true)"}, "respect_gemini_ignore": {"type": "boolean", "description": "What .geminiignore leaves out is left out (true)"}}},
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
        args::listed(args::renamed(args, &[("path", "dir_path")]), "ignore")
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

async fn list(call: &Invocation) -> Result<Outcome, String> {
    let shown = args::text(&call.args, "dir_path");
    let root = paths::resolve(&*call.env, shown);
    let mut entries =
        listing::deep(&*call.env, &root, 1).await.map_err(|error| listing::cannot(shown, &error))?;
    let options = call.args.get("file_filtering_options").unwrap_or(&Value::Null);
    let yes = |name: &str| options.get(name).and_then(Value::as_bool).unwrap_or(true);
    // Everything on this level that the rules leave, folders too.
    let globs = std::iter::once("/*".to_string())
        .chain(args::texts(&call.args, "ignore").into_iter().map(|glob| format!("!{glob}")))
        .collect();
    let rule_files = yes("respect_gemini_ignore").then(|| ".geminiignore".to_string()).into_iter().collect();
    let ignored = !yes("respect_git_ignore");
    let files = Selection { globs, hidden: true, ignored, rule_files, ..Selection::default() };
    let (kept, done, late) = gather::paths(call, FindSpec { root, files, folders: true }).await?;
    let total = entries.len();
    entries.retain(|entry| entry.kind == FileKind::Other || kept.iter().any(|one| one.name == entry.name));
    entries.sort_by_key(|entry| entry.kind != FileKind::Folder);
    let line = |entry: &listing::Entry| {
        let mark = if entry.kind == FileKind::Folder { "[DIR] " } else { "" };
        format!("{mark}{}", gather::on_one_line(&entry.name))
    };
    let lines: Vec<String> = entries.iter().map(line).collect();
    let text = if lines.is_empty() {
        format!("The folder {shown} is empty.")
    } else {
        format!("What is in {shown}:\n{}", lines.join("\n"))
    };
    let mut remarks = gather::remarks(&done, late);
    if total > lines.len() {
        remarks.push(format!("{} ignored entries are left out.", total - lines.len()));
    }
    let details = json!({"entries": lines.len(), "ignored": total - lines.len()});
    Ok(Outcome::text(gather::with_remarks(text, &remarks)).details(details))
}
