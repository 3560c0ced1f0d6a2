//! `grep`: looks for text in files.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::{SearchSpec, Selection};
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::search::gather;
use crate::tools::{contract::args, files::paths, output::limits};

/// The tool.
#[derive(Debug)]
pub struct Grep;

impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "grep".to_string(),
            description: "Look for a regular expression in files; hidden files count, what .gitignore leaves out does not. Gives \
                 `file:line: text`, lines around a match as `file-line- text`."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "A regular expression, or a text with literal"},
                    "path": {"type": "string", "description": "A folder or a file (the working folder)"},
                    "glob": {"type": "string", "description": "Which files, such as `*.ts`, relative to path"},
                    "ignoreCase": {"type": "boolean", "description": "Whether case is overlooked (false)"},
                    "literal": {"type": "boolean", "description": "Whether the pattern is a text (false)"},
                    "context": {"type": "number", "description": "Lines to show before and after each match (0)"},
                    "limit": {"type": "number", "description": "Matches to give at most (100)"},
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
            glob: args::some_text(args, "glob"),
        })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Grep { pattern, path, glob } = intent else { return None };
        Some(args::object([("pattern", json!(pattern)), ("path", json!(path)), ("glob", json!(glob))]))
    }

    fn snippet(&self) -> &'static str {
        "Look for text in files"
    }

    fn by_default(&self) -> bool {
        false
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

/// Matches that one call gives unless it asks for more, as in pi.
const LIMIT: usize = 100;

async fn grep(call: &Invocation) -> Result<Outcome, String> {
    let limit = args::from_one(&call.args, "limit").unwrap_or(LIMIT);
    let context = args::number(&call.args, "context").unwrap_or(0);
    let spec = SearchSpec {
        root: paths::resolve(&*call.env, &args::some_text(&call.args, "path").unwrap_or_else(|| ".".into())),
        pattern: args::text(&call.args, "pattern").to_string(),
        literal: args::flag(&call.args, "literal"),
        ignore_case: args::flag(&call.args, "ignoreCase"),
        files: Selection {
            globs: args::some_text(&call.args, "glob").into_iter().collect(),
            hidden: true,
            ..Selection::default()
        },
        before: context,
        after: context,
        ..SearchSpec::default()
    };
    let found = gather::lines(call, spec, limit).await?;
    let mut lines = Vec::new();
    let mut cuts = false;
    for file in &found.files {
        let name = gather::on_one_line(&file.name);
        for line in &file.lines {
            let (text, cut) = gather::cut(&line.text);
            cuts |= cut;
            let sign = if line.matches { ':' } else { '-' };
            lines.push(format!("{name}{sign}{}{sign} {text}", line.number));
        }
    }
    let text = lines.join("\n");
    let cut = limits::head(&text, usize::MAX, limits::BYTES_MAX);
    let mut remarks = gather::remarks(&found.done, found.late);
    if found.more {
        remarks.push(format!("The first {limit} matches. Use a larger limit or a narrower pattern."));
    }
    if cut.by.is_some() {
        remarks.push("Cut at 50 KB. Use a narrower pattern.".to_string());
    }
    if cuts {
        remarks.push("Lines of more than 500 characters are cut; read the file to see them.".to_string());
    }
    let text = if lines.is_empty() { "No matches found.".to_string() } else { cut.text.to_string() };
    let details = json!({"count": found.count, "matchLimitReached": found.more, "linesTruncated": cuts});
    Ok(Outcome::text(gather::with_remarks(text, &remarks)).details(details))
}
