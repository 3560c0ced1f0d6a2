//! Result format of gemini-cli: a block per file, with `L12:` before matching lines and `L11-` before context
//! lines. A few matches get more context.
//!
//! Must not know the other formats.

use regex::Regex;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::{FileMatches, SearchSpec, Selection, Want};
use crate::tools::contract::args;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::search::gather::{self, Gathered};

/// Default limit of matches, as in gemini-cli.
const LIMIT: usize = 100;
/// Maximum matches that are collected before some are filtered out.
const GATHERED_MAX: usize = 10_000;

/// The search with the arguments of this form.
fn with_form_args(args: &Value, spec: SearchSpec) -> SearchSpec {
    let around = args::number(args, "context").unwrap_or(0);
    let ignored = args::flag(args, "no_ignore");
    let rule_files = if ignored { Vec::new() } else { vec![".geminiignore".to_string()] };
    SearchSpec {
        literal: args::flag(args, "fixed_strings"),
        ignore_case: !args::flag(args, "case_sensitive"),
        files: Selection { ignored, rule_files, ..spec.files },
        before: args::number(args, "before").unwrap_or(around),
        after: args::number(args, "after").unwrap_or(around),
        want: if args::flag(args, "names_only") { Want::Files } else { Want::Lines },
        max_per_file: args::positive(args, "max_matches_per_file"),
        ..spec
    }
}

/// Searches and returns the blocks.
pub(super) async fn grep(call: &Invocation, spec: SearchSpec) -> Result<Outcome, String> {
    let spec = with_form_args(&call.args, spec);
    let limit = args::positive(&call.args, "total_max_matches").unwrap_or(LIMIT);
    let but = args::optional_text(&call.args, "exclude_pattern")
        .map(|but| Regex::new(&but).map_err(|error| format!("exclude_pattern cannot be used: {error}")))
        .transpose()?;
    let most = if but.is_some() { limit.max(GATHERED_MAX) } else { limit };
    let mut found = gather::lines(call, spec.clone(), most).await?;
    // A few matches get context: the model would read it next.
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
        exclude_lines(&mut found, &but, limit);
    }
    Ok(format_blocks(call, &spec, &found, limit))
}

/// Removes lines that match the exclusion, and lines above the limit.
fn exclude_lines(found: &mut Gathered, but: &Regex, limit: usize) {
    let mut remaining = limit;
    for file in &mut found.files {
        file.lines.retain(|line| {
            let stays = !line.matches || !but.is_match(&line.text) && remaining > 0;
            remaining -= usize::from(stays && line.matches);
            stays
        });
        file.count = file.lines.iter().filter(|line| line.matches).count();
    }
    found.files.retain(|file| file.count > 0);
    found.count = found.files.iter().map(|file| file.count).sum();
    found.has_more |= remaining == 0;
}

fn format_blocks(call: &Invocation, spec: &SearchSpec, found: &Gathered, limit: usize) -> Outcome {
    let name = |file: &FileMatches| gather::shown_path(&*call.env, &file.path);
    let folder = gather::shown_path(&*call.env, &spec.root);
    let scope =
        format!("{:?} in {}", spec.pattern, if folder.is_empty() { "the workspace" } else { &folder });
    let mut remarks = gather::remarks(&found.done, found.timed_out);
    if found.has_more {
        remarks.push(format!("Only the first {limit} matches. Use a narrower pattern or folder."));
    }
    let text = if found.files.is_empty() {
        format!("No matches for {scope}.")
    } else if spec.want == Want::Files {
        let names: Vec<String> = found.files.iter().map(name).collect();
        format!("{} files with matches for {scope}:\n{}", names.len(), names.join("\n"))
    } else {
        let plural = if found.count == 1 { "match" } else { "matches" };
        let mut text = format!("{} {plural} for {scope}:\n---\n", found.count);
        for file in &found.files {
            text.push_str(&format!("File: {}\n", name(file)));
            for line in &file.lines {
                let sign = if line.matches { ':' } else { '-' };
                text.push_str(&format!("L{}{sign} {}\n", line.number, gather::cut_line(&line.text).0));
            }
            text.push_str("---\n");
        }
        text.trim_end().to_string()
    };
    let details = json!({"files": found.files.len(), "count": found.count});
    Outcome::text(gather::with_remarks(text, &remarks)).details(details)
}
