//! Result format of Claude Code: paths, lines or counts as ripgrep prints them, paginated.
//!
//! Must not know the other formats.

use serde_json::Value;

use crate::base::json::json;
use crate::exec::{FileMatches, SearchSpec, Selection, Want};
use crate::tools::contract::args;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::search::gather::{self, Gathered};

/// Default limit of lines or paths.
const LIMIT: usize = 250;

/// Searches and returns the result for `output_mode`.
pub(super) async fn grep(call: &Invocation, spec: SearchSpec) -> Result<Outcome, String> {
    let number = |name: &str| args::number(&call.args, name);
    let mode =
        args::optional_text(&call.args, "output_mode").unwrap_or_else(|| "files_with_matches".to_string());
    let around = number("-C").or_else(|| number("context")).unwrap_or(0);
    let want = match mode.as_str() {
        "content" if args::flag(&call.args, "-o") => Want::Matches,
        "content" => Want::Lines,
        "count" => Want::Counts,
        _ => Want::Files,
    };
    let spec = SearchSpec {
        ignore_case: args::flag(&call.args, "-i"),
        multiline: args::flag(&call.args, "multiline"),
        files: Selection {
            // One text may contain several patterns.
            globs: spec
                .files
                .globs
                .iter()
                .flat_map(|text| text.split_whitespace())
                .map(String::from)
                .collect(),
            file_type: args::optional_text(&call.args, "type"),
            ..spec.files
        },
        before: number("-B").unwrap_or(around),
        after: number("-A").unwrap_or(around),
        want,
        ..spec
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
        found.newest_first();
    }
    Ok(format_output(call, want, &found, (skip, limit)))
}

fn format_output(call: &Invocation, want: Want, found: &Gathered, (skip, limit): (usize, usize)) -> Outcome {
    let numbers = call.args.get("-n").and_then(Value::as_bool).unwrap_or(true);
    let name = |file: &FileMatches| gather::shown_path(&*call.env, &file.path);
    let all: Vec<String> = match want {
        Want::Files => found.files.iter().map(name).collect(),
        Want::Counts => found.files.iter().map(|file| format!("{}:{}", name(file), file.count)).collect(),
        Want::Lines | Want::Matches => {
            found.files.iter().flat_map(|file| format_lines(&name(file), file, numbers)).collect()
        }
    };
    let given: Vec<&str> = all.iter().skip(skip).take(limit).map(String::as_str).collect();
    let mut remarks = gather::remarks(&found.done, found.timed_out);
    if found.has_more || all.len() > skip.saturating_add(given.len()) {
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

/// Returns the lines of a file as ripgrep prints them, with `--` between groups.
fn format_lines(name: &str, file: &FileMatches, numbers: bool) -> Vec<String> {
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
        out.push(format!("{name}{sign}{number}{}", gather::cut_line(&line.text).0));
    }
    out
}
