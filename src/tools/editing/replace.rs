//! Edits a file by replacing texts.
//!
//! Must not know which tool requested it, nor how old texts are found: that is in `patch`.

use serde_json::Value;

use crate::base::json::json;

use super::file::{self, ChangeTarget, FileContent};
use crate::patch::diff::{self, LineDiff};
use crate::patch::passes::{Pass, Tolerance};
use crate::patch::replace::{self, Change, ReplaceOptions, Replacement};
use crate::tools::contract::intent::TextReplacement;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::CallView;
use crate::tools::files::changes;
use crate::tools::files::state::ReadState;

/// Maximum lines of the changed part that are repeated to the model, in families that do that.
const ROWS_MAX: usize = 40;

/// The edit.
#[derive(Debug, Clone)]
pub struct ReplaceRequest {
    /// The file's path as the model wrote it.
    pub path: String,
    /// The replacements, all relative to the original file.
    pub swaps: Vec<TextReplacement>,
    /// How occurrences are matched, and how tolerantly.
    pub how: ReplaceOptions,
    /// Whether the family's models must read a file before they change it.
    pub read_first: bool,
    /// Whether an empty old text creates a missing file.
    pub creates: bool,
    /// Whether the result repeats the lines that changed.
    pub repeats_lines: bool,
}

/// The result of an edit.
struct ReplaceOutcome {
    diff: LineDiff,
    passes: Vec<Pass>,
    count: usize,
    is_new: bool,
    known: ReadState,
}

/// Replaces.
pub async fn run(call: &Invocation, request: &ReplaceRequest) -> Outcome {
    let shown = request.path.clone();
    let target = ChangeTarget { shown, verb: "edit", read_first: request.read_first };
    let done = file::change(call, &target, |found| {
        let refuse = |reason: &str| Err(format!("Cannot edit {}: {reason}.", request.path));
        match &found.before {
            FileContent::Missing => create_file(request),
            FileContent::Bytes(_) => refuse("it is not UTF-8 text. Use a shell command to change it"),
            // In an empty file, a new text needs no old text.
            FileContent::Text(text) if text.is_empty() && is_creation(request) => create_file(request),
            FileContent::Text(text) => replace_in(request, text, found.known),
        }
    })
    .await;
    done.map_or_else(Outcome::error, |done| outcome(request, &done))
}

/// Whether the only old text is empty, and the family allows that.
fn is_creation(request: &ReplaceRequest) -> bool {
    request.creates && matches!(&request.swaps[..], [only] if only.old.is_empty())
}

fn create_file(request: &ReplaceRequest) -> Result<(Vec<u8>, ReplaceOutcome), String> {
    if !is_creation(request) {
        return Err(format!("Cannot edit {}: no such file or folder.", request.path));
    }
    let text = &request.swaps[0].new;
    let diff = diff::lines("", text);
    let done = ReplaceOutcome {
        diff,
        passes: vec![Pass::Exact],
        count: 1,
        is_new: true,
        known: ReadState::Unchanged,
    };
    Ok((text.clone().into_bytes(), done))
}

fn replace_in(
    request: &ReplaceRequest,
    before: &str,
    known: ReadState,
) -> Result<(Vec<u8>, ReplaceOutcome), String> {
    let change =
        |replacement: &TextReplacement| Change { old: replacement.old.clone(), new: replacement.new.clone() };
    let changes: Vec<Change> = request.swaps.iter().map(change).collect();
    // A tolerant match could discard what another process has just written.
    let ladder = if known == ReadState::Changed { Tolerance::Strict } else { request.how.tolerance };
    let Replacement { text, count, passes } =
        replace::apply(before, &changes, ReplaceOptions { tolerance: ladder, ..request.how }).map_err(
            |error| {
                let stale = match known {
                    ReadState::Changed => " The file has changed since it was read; read it again.",
                    ReadState::Unread | ReadState::Unchanged => "",
                };
                format!("Cannot edit {}: {error}.{stale}", request.path)
            },
        )?;
    let done = ReplaceOutcome { diff: diff::lines(before, &text), passes, count, is_new: false, known };
    Ok((text.into_bytes(), done))
}

fn outcome(request: &ReplaceRequest, done: &ReplaceOutcome) -> Outcome {
    let (added, removed) = (done.diff.added, done.diff.removed);
    let path = &request.path;
    let mut text = if done.is_new {
        format!("Made {path} ({added} lines).")
    } else {
        let plural = if done.count == 1 { "piece" } else { "pieces" };
        format!("Replaced {} {plural} in {path} (+{added} -{removed} lines).", done.count)
    };
    for (at, pass) in done.passes.iter().enumerate().filter(|(_, pass)| **pass != Pass::Exact) {
        let which = if done.passes.len() == 1 { String::new() } else { format!(" of edit {}", at + 1) };
        text.push_str(&format!(
            " The old text{which} differed in {} from what is in the file.",
            pass.description()
        ));
    }
    if done.known == ReadState::Changed {
        text.push_str(" The file had changed since it was read; the edit was made in what is there now.");
    }
    if request.repeats_lines {
        text.push_str(&changed_lines(&done.diff));
    }
    let mut details = changes::details(&done.diff);
    details["passes"] = json!(done.passes.iter().map(|pass| pass.name()).collect::<Vec<_>>());
    details["created"] = json!(done.is_new);
    Outcome::text(text).details(details)
}

/// Returns the lines around the changes, after the edit.
fn changed_lines(diff: &LineDiff) -> String {
    let rows = diff.rows.iter().filter(|row| row.as_ref().is_none_or(|row| row.sign != '-'));
    let lines: Vec<&str> = rows.map(|row| row.as_ref().map_or("...", |row| row.text.as_str())).collect();
    if lines.is_empty() || lines.len() > ROWS_MAX {
        return String::new();
    }
    format!("\nThe changed part is now:\n{}", lines.join("\n"))
}

/// A call for the user: the path, and the pieces as `-` and `+` lines.
pub fn view(path: &str, replacements: &[TextReplacement]) -> CallView {
    let body: String = replacements.iter().map(diff_text).collect();
    CallView { title: path.to_string(), body: (!body.is_empty()).then_some(body), ..CallView::default() }
}

fn diff_text(replacement: &TextReplacement) -> String {
    let (old, new) = (&replacement.old, &replacement.new);
    let mut text = String::with_capacity(2 * (old.len() + new.len()));
    for (sign, side) in [('-', old), ('+', new)] {
        for line in side.lines() {
            text.push(sign);
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// Returns the replacement in the arguments, under the names of either family.
pub fn pair(args: &Value) -> TextReplacement {
    use crate::tools::contract::args;
    TextReplacement {
        old: args::text(args, "old_string").to_string(),
        new: args::text(args, "new_string").to_string(),
    }
}
