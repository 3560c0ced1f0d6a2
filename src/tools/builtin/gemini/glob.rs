//! `glob`: finds files by name.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::clock::SystemClock;
use crate::base::json::json;
use crate::base::names::shown;
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
            description: "Find files whose paths match a glob pattern such as `src/**/*.ts`. Gives absolute paths: what changed in the \
                 last 24 hours first, the newest at the top, then the rest by name."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "The glob pattern, relative to dir_path"},
                    "dir_path": {"type": "string", "description": "The folder (the working folder)"},
                    "case_sensitive": {"type": "boolean", "description": "Whether upper and lower case differ (false)"},
                    "respect_git_ignore": {"type": "boolean", "description": "What .gitignore leaves out is left out (true)"},
                    "respect_gemini_ignore": {"type": "boolean", "description": "What .geminiignore leaves out is left out (true)"},
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
        Some(Intent::Find { pattern, path: args::some_text(args, "dir_path") })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Find { pattern, path } = intent else { return None };
        Some(args::object([("pattern", json!(pattern)), ("dir_path", json!(path))]))
    }

    fn limits(&self) -> Option<Limits> {
        Some(defaults::GLOB)
    }

    fn snippet(&self) -> &'static str {
        "Find files by name"
    }

    fn prepare(&self, args: Value) -> Value {
        args::renamed(args, &[("path", "dir_path")])
    }

    fn target(&self, args: &Value) -> String {
        args::some_text(args, "dir_path").unwrap_or_else(|| ".".to_string())
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { glob(&call).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: args::text(args, "pattern").to_string(), body: args::some_text(args, "dir_path") }
    }
}

async fn glob(call: &Invocation) -> Result<Outcome, String> {
    let folder = args::some_text(&call.args, "dir_path").unwrap_or_else(|| ".".into());
    let root = paths::resolve(&*call.env, &folder);
    let yes = |name: &str| call.args.get(name).and_then(Value::as_bool).unwrap_or(true);
    let pattern = args::text(&call.args, "pattern").trim_start_matches("./");
    let files = Selection {
        // A pattern without a slash is for this folder alone.
        globs: vec![format!("/{}", pattern.trim_start_matches('/'))],
        ignore_case: !args::flag(&call.args, "case_sensitive"),
        hidden: true,
        ignored: !yes("respect_git_ignore"),
        rule_files: yes("respect_gemini_ignore").then(|| ".geminiignore".to_string()).into_iter().collect(),
        ..Selection::default()
    };
    let (mut found, done, late) = gather::paths(call, FindSpec { root, files, folders: false }).await?;
    names::recent_first(&mut found, SystemClock::shared().now_ms());
    let all: Vec<String> = found.iter().map(|one| gather::on_one_line(&shown(&one.path))).collect();
    let text = match all.len() {
        0 => format!("No files match {pattern:?} in {folder}."),
        1 => format!("1 file matches {pattern:?} in {folder}:\n{}", all[0]),
        count => format!(
            "{count} files match {pattern:?} in {folder}, the last changed first:\n{}",
            all.join("\n")
        ),
    };
    let text = gather::with_remarks(text, &gather::remarks(&done, late));
    Ok(Outcome::text(text).details(json!({"count": all.len()})))
}
