//! `grep_search`: looks for text in files.
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
use crate::tools::search::gather::{self, Gathered};
use crate::tools::{contract::args, files::paths, output::defaults};
use regex::Regex;

/// The tool.
#[derive(Debug)]
pub struct GrepSearch;

impl Tool for GrepSearch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "grep_search".to_string(),
            description: "Look for a regular expression in files. Gives a block for each file, with `L12:` before lines that match \
                 and `L11-` before lines around them."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "The regular expression, or a text with fixed_strings"},
                    "dir_path": {"type": "string", "description": "A folder or a file (the working folder)"},
                    "include_pattern": {"type": "string", "description": "Which files, such as `*.{ts,tsx}`"},
                    "exclude_pattern": {"type": "string", "description": "A regular expression; lines that it matches are left out"},
                    "names_only": {"type": "boolean", "description": "Give only the paths of files"},
                    "max_matches_per_file": {"type": "integer", "description": "Matches of one file at most", "minimum": 1},
                    "total_max_matches": {"type": "integer", "description": "Matches at most (100)", "minimum": 1},
                    "case_sensitive": {"type": "boolean", "description": "Whether upper and lower case differ (false)"},
                    "fixed_strings": {"type": "boolean", "description": "Whether the pattern is a text (false)"},
                    "context": {"type": "integer", "description": "Lines to show before and after each match"},
                    "after": {"type": "integer", "description": "Lines to show after each match"},
                    "before": {"type": "integer", "description": "Lines to show before each match"},
                    "no_ignore": {"type": "boolean", "description": "Search what .gitignore leaves out, too (false)"},
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
            path: args::some_text(args, "dir_path"),
            glob: args::some_text(args, "include_pattern"),
        })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Grep { pattern, path, glob } = intent else { return None };
        Some(args::object([
            ("pattern", json!(pattern)),
            ("dir_path", json!(path)),
            ("include_pattern", json!(glob)),
        ]))
    }

    fn limits(&self) -> Option<Limits> {
        Some(defaults::GREP)
    }

    fn snippet(&self) -> &'static str {
        "Look for text in files"
    }

    fn prepare(&self, args: Value) -> Value {
        args::renamed(args, &[("path", "dir_path"), ("include", "include_pattern")])
    }

    fn target(&self, args: &Value) -> String {
        args::some_text(args, "dir_path").unwrap_or_else(|| ".".to_string())
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { grep(&call).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: args::text(args, "pattern").to_string(), body: args::some_text(args, "dir_path") }
    }
}

/// Matches that one call gives unless it asks for more, as in gemini-cli.
const LIMIT: usize = 100;
/// Matches that are gathered where some of them are to be left out.
const GATHERED_MAX: usize = 10_000;

fn spec(call: &Invocation) -> SearchSpec {
    let folder = args::some_text(&call.args, "dir_path").unwrap_or_else(|| ".".into());
    let around = args::number(&call.args, "context").unwrap_or(0);
    let ignored = args::flag(&call.args, "no_ignore");
    SearchSpec {
        root: paths::resolve(&*call.env, &folder),
        pattern: args::text(&call.args, "pattern").to_string(),
        literal: args::flag(&call.args, "fixed_strings"),
        ignore_case: !args::flag(&call.args, "case_sensitive"),
        files: Selection {
            globs: args::some_text(&call.args, "include_pattern").into_iter().collect(),
            hidden: true,
            ignored,
            rule_files: if ignored { Vec::new() } else { vec![".geminiignore".to_string()] },
            ..Selection::default()
        },
        before: args::number(&call.args, "before").unwrap_or(around),
        after: args::number(&call.args, "after").unwrap_or(around),
        want: if args::flag(&call.args, "names_only") { Want::Files } else { Want::Lines },
        most_per_file: args::from_one(&call.args, "max_matches_per_file"),
        ..SearchSpec::default()
    }
}

async fn grep(call: &Invocation) -> Result<Outcome, String> {
    let spec = spec(call);
    let limit = args::from_one(&call.args, "total_max_matches").unwrap_or(LIMIT);
    let but = args::some_text(&call.args, "exclude_pattern")
        .map(|but| Regex::new(&but).map_err(|error| format!("exclude_pattern cannot be used: {error}")))
        .transpose()?;
    let most = if but.is_some() { limit.max(GATHERED_MAX) } else { limit };
    let mut found = gather::lines(call, spec.clone(), most).await?;
    // Few matches are worth their surroundings: who asks would read them next.
    let plain = spec.want == Want::Lines && spec.before + spec.after == 0 && but.is_none();
    let around = match found.count {
        1 => 50,
        2 | 3 => 15,
        _ => 0,
    };
    if plain && around > 0 && call.args.get("context").is_none() {
        let spec = SearchSpec { before: around, after: around, ..spec.clone() };
        found = gather::lines(call, spec, limit).await?;
    }
    if let Some(but) = but {
        leave_out(&mut found, &but, limit);
    }
    Ok(shown(call, &spec, &found, limit))
}

/// Leaves lines out, and what is too much of the rest.
fn leave_out(found: &mut Gathered, but: &Regex, limit: usize) {
    let mut left = limit;
    for file in &mut found.files {
        file.lines.retain(|line| {
            let stays = !line.matches || !but.is_match(&line.text) && left > 0;
            left -= usize::from(stays && line.matches);
            stays
        });
        file.count = file.lines.iter().filter(|line| line.matches).count();
    }
    found.files.retain(|file| file.count > 0);
    found.count = found.files.iter().map(|file| file.count).sum();
    found.more |= left == 0;
}

fn shown(call: &Invocation, spec: &SearchSpec, found: &Gathered, limit: usize) -> Outcome {
    let name = |file: &crate::exec::FileMatches| gather::shown(&*call.env, &file.path);
    let folder = gather::shown(&*call.env, &spec.root);
    let of = format!("{:?} in {}", spec.pattern, if folder.is_empty() { "the workspace" } else { &folder });
    let mut remarks = gather::remarks(&found.done, found.late);
    if found.more {
        remarks.push(format!("Only the first {limit} matches. Use a narrower pattern or folder."));
    }
    let text = if found.files.is_empty() {
        format!("No matches for {of}.")
    } else if spec.want == Want::Files {
        let names: Vec<String> = found.files.iter().map(name).collect();
        format!("{} files with matches for {of}:\n{}", names.len(), names.join("\n"))
    } else {
        let plural = if found.count == 1 { "match" } else { "matches" };
        let mut text = format!("{} {plural} for {of}:\n---\n", found.count);
        for file in &found.files {
            text.push_str(&format!("File: {}\n", name(file)));
            for line in &file.lines {
                let sign = if line.matches { ':' } else { '-' };
                text.push_str(&format!("L{}{sign} {}\n", line.number, gather::cut(&line.text).0));
            }
            text.push_str("---\n");
        }
        text.trim_end().to_string()
    };
    let details = json!({"files": found.files.len(), "count": found.count});
    Outcome::text(gather::with_remarks(text, &remarks)).details(details)
}
