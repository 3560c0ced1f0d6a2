//! `grep_files`: finds files that hold a text.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::{SearchSpec, Selection, Want};
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::output::limits::Limits;
use crate::tools::search::gather;
use crate::tools::{contract::args, files::paths, output::defaults};

/// The tool.
#[derive(Debug)]
pub struct GrepFiles;

impl Tool for GrepFiles {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "grep_files".to_string(),
            description: "Find the files that hold a match of a regular expression; gives their paths, the last changed first."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "The regular expression"},
                    "include": {"type": "string", "description": "Which files, such as `*.rs` or `*.{ts,tsx}`"},
                    "path": {"type": "string", "description": "A folder or a file (the working folder)"},
                    "limit": {"type": "number", "description": "Paths to give at most (100)"},
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
        Kind::Grep
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let pattern = args.get("pattern")?.as_str()?.to_string();
        Some(Intent::Grep {
            pattern,
            path: args::some_text(args, "path"),
            glob: args::some_text(args, "include"),
        })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Grep { pattern, path, glob } = intent else { return None };
        Some(args::object([("pattern", json!(pattern)), ("include", json!(glob)), ("path", json!(path))]))
    }

    fn limits(&self) -> Option<Limits> {
        Some(defaults::GREP)
    }

    fn snippet(&self) -> &'static str {
        "Find files that hold a text"
    }

    fn prepare(&self, args: Value) -> Value {
        args::renamed(args, &[("glob", "include"), ("glob_filter", "include")])
    }

    fn target(&self, args: &Value) -> String {
        args::some_text(args, "path").unwrap_or_else(|| ".".to_string())
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { grep(&call).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: args::text(args, "pattern").to_string(), body: args::some_text(args, "path") }
    }
}

/// Paths that one call gives unless it asks for more, and at most, as in codex.
const LIMIT: usize = 100;
const LIMIT_MAX: usize = 2000;

async fn grep(call: &Invocation) -> Result<Outcome, String> {
    let limit = args::from_one(&call.args, "limit").unwrap_or(LIMIT).min(LIMIT_MAX);
    let globs = args::some_text(&call.args, "include").into_iter().collect();
    let spec = SearchSpec {
        root: paths::resolve(&*call.env, &args::some_text(&call.args, "path").unwrap_or_else(|| ".".into())),
        pattern: args::text(&call.args, "pattern").to_string(),
        files: Selection { globs, hidden: false, ..Selection::default() },
        want: Want::Files,
        ..SearchSpec::default()
    };
    // Which are the last changed is known when all are.
    let mut found = gather::lines(call, spec, usize::MAX).await?;
    found.files.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
    let paths: Vec<String> =
        found.files.iter().take(limit).map(|file| gather::shown(&*call.env, &file.path)).collect();
    let text = if paths.is_empty() { "No matches found.".to_string() } else { paths.join("\n") };
    let mut remarks = gather::remarks(&found.done, found.late);
    if found.files.len() > limit {
        remarks.push(format!("The first {limit} of {} files.", found.files.len()));
    }
    Ok(Outcome::text(gather::with_remarks(text, &remarks)).details(json!({"count": found.files.len()})))
}
