//! Keys that a command line presses: `:normal` at the cursor, on lines of a range, on lines of `:g`. All of it is
//! one step. Must not know which lines are wanted.

use super::line_given::Given;
use super::{cursors, line_text, repeat, typing, visual};
use crate::ide::commands::Cx;
use crate::ide::effect::Effect;
use crate::ide::state::overlay::{Overlay, Topic};
use crate::text::places::Name;
use crate::text::position::Line;
use crate::text::selection::Selection;

/// Keys are pressed on no more lines than this.
const LINES_MAX: usize = 20_000;

/// Presses keys at the cursor, or on every line of the range.
pub fn normal(cx: &mut Cx<'_>, given: &Given<'_>) -> Result<(), String> {
    let (first, last, addresses) = given.lines;
    let lines = if addresses > 0 { (first.0..=last.0).map(Line).collect() } else { Vec::new() };
    on_lines(cx, &lines, given.rest)
}

/// Presses keys on lines; at the cursor where there are none.
pub fn on_lines(cx: &mut Cx<'_>, lines: &[Line], keys: &str) -> Result<(), String> {
    if keys.is_empty() {
        return Err("which keys?".to_string());
    }
    if lines.len() > LINES_MAX {
        return Err(format!("{} lines are too many for keys", lines.len()));
    }
    if cx.state.modal.mode.types() {
        typing::end(cx);
    }
    let text = line_text::text(cx)?;
    if let Some(buffer) = cx.state.buffers.current_mut() {
        for (n, line) in lines.iter().enumerate() {
            buffer.area.document.places_mut().set(Name::Line(n), text.line_start(*line));
        }
    }
    cx.effects.push(Effect::Normal { keys: repeat::read(keys), lines: lines.len() });
    Ok(())
}

/// What follows is one step, and no change of its own for `.`.
pub fn begin(cx: &mut Cx<'_>) {
    cursors::group(cx.state);
    cx.state.modal.repeating = true;
}

/// Puts the cursor on a line that waits; `false` where it is gone.
pub fn go(cx: &mut Cx<'_>, n: usize) -> bool {
    let Some(buffer) = cx.state.buffers.current_mut() else { return false };
    let places = buffer.area.document.places_mut();
    let Some(at) = places.get(Name::Line(n)) else { return false };
    places.remove(Name::Line(n));
    cursors::set(cx, Selection::cursor(at));
    true
}

/// Ends what the keys began and did not end, as Escape would.
pub fn finish(cx: &mut Cx<'_>) {
    cx.state.pending.clear();
    cx.state.awaiting = None;
    if matches!(cx.state.overlays.last(), Some(Overlay::Question(asked)) if asked.topic == Topic::Line) {
        cx.state.pop_overlay();
    }
    if cx.state.modal.mode.types() {
        typing::end(cx);
    } else if cx.state.modal.mode.is_visual() {
        visual::leave(cx);
    }
    cx.state.modal.forget();
    cx.state.modal.failed = false;
}

/// Ends the step.
pub fn end(cx: &mut Cx<'_>) {
    cx.state.modal.repeating = false;
    cx.state.modal.keys.clear();
    cursors::ungroup(cx.state);
}
