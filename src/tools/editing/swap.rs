//! Edits a file by replacing texts.
//!
//! Must not know which tool requested it, nor how old texts are found: that is in `patch`.

use serde_json::Value;

use crate::base::json::json;

use super::file::{self, Before, Target};
use crate::patch::diff::{self, LineDiff};
use crate::patch::passes::{Ladder, Pass};
use crate::patch::replace::{self, Change, How, Replacement};
use crate::tools::contract::intent::Swap;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::CallView;
use crate::tools::files::changes;
use crate::tools::files::state::Known;

/// Maximum lines of the changed part that are repeated to the model, in families that do that.
const ROWS_MAX: usize = 40;

/// The edit.
#[derive(Debug, Clone)]
pub struct Request {
    /// The file's path as the model wrote it.
    pub path: String,
    /// The replacements, all relative to the original file.
    pub swaps: Vec<Swap>,
    /// How occurrences are matched, and how tolerantly.
    pub how: How,
    /// Whether the family's models must read a file before they change it.
    pub read_first: bool,
    /// Whether an empty old text creates a missing file.
    pub makes: bool,
    /// Whether the result repeats the lines that changed.
    pub repeats: bool,
}

/// The result of an edit.
struct Done {
    diff: LineDiff,
    passes: Vec<Pass>,
    count: usize,
    made: bool,
    known: Known,
}

/// Replaces.
pub async fn run(call: &Invocation, request: &Request) -> Outcome {
    let shown = request.path.clone();
    let target = Target { shown, verb: "edit", read_first: request.read_first };
    let done = file::change(call, &target, |found| {
        let refuse = |why: &str| Err(format!("Cannot edit {}: {why}.", request.path));
        match &found.before {
            Before::Missing => make_new(request),
            Before::Bytes(_) => refuse("it is not UTF-8 text. Use a shell command to change it"),
            // In an empty file, a new text needs no old text.
            Before::Text(text) if text.is_empty() && wants_new(request) => make_new(request),
            Before::Text(text) => replaced(request, text, found.known),
        }
    })
    .await;
    done.map_or_else(Outcome::error, |done| outcome(request, &done))
}

/// Whether the only old text is empty, and the family allows that.
fn wants_new(request: &Request) -> bool {
    request.makes && matches!(&request.swaps[..], [only] if only.old.is_empty())
}

fn make_new(request: &Request) -> Result<(Vec<u8>, Done), String> {
    if !wants_new(request) {
        return Err(format!("Cannot edit {}: no such file or folder.", request.path));
    }
    let text = &request.swaps[0].new;
    let diff = diff::lines("", text);
    let done = Done { diff, passes: vec![Pass::Exact], count: 1, made: true, known: Known::Same };
    Ok((text.clone().into_bytes(), done))
}

fn replaced(request: &Request, before: &str, known: Known) -> Result<(Vec<u8>, Done), String> {
    let change = |swap: &Swap| Change { old: swap.old.clone(), new: swap.new.clone() };
    let changes: Vec<Change> = request.swaps.iter().map(change).collect();
    // A tolerant match could discard what another process has just written.
    let ladder = if known == Known::Changed { Ladder::Strict } else { request.how.ladder };
    let Replacement { text, count, passes } = replace::apply(before, &changes, How { ladder, ..request.how })
        .map_err(|error| {
            let stale = match known {
                Known::Changed => " The file has changed since it was read; read it again.",
                Known::Never | Known::Same => "",
            };
            format!("Cannot edit {}: {error}.{stale}", request.path)
        })?;
    let done = Done { diff: diff::lines(before, &text), passes, count, made: false, known };
    Ok((text.into_bytes(), done))
}

fn outcome(request: &Request, done: &Done) -> Outcome {
    let (added, removed) = (done.diff.added, done.diff.removed);
    let path = &request.path;
    let mut text = if done.made {
        format!("Made {path} ({added} lines).")
    } else {
        let plural = if done.count == 1 { "piece" } else { "pieces" };
        format!("Replaced {} {plural} in {path} (+{added} -{removed} lines).", done.count)
    };
    for (at, pass) in done.passes.iter().enumerate().filter(|(_, pass)| **pass != Pass::Exact) {
        let which = if done.passes.len() == 1 { String::new() } else { format!(" of edit {}", at + 1) };
        text.push_str(&format!(
            " The old text{which} differed in {} from what is in the file.",
            pass.words()
        ));
    }
    if done.known == Known::Changed {
        text.push_str(" The file had changed since it was read; the edit was made in what is there now.");
    }
    if request.repeats {
        text.push_str(&repeated(&done.diff));
    }
    let mut details = changes::details(&done.diff);
    details["passes"] = json!(done.passes.iter().map(|pass| pass.name()).collect::<Vec<_>>());
    details["created"] = json!(done.made);
    Outcome::text(text).details(details)
}

/// Returns the lines around the changes, after the edit.
fn repeated(diff: &LineDiff) -> String {
    let rows = diff.rows.iter().filter(|row| row.as_ref().is_none_or(|row| row.sign != '-'));
    let lines: Vec<&str> = rows.map(|row| row.as_ref().map_or("...", |row| row.text.as_str())).collect();
    if lines.is_empty() || lines.len() > ROWS_MAX {
        return String::new();
    }
    format!("\nThe changed part is now:\n{}", lines.join("\n"))
}

/// A call for the user: the path, and the pieces as `-` and `+` lines.
pub fn view(path: &str, swaps: &[Swap]) -> CallView {
    let body: String = swaps.iter().map(marked).collect();
    CallView { title: path.to_string(), body: (!body.is_empty()).then_some(body) }
}

fn marked(swap: &Swap) -> String {
    let old = swap.old.lines().map(|line| ["-", line, "\n"]);
    let new = swap.new.lines().map(|line| ["+", line, "\n"]);
    old.chain(new).flatten().collect()
}

/// Returns the replacement in the arguments, under the names of either family.
pub fn pair(args: &Value) -> Swap {
    use crate::tools::contract::args;
    Swap { old: args::text(args, "old_string").to_string(), new: args::text(args, "new_string").to_string() }
}
