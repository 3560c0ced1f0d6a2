//! `:normal`: a command line that presses keys at the cursor, on lines of a range, or on lines of `:g`, as
//! one undo step. Must not know how the lines were chosen.

use crate::ide::core::command_line::LineArgs;
use crate::ide::core::context::Cx;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::editor::modal::replay;
use crate::ide::editor::modal::{command_line, cursors, insert_mode, repeat, visual};
use crate::text::anchors::named_positions::PositionName;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::position::Line;
use crate::text::selection::{Range, Selection};
use crate::tui::input::{Key, KeyCode, Mods};

/// Maximum number of lines on which keys are pressed.
const LINES_MAX: usize = 20_000;

/// Presses keys at the cursor, or on every line of the range.
pub fn normal(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let (first, last, addresses) = given.lines;
    // Lines are visited by number, whatever the keys do to the lines before.
    let first = (addresses > 0).then_some(first);
    press_keys(cx, first.map_or(0, |first| last.0 + 1 - first.0), first, given.rest)
}

/// Presses keys on lines, or at the cursor if there are none.
pub fn on_lines(cx: &mut Cx<'_>, lines: &[Line], keys: &str) -> Result<(), String> {
    press_keys(cx, lines.len(), None, keys)?;
    let text = command_line::text::editable_text(cx)?;
    if let Some(buffer) = cx.state.buffers.current_mut() {
        for (n, line) in lines.iter().enumerate() {
            buffer.area.document.positions_mut().set(PositionName::Line(n), text.line_start(*line));
        }
    }
    Ok(())
}

fn press_keys(cx: &mut Cx<'_>, lines: usize, first: Option<Line>, keys: &str) -> Result<(), String> {
    if keys.is_empty() {
        return Err("Which keys?".to_string());
    }
    if lines > LINES_MAX {
        return Err(format!("Too many lines for :normal: {lines}"));
    }
    if cx.state.modal.mode.is_typing() {
        insert_mode::insert::end_insert(cx);
    }
    command_line::text::editable_text(cx)?;
    let keys = repeat::parse_keys(keys);
    cx.defer(move |cx| press_on_lines(cx, &keys, lines, first));
    Ok(())
}

/// Presses the keys of `:normal` on each marked line, as one undo step.
fn press_on_lines(cx: &mut Cx<'_>, pressed: &[Key], lines: usize, first: Option<Line>) {
    begin(cx);
    for n in 0..lines.max(1) {
        if lines > 0 && !go_to_line(cx, n, first) {
            continue;
        }
        replay::keys(cx, pressed);
        if cx.state.modal.mode.is_typing() {
            replay::keys(cx, &[Key::new(KeyCode::Escape, Mods::NONE)]);
        }
        finish(cx);
        cx.run_deferred();
    }
    end(cx);
}

/// Starts one undo step for what follows.
fn begin(cx: &mut Cx<'_>) {
    cursors::hold_undo_group(cx.state);
}

/// Moves the cursor to a line; `false` if the line no longer exists.
fn go_to_line(cx: &mut Cx<'_>, n: usize, first: Option<Line>) -> bool {
    // The column that the cursor aimed at is aimed at still.
    let aimed = if n == 0 { Some(cursors::goal_column(cx)) } else { None };
    let Some(buffer) = cx.state.buffers.current_mut() else { return false };
    let goal = aimed.or(buffer.area.selection.primary().goal);
    if let Some(first) = first {
        let page = ModalText::new(buffer.area.text(), 1);
        let at = page.start(Line(first.0 + n).min(page.last_line()));
        cursors::set_selection(cx, Selection::single(Range { goal, ..Range::cursor(at) }));
        return true;
    }
    let positions = buffer.area.document.positions_mut();
    let Some(at) = positions.get(PositionName::Line(n)) else { return false };
    positions.remove(PositionName::Line(n));
    cursors::set_selection(cx, Selection::single(Range { goal, ..Range::cursor(at) }));
    true
}

/// Ends what the keys left unfinished, as Escape would.
fn finish(cx: &mut Cx<'_>) {
    cx.state.pending.clear();
    cx.state.pending_char = None;
    if cx.state.layers.top::<Prompt>().is_some_and(|prompt| prompt.has_kind(command_line::run::PROMPT_KIND)) {
        cx.state.pop_layer();
    }
    if cx.state.modal.mode.is_visual() {
        visual::end_visual(cx);
    }
    cx.state.modal.reset_pending();
    cx.state.modal.failed = false;
}

/// Ends the step.
fn end(cx: &mut Cx<'_>) {
    cx.state.modal.keys.clear();
    cursors::release_undo_group(cx.state);
}
