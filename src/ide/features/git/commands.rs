//! Commands on the hunks of the shown file, and on branches and commits.

use std::ops::Range;

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::state::State;
use crate::ide::editor::commands::edit;
use crate::ide::features::git::branch::BRANCH;
use crate::ide::features::git::run::NO_REPOSITORY;
use crate::ide::model::view::hunks::{Hunk, Hunks};
use crate::text::changes::ChangeSet;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection;
use crate::text::transaction::Transaction;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("git.next-hunk", "Go to next hunk", &["next change"], |cx| go_to_hunk(cx, true))
        .when(condition::has_file),
    command("git.previous-hunk", "Go to previous hunk", &["previous change"], |cx| go_to_hunk(cx, false))
        .when(condition::has_file),
    command("git.show-hunk", "Show original of hunk", &["preview hunk", "diff"], show)
        .when(condition::has_file),
    command("git.revert-hunk", "Revert hunk", &["reset hunk", "discard change", "undo change"], revert)
        .when(condition::has_file),
    command("git.switch-branch", "Switch branch", &["git checkout", "git branches", "git switch"], |cx| {
        cx.defer_picker("branches");
    })
    .when(has_repository),
    command("git.commits", "Show commits", &["git log", "git history", "git show"], |cx| {
        cx.defer_picker("commits");
    })
    .when(has_repository),
];

/// The workspace is in a git repository, or that is not known yet.
pub fn has_repository(state: &State) -> Result<(), Reason> {
    condition::require(!state.slots[BRANCH].is_missing(), Reason::new(NO_REPOSITORY))
}

/// Maximum number of lines shown of a hunk.
const LINES_MAX: usize = 500;

/// Returns the hunks of the shown file, if they belong to its current text; otherwise reports why not.
fn current_hunks<'a>(cx: &'a mut Cx<'_>) -> Option<&'a Hunks> {
    let buffer = cx.state.buffers.current()?;
    let hunks = &buffer.area.per_view.hunks;
    let message = match hunks.base() {
        None => Some("Not tracked by git"),
        Some(_) if !hunks.is_current(buffer.area.document.version()) => {
            Some("Still comparing with git; try again")
        }
        Some(_) if hunks.all().is_empty() => Some("No changes against git"),
        Some(_) => None,
    };
    if let Some(message) = message {
        if let Some(buffer) = cx.state.buffers.current_mut() {
            buffer.area.per_view.hunks.skip_debounce();
        }
        cx.state.set_status(message);
        return None;
    }
    cx.state.buffers.current().map(|buffer| &buffer.area.per_view.hunks)
}

fn go_to_hunk(cx: &mut Cx<'_>, forward: bool) {
    let Some(found) = current_hunks(cx).map(|hunks| hunks.all().to_vec()) else { return };
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let text = buffer.area.text();
    let line = text.line_of(buffer.area.selection.primary().head);
    let first = |hunk: &Hunk| text.line_of(hunk.range.start);
    // A hunk that begins at the cursor is skipped in both directions.
    let next = if forward {
        found.iter().find(|hunk| first(hunk) > line).or(found.first())
    } else {
        found.iter().rev().find(|hunk| first(hunk) < line).or(found.last())
    };
    let Some(next) = next else { return };
    let at = next.range.start;
    let nth = found.iter().position(|hunk| hunk == next).unwrap_or(0) + 1;
    buffer.area.go_to(at);
    cx.state.damage.add(crate::ide::core::damage::Part::Editor);
    cx.state.set_status(format!("Hunk {nth} of {}", found.len()));
}

/// Returns the hunks that the selections touch; missing lines count at the adjacent lines.
fn hunks_in(text: &Text, hunks: &Hunks, ranges: &[Range<Byte>]) -> Vec<Hunk> {
    let mut touched: Vec<Hunk> = Vec::new();
    for range in ranges {
        let (first, last) = (text.line_of(range.start), text.line_of(range.end));
        let lines = text.line_start(first)..text.line_start(Line(last.0 + 1));
        // That is also right for empty ranges: they lie strictly inside.
        let is_inside = |hunk: &&Hunk| hunk.range.start < lines.end && hunk.range.end > lines.start;
        let near = hunks.within(&lines);
        let before = touched.len();
        touched.extend(near.iter().filter(is_inside).cloned());
        // Lines missing above or below count only if nothing else was touched.
        if touched.len() == before {
            touched.extend(near.iter().filter(|hunk| hunk.range.is_empty()).cloned());
        }
    }
    touched.sort_by_key(|hunk| (hunk.range.start, hunk.range.end));
    touched.dedup();
    touched
}

fn hunks_at_selections(cx: &mut Cx<'_>) -> Option<Vec<Hunk>> {
    current_hunks(cx)?;
    let buffer = cx.state.buffers.current()?;
    let ranges: Vec<Range<Byte>> =
        buffer.area.selection.ranges().iter().map(selection::Range::span).collect();
    let touched = hunks_in(buffer.area.text(), &buffer.area.per_view.hunks, &ranges);
    if touched.is_empty() {
        cx.state.set_status("No change on this line");
        return None;
    }
    Some(touched)
}

/// Returns git's text in place of a hunk.
fn base_of(hunks: &Hunks, hunk: &Hunk) -> String {
    let base = |base: &Text| {
        base.slice(base.line_start(hunk.base.start)..base.line_start(hunk.base.end)).into_owned()
    };
    hunks.base().map(base).unwrap_or_default()
}

fn show(cx: &mut Cx<'_>) {
    let Some(touched) = hunks_at_selections(cx) else { return };
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (text, hunks) = (buffer.area.text(), &buffer.area.per_view.hunks);
    let mut lines = Vec::new();
    for hunk in &touched {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let now = text.slice(hunk.range.clone());
        lines.extend(base_of(hunks, hunk).lines().map(|line| format!("- {line}")));
        lines.extend(now.lines().map(|line| format!("+ {line}")));
    }
    if lines.len() > LINES_MAX {
        let more = lines.len() - LINES_MAX;
        lines.truncate(LINES_MAX);
        lines.push(format!("… {more} more"));
    }
    let dialog = Dialog::message("Git (-), file (+)", lines);
    cx.state.push_layer(dialog.choice('r', "Revert hunk", revert));
}

/// Reverts the hunks at the selections, as one undo step.
fn revert(cx: &mut Cx<'_>) {
    let Some(touched) = hunks_at_selections(cx) else { return };
    let Some(buffer) = cx.state.buffers.current() else { return };
    let hunks = &buffer.area.per_view.hunks;
    let edits: Vec<_> = touched.iter().map(|hunk| (hunk.range.clone(), base_of(hunks, hunk))).collect();
    let count = edits.len();
    let done = edit::apply(cx, |text, _| Transaction::new(ChangeSet::replace(text.end().0, edits)));
    if done {
        cx.state.set_status(if count == 1 { "Reverted".to_string() } else { format!("Reverted {count}") });
    }
}
