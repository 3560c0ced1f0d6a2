//! Substitutions with confirmation of each match. Accepted ones are collected and applied as one step.

use std::collections::VecDeque;
use std::ops::Range;

use crate::base::width::{truncate, visible};
use crate::ide::core::context::Cx;
use crate::ide::core::keys::modal::SubstituteConfirm;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::editor::modal::cursors;
use crate::ide::editor::modal::operators::edit_text;
use crate::ide::model::buffers::Buffer;
use crate::text::changes::ChangeSet;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::position::{Byte, Column, Line};
use crate::text::selection::Selection;
use crate::text::transaction::Transaction;

/// Maximum cells shown of a match and of its replacement.
const SAMPLE: usize = 34;

/// Asks about replacements one by one.
pub fn start_confirming(cx: &mut Cx<'_>, edits: Vec<(Range<Byte>, String)>) -> Result<(), String> {
    let buffer = cx.state.buffers.current().ok_or("No file open")?;
    let (buffer, version) = (buffer.id, buffer.area.document.version());
    let left = VecDeque::from(edits);
    cx.state.modal.substitute_confirm =
        Some(SubstituteConfirm { buffer, version, remaining: left, accepted: Vec::new() });
    ask(cx);
    Ok(())
}

fn ask(cx: &mut Cx<'_>) {
    let Some(confirm) = &cx.state.modal.substitute_confirm else { return };
    let shown = cx.state.buffers.current().filter(|shown| is_current(confirm, shown));
    // Positions of another text are not valid in this one.
    let (Some((range, new)), Some(buffer)) = (confirm.remaining.front().cloned(), shown) else {
        return finish(cx);
    };
    // Only as much of a long match is read as can be shown.
    let text = buffer.area.text();
    let end = range.end.min(text.char_floor(range.start + 4 * SAMPLE));
    let old = text.slice(range.start..end).into_owned();
    let sample = |text: &str| truncate(&visible(text), SAMPLE).into_owned();
    let line = format!("Line {}: {} → {}", text.line_of(range.start).0 + 1, sample(&old), sample(&new));
    let dialog = Dialog::ask("Replace this match?", vec![line])
        .choice('y', "Replace", |cx| on_answer(cx, 'y'))
        .choice('n', "Skip", |cx| on_answer(cx, 'n'))
        .choice('a', "Replace all from here", |cx| on_answer(cx, 'a'))
        .short_label("All")
        .choice('l', "Replace and stop", |cx| on_answer(cx, 'l'))
        .short_label("Last")
        .choice('q', "Stop", |cx| on_answer(cx, 'q'))
        .on_escape(|cx| on_answer(cx, 'q'));
    cursors::set_selection(cx, Selection::cursor(range.start));
    cx.state.push_layer(dialog);
}

/// Returns whether a file still has the text of the matches.
fn is_current(confirm: &SubstituteConfirm, shown: &Buffer) -> bool {
    shown.id == confirm.buffer && shown.area.document.version() == confirm.version
}

/// Handles the answer to a question.
fn on_answer(cx: &mut Cx<'_>, answer: char) {
    let Some(confirm) = &mut cx.state.modal.substitute_confirm else { return };
    match answer {
        'y' => confirm.accepted.extend(confirm.remaining.pop_front()),
        'n' => drop(confirm.remaining.pop_front()),
        'a' => confirm.accepted.extend(confirm.remaining.drain(..)),
        'l' => {
            confirm.accepted.extend(confirm.remaining.pop_front());
            confirm.remaining.clear();
        }
        _ => confirm.remaining.clear(),
    }
    ask(cx);
}

/// Applies the accepted replacements.
fn finish(cx: &mut Cx<'_>) {
    let Some(confirm) = cx.state.modal.substitute_confirm.take() else { return };
    let Some(text) = cx.state.buffers.current().filter(|shown| is_current(&confirm, shown)) else {
        return cx.state.set_error("Text changed meanwhile: nothing replaced");
    };
    let accepted = confirm.accepted;
    let text = text.area.text().clone();
    let (Some((first, _)), Some((last, _))) = (accepted.first(), accepted.last()) else {
        return cx.state.set_status("Nothing replaced");
    };
    let (first, last) = (text.line_start(text.line_of(first.start)), text.line_of(last.start));
    // Line feeds inserted before and in the last match move its line down.
    let feeds = |text: &str| text.matches('\n').count() as isize;
    let shift: isize = accepted.iter().map(|(span, new)| feeds(new) - feeds(&text.slice(span.clone()))).sum();
    let count = accepted.len();
    cursors::set_selection(cx, Selection::cursor(first));
    if !edit_text(cx, |page, _| Transaction::new(ChangeSet::replace(page.text.end().0, accepted))) {
        return;
    }
    if let Some(buffer) = cx.state.buffers.current() {
        let page = ModalText::new(buffer.area.text(), 1);
        let line = Line(last.0.saturating_add_signed(shift)).min(page.last_line());
        let at = page.at(line, Column(0));
        cursors::set_selection(cx, Selection::cursor(at));
    }
    cx.state.set_status(format!("Replaced {count}. Undo: one step"));
}
