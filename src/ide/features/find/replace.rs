//! Replaces the match at the caret, or all matches as one undo step. Must not know how matches are found.

use crate::base::plural::pluralize;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::edit;
use crate::ide::editor::commands::panes;
use crate::ide::features::find::job::{Job, Outcome, Target};
use crate::ide::features::find::search;
use crate::ide::features::find::state::{FIND, Step};
use crate::text::changes::ChangeSet;
use crate::text::position::Byte;
use crate::text::transaction::Transaction;

/// Replaces the match at the caret and goes to the next one. Without a match there, only goes to the next one.
pub fn one(cx: &mut Cx<'_>) {
    let Some(current) = search::match_at_caret(cx.state).cloned() else {
        return search::step(cx, Step::Next);
    };
    let text = cx.state.buffers.current().map(|buffer| buffer.area.text());
    let Some(text) = text else { return };
    // An empty match must not be found again, and the text after the match stays, whatever happens to it: lines of
    // search results keep their locations.
    let past =
        if current.range.is_empty() { text.next_grapheme(current.range.end) - current.range.end } else { 0 };
    let behind = text.end() - (current.range.end + past);
    let (range, new) = (current.range, current.replacement);
    if !edit_below_bar(cx, |len| Transaction::new(ChangeSet::replace(len, [(range, new)]))) {
        return;
    }
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let at = Byte(buffer.area.text().end().0.saturating_sub(behind));
    buffer.area.go_to(at);
    let next = if past > 0 { Target::First(at) } else { Target::Next(at..at) };
    search::search(cx, next);
}

/// Applies the edit of all matches.
pub fn all(cx: &mut Cx<'_>, job: &Job, outcome: Outcome) {
    let Some((edit, count)) = outcome.edit.filter(|(_, count)| *count > 0) else {
        let problem = outcome.problem.map(|problem| format!("Invalid search `{}`: {problem}", job.pattern));
        return cx.state.set_status(problem.unwrap_or_else(|| "No match to replace".to_string()));
    };
    if cx.state.buffers.current().is_none_or(|buffer| buffer.id != job.buffer) {
        return cx.state.set_status("Another file is shown: nothing replaced");
    }
    if !edit_below_bar(cx, |_| edit) {
        return;
    }
    cx.state.slots[FIND].current = None;
    let undo = cx.state.keymap.keys_for(KeyContext::Editor, "edit.undo");
    let undo = undo.map_or_else(|| "one undo step".to_string(), |key| format!("{key} undoes it in one step"));
    cx.state.set_status(format!("Replaced {}. {undo}", pluralize(count, "match", "matches")));
}

/// Edits the shown file, which has no keys while the bar is open. `make` gets the length of the text.
fn edit_below_bar(cx: &mut Cx<'_>, make: impl FnOnce(usize) -> Transaction) -> bool {
    let bar = cx.state.layers.pop();
    // Another pane may have got the focus meanwhile: its text is not meant.
    panes::focus(cx, Focus::Editor);
    let is_file = matches!(cx.state.text_target(), Some((_, _, Part::Editor)));
    let is_done = is_file && edit::apply(cx, |text, _| make(text.end().0));
    if let Some(bar) = bar {
        cx.state.layers.restore(bar);
    }
    if !is_file {
        cx.state.set_status("Another view is above the file: nothing replaced");
    }
    cx.state.damage.add_all();
    is_done
}
