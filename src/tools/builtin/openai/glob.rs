//! `glob`: finds files by name.
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
use crate::tools::output::limits::Limits;
use crate::tools::search::{gather, names};
use crate::tools::{contract::args, files::paths, output::defaults};

/// The tool.
#[derive(Debug)]
pub struct Glob;

impl Tool for Glob {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "glob".to_string(),
            description: "Find files whose paths match a glob pattern such as `**/*.ts`, the last changed first. What .gitignore leaves \
                 out is not found."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "The glob pattern, relative to path"},
                    "path": {"type": "string", "description": "The folder (the working folder)"},
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

    fn limits(&self) -> Option<Limits> {
        Some(defaults::GLOB)
    }

    fn snippet(&self) -> &'static str {
        "Find files by name"
    }

    fn prepare(&self, args: Value) -> Value {
        args::renamed(args, &[("dir_path", "path"), ("glob", "pattern")])
    }

    fn target(&self, args: &Value) -> String {
        args::some_text(args, "path").unwrap_or_else(|| ".".to_string())
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { glob(&call).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: args::text(args, "pattern").to_string(), body: args::some_text(args, "path") }
    }
}

async fn glob(call: &Invocation) -> Result<Outcome, String> {
    let root = paths::resolve(&*call.env, &args::some_text(&call.args, "path").unwrap_or_else(|| ".".into()));
    let globs = vec![args::text(&call.args, "pattern").to_string()];
    let files = Selection { globs, hidden: true, ..Selection::default() };
    let (mut found, done, late) = gather::paths(call, FindSpec { root, files, folders: false }).await?;
    names::newest_first(&mut found);
    let all: Vec<String> = found.iter().map(|one| gather::shown(&*call.env, &one.path)).collect();
    let text = if all.is_empty() { "No files found.".to_string() } else { all.join("\n") };
    let text = gather::with_remarks(text, &gather::remarks(&done, late));
    Ok(Outcome::text(text).details(json!({"count": all.len()})))
}
