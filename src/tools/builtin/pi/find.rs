//! `find`: finds files and folders by name.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::{FindSpec, Selection};
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::search::gather;
use crate::tools::{contract::args, files::paths, output::limits};

/// The tool.
#[derive(Debug)]
pub struct Find;

impl Tool for Find {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "find".to_string(),
            description: "Find files and folders by a glob pattern, such as `*.ts` anywhere or `src/**/*.ts`. Gives paths relative to \
                 the folder; folders end with a slash. What .gitignore leaves out is not found."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "The glob pattern"},
                    "path": {"type": "string", "description": "The folder (the working folder)"},
                    "limit": {"type": "number", "description": "Paths to give at most (1000)"},
                },
                "required": ["pattern"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn kind(&self) -> Kind {
        Kind::Find
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let pattern = args.get("pattern")?.as_str()?.to_string();
        Some(Intent::Find { pattern, path: args::some_text(args, "path") })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Find { pattern, path } = intent else { return None };
        Some(args::object([("pattern", json!(pattern)), ("path", json!(path))]))
    }

    fn snippet(&self) -> &'static str {
        "Find files by name"
    }

    fn by_default(&self) -> bool {
        false
    }

    fn target(&self, args: &Value) -> String {
        args::some_text(args, "path").unwrap_or_else(|| ".".to_string())
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { find(&call).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: args::text(args, "pattern").to_string(), body: args::some_text(args, "path") }
    }
}

/// Paths that one call gives unless it asks for more, as in pi.
const LIMIT: usize = 1000;

async fn find(call: &Invocation) -> Result<Outcome, String> {
    let root = paths::resolve(&*call.env, &args::some_text(&call.args, "path").unwrap_or_else(|| ".".into()));
    let limit = args::from_one(&call.args, "limit").unwrap_or(LIMIT);
    let pattern = args::text(&call.args, "pattern");
    // A path may begin anywhere, unless it says where.
    let anywhere = pattern.contains('/') && !pattern.starts_with(['/', '.']) && !pattern.starts_with("**/");
    let glob = if anywhere { format!("**/{pattern}") } else { pattern.to_string() };
    let files = Selection { globs: vec![glob], hidden: true, ..Selection::default() };
    let (found, done, late) = gather::paths(call, FindSpec { root, files, folders: true }).await?;
    let slash = |folder: bool| if folder { "/" } else { "" };
    let name = |one: &crate::exec::FoundPath| gather::on_one_line(&one.name) + slash(one.folder);
    let text = found.iter().take(limit).map(name).collect::<Vec<_>>().join("\n");
    let cut = limits::head(&text, usize::MAX, limits::BYTES_MAX);
    let mut remarks = gather::remarks(&done, late);
    if found.len() > limit {
        remarks.push(format!(
            "The first {limit} of {} paths. Use a larger limit or a narrower pattern.",
            found.len()
        ));
    }
    if cut.by.is_some() {
        remarks.push("Cut at 50 KB. Use a narrower pattern.".to_string());
    }
    let text = if found.is_empty() { "No files found.".to_string() } else { cut.text.trim_end().to_string() };
    let details = json!({"count": found.len(), "resultLimitReached": found.len() > limit});
    Ok(Outcome::text(gather::with_remarks(text, &remarks)).details(details))
}
