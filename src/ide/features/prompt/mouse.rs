//! The mouse in the prompt: a press sets the caret, dragging selects, a double and a triple click select a word
//! and a line. Must not know how the rows are drawn.

use std::time::Duration;

use ratatui::layout::Rect;

use crate::ide::core::clicks::{dragged, next_click, range_for_clicks};
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::core::slots::Slot;
use crate::ide::editor::commands::panes;
use crate::ide::features::prompt::pane;
use crate::text::position::Byte;
use crate::text::selection::{Range, Selection};
use crate::tui::input::{Button, Mouse, MouseKind};

/// Slot of the feature's state.
pub const PROMPT_MOUSE: Slot<PromptMouse> = Slot::new();

/// What the mouse does in the prompt.
#[derive(Debug, Default)]
pub struct PromptMouse {
    /// The held button.
    held: Option<Held>,
    /// The last click: when, where, and its number.
    last_click: Option<(Duration, Byte, u8)>,
}

/// A held button: what was pressed in which state of the text, and the first row on screen.
#[derive(Debug, Clone, Copy)]
struct Held {
    clicks: u8,
    from: Range,
    revision: (u64, u64, usize),
    first_row: usize,
}

impl PromptMouse {
    /// Returns the first row of the text while a button is held on it: rows do not move away under the mouse. A press
    /// is over once the text has another revision.
    pub fn first_row(&self, revision: (u64, u64, usize)) -> Option<usize> {
        self.held.filter(|held| held.revision == revision).map(|held| held.first_row)
    }
}

/// Handles a press in the pane at `area`.
pub fn press(cx: &mut Cx<'_>, mouse: Mouse, area: Rect) {
    panes::focus(cx, Focus::Agent);
    let place = (mouse.col - area.x, i32::from(mouse.row) - i32::from(area.y));
    let Some((at, first_row)) = pane::position_at(cx.state, (area.width, area.height), place, false) else {
        return;
    };
    let last = cx.state.slots[PROMPT_MOUSE].last_click.filter(|(_, position, _)| *position == at);
    let clicks = next_click(last.map(|(before, _, n)| (before, n)), cx.now);
    let text = cx.state.prompt.area.text();
    let from = range_for_clicks(text, at, text.line_of(at), clicks);
    let held = Held { clicks, from, revision: cx.state.prompt.revision(), first_row };
    cx.state.slots[PROMPT_MOUSE] = PromptMouse { held: Some(held), last_click: Some((cx.now, at, clicks)) };
    select(cx, from);
}

/// Handles events while a button pressed in the prompt is held; returns whether the event is one.
pub fn drag(cx: &mut Cx<'_>, mouse: Mouse) -> bool {
    let Some(held) = cx.state.slots[PROMPT_MOUSE].held else { return false };
    let area = cx.state.areas.prompt.filter(|_| cx.state.prompt.revision() == held.revision);
    match (mouse.kind, area) {
        (MouseKind::Drag(Button::Left), Some(area)) => {
            let column = mouse.col.saturating_sub(area.x);
            let place = (column, i32::from(mouse.row) - i32::from(area.y));
            let size = (area.width, area.height);
            let Some((at, first_row)) = pane::position_at(cx.state, size, place, true) else { return true };
            let text = cx.state.prompt.area.text();
            let here = range_for_clicks(text, at, text.line_of(at), held.clicks);
            let range = dragged(held.from, here);
            if range != held.from {
                // A press after a drag starts a new count of clicks.
                cx.state.slots[PROMPT_MOUSE].last_click = None;
            }
            cx.state.slots[PROMPT_MOUSE].held = Some(Held { first_row, ..held });
            select(cx, range);
        }
        (MouseKind::Up(Button::Left), _) => {
            cx.state.slots[PROMPT_MOUSE].held = None;
            cx.state.damage.add(Part::Prompt);
        }
        // After a change of the text, or without the release, the press is over.
        _ => {
            cx.state.slots[PROMPT_MOUSE].held = None;
            cx.state.damage.add(Part::Prompt);
            return false;
        }
    }
    true
}

fn select(cx: &mut Cx<'_>, range: Range) {
    let before = cx.state.prompt.area.selection.primary().head;
    cx.state.prompt.area.select(Selection::single(range));
    cx.state.prompt.leave_pastes(before);
    cx.state.kill_ring.interrupt();
    cx.state.damage.add(Part::Prompt);
}
