//! `Grep`: looks for text in files.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::{FileMatches, SearchSpec, Selection, Want};
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::output::limits::Limits;
use crate::tools::search::gather::{self, Gathered};
use crate::tools::{contract::args, files::paths, output::defaults};

/// The tool.
#[derive(Debug)]
pub struct Grep;

impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Grep".to_string(),
            description: "Look for a regular expression (syntax of Rust) in files; what .gitignore leaves out is not searched. Gives \
                 the paths of files, or with output_mode `content` their lines, or with `count` how many lines match."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "description": "The regular expression"},
                    "path": {"type": "string", "description": "A folder or a file (the working folder)"},
                    "glob": {"type": "string", "description": "Which files, such as `*.js` or `*.{ts,tsx}`"},
                    "type": {"type": "string", "description": "Which kind of files, such as js, py, rust or go"},
                    "output_mode": {"type": "string", "enum": ["content", "files_with_matches", "count"], "description": "What to give (files_with_matches)"},
                    "-i": {"type": "boolean", "description": "Overlook case"},
                    "-n": {"type": "boolean", "description": "Give line numbers, with output_mode content (true)"},
                    "-o": {"type": "boolean", "description": "Give only what matches, with output_mode content"},
                    "-A": {"type": "number", "description": "Lines to give after each match"},
                    "-B": {"type": "number", "description": "Lines to give before each match"},
                    "-C": {"type": "number", "description": "Lines to give before and after each match"},
                    "context": {"type": "number", "description": "The same as -C"},
                    "head_limit": {"type": "number", "description": "Lines or paths to give at most (250); 0 for all"},
                    "offset": {"type": "number", "description": "Lines or paths to leave out at the front (0)"},
                    "multiline": {"type": "boolean", "description": "Let matches go over several lines"},
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

    fn limits(&self) -> Option<Limits> {
        Some(defaults::GREP)
    }

    fn snippet(&self) -> &'static str {
        "Look for text in files"
    }

    fn prepare(&self, args: Value) -> Value {
        args::renamed(args, &[("include", "glob"), ("case_insensitive", "-i"), ("file_path", "path")])
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

/// Lines or paths that one call gives unless it asks for more.
const LIMIT: usize = 250;

async fn grep(call: &Invocation) -> Result<Outcome, String> {
    let number = |name: &str| args::number(&call.args, name);
    let mode = args::some_text(&call.args, "output_mode").unwrap_or_else(|| "files_with_matches".to_string());
    let around = number("-C").or_else(|| number("context")).unwrap_or(0);
    let want = match mode.as_str() {
        "content" if args::flag(&call.args, "-o") => Want::Matches,
        "content" => Want::Lines,
        "count" => Want::Counts,
        _ => Want::Files,
    };
    let spec = SearchSpec {
        root: paths::resolve(&*call.env, &args::some_text(&call.args, "path").unwrap_or_else(|| ".".into())),
        pattern: args::text(&call.args, "pattern").to_string(),
        ignore_case: args::flag(&call.args, "-i"),
        multiline: args::flag(&call.args, "multiline"),
        files: Selection {
            // Several patterns may stand in one text.
            globs: args::text(&call.args, "glob").split_whitespace().map(String::from).collect(),
            hidden: true,
            file_type: args::some_text(&call.args, "type"),
            ..Selection::default()
        },
        before: number("-B").unwrap_or(around),
        after: number("-A").unwrap_or(around),
        want,
        ..SearchSpec::default()
    };
    let limit = match number("head_limit") {
        Some(0) => usize::MAX,
        other => other.unwrap_or(LIMIT),
    };
    let skip = number("offset").unwrap_or(0);
    let lines_wanted = matches!(want, Want::Lines | Want::Matches);
    let most = if lines_wanted { limit.saturating_add(skip) } else { usize::MAX };
    let mut found = gather::lines(call, spec, most).await?;
    if want == Want::Files {
        found.files.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| a.path.cmp(&b.path)));
    }
    Ok(shown(call, want, &found, (skip, limit)))
}

fn shown(call: &Invocation, want: Want, found: &Gathered, (skip, limit): (usize, usize)) -> Outcome {
    let numbers = call.args.get("-n").and_then(Value::as_bool).unwrap_or(true);
    let name = |file: &FileMatches| gather::shown(&*call.env, &file.path);
    let all: Vec<String> = match want {
        Want::Files => found.files.iter().map(name).collect(),
        Want::Counts => found.files.iter().map(|file| format!("{}:{}", name(file), file.count)).collect(),
        Want::Lines | Want::Matches => {
            found.files.iter().flat_map(|file| lines(&name(file), file, numbers)).collect()
        }
    };
    let given: Vec<&str> = all.iter().skip(skip).take(limit).map(String::as_str).collect();
    let mut remarks = gather::remarks(&found.done, found.late);
    if found.more || all.len() > skip.saturating_add(given.len()) {
        remarks.push(format!("There is more. Go on with offset={}.", skip + given.len()));
    }
    let text = if given.is_empty() {
        if want == Want::Files { "No files found.".to_string() } else { "No matches found.".to_string() }
    } else {
        match want {
            Want::Files => format!("{} files:\n{}", all.len(), given.join("\n")),
            Want::Counts => {
                let sum: usize = found.files.iter().map(|file| file.count).sum();
                format!("{}\n\n{sum} lines in {} files match.", given.join("\n"), found.files.len())
            }
            Want::Lines | Want::Matches => given.join("\n"),
        }
    };
    let details = json!({"files": found.files.len(), "count": found.count});
    Outcome::text(gather::with_remarks(text, &remarks)).details(details)
}

/// The lines of a file as ripgrep prints them, `--` between those that do not follow each other.
fn lines(name: &str, file: &FileMatches, numbers: bool) -> Vec<String> {
    let mut out = Vec::new();
    let mut before = None;
    let around = file.lines.iter().any(|line| !line.matches);
    for line in &file.lines {
        if around && before.is_some_and(|before| line.number > before + 1) {
            out.push("--".to_string());
        }
        before = Some(line.number);
        let sign = if line.matches { ':' } else { '-' };
        let number = if numbers { format!("{}{sign}", line.number) } else { String::new() };
        out.push(format!("{name}{sign}{number}{}", gather::cut(&line.text).0));
    }
    out
}
