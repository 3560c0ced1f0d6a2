//! The mouse in the conversation: dragging selects text, also beyond the edges of the pane, and a double and a
//! triple click select a word and a line; what is selected is copied at release. A click on the name of a file
//! or on a link opens it, one on the head of a call or of thinking folds or unfolds it; any other gives the keys to the prompt.

use std::cell::RefMut;
use std::time::Duration;

use ratatui::layout::Rect;

use crate::ide::core::clicks::next_click;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::transcript::agents;
use crate::ide::features::transcript::earlier;
use crate::ide::features::transcript::focus::{copy_text, with_view};
use crate::ide::features::transcript::named_files;
use crate::ide::features::transcript::places::{NamedPlace, place_at};
use crate::ide::features::transcript::selection::{Place, Press, SelectionUnit, TranscriptSelection};
use crate::tui::input::{Button, Mouse, MouseKind};

/// Time between two steps while the mouse is held beyond an edge.
const SCROLL_PERIOD: Duration = Duration::from_millis(50);
/// Rows beyond the edge for each further line of a step.
const ROWS_PER_LINE: u16 = 2;
/// Maximum lines of a step.
const STEP_MAX: u16 = 5;

/// Returns the column and the row in the pane; beyond its edges, those at the edge.
fn in_pane((column, row): (u16, u16), area: Rect) -> (u16, u16) {
    (column.saturating_sub(area.x), row.clamp(area.y, area.bottom().saturating_sub(1)) - area.y)
}

/// Returns the selection in the conversation that is shown.
fn selection(state: &State) -> RefMut<'_, TranscriptSelection> {
    RefMut::map(agents::shown(&state.slots).1.borrow_mut(), |view| &mut view.selection)
}

/// Returns the rows of the conversation in the pane: those below the heading of a subagent's.
fn content(state: &State, pane: Rect) -> Rect {
    let top = u16::from(agents::is_shown(&state.slots)).min(pane.height);
    Rect { y: pane.y + top, height: pane.height - top, ..pane }
}

/// Handles a press in the pane at `area`. One on the heading of a subagent's conversation closes that.
pub fn press(cx: &mut Cx<'_>, mouse: Mouse, area: Rect) {
    let area = content(cx.state, area);
    if mouse.row < area.y {
        agents::close(cx.state);
        return;
    }
    let (now, cell) = (cx.now, (mouse.col, mouse.row));
    let begun = with_view(cx.state, |transcript, view, pane| {
        let place = view.place_at(transcript, pane, in_pane(cell, area))?;
        let line = (place.item, place.line);
        let last = view.selection.last_click.filter(|(_, at, on, _)| (*at, *on) == (cell, line));
        let clicks = next_click(last.map(|(before, _, _, n)| (before, n)), now);
        view.selection.last_click = Some((now, cell, line, clicks));
        let unit = SelectionUnit::of_clicks(clicks);
        let anchor = view.unit_at(transcript, pane, (place, unit))?;
        let was_at_tail = view.is_at_tail();
        let (has_moved, scrolls) = (false, None);
        view.selection.begin(Press { unit, place, anchor, cell, has_moved, was_at_tail, scrolls });
        Some(())
    });
    if begun.flatten().is_none() {
        panes::focus(cx, Focus::Agent);
    }
}

/// Handles events while a button pressed in the conversation is held; returns whether the event is one.
pub fn drag(cx: &mut Cx<'_>, mouse: Mouse) -> bool {
    if selection(cx.state).press.is_none() {
        return false;
    }
    match mouse.kind {
        MouseKind::Drag(Button::Left) => drag_to(cx, (mouse.col, mouse.row)),
        MouseKind::Up(Button::Left) => release(cx, (mouse.col, mouse.row)),
        // The release was not reported.
        MouseKind::Down(_) => {
            end_press(cx.state);
            return false;
        }
        kind => {
            if kind == MouseKind::ScrollUp
                && let Some(press) = &mut selection(cx.state).press
            {
                press.was_at_tail = false;
            }
            return false;
        }
    }
    true
}

/// Ends a press whose release does not come. The end of the conversation is followed again if it was before.
fn end_press(state: &mut State) {
    let mut view = agents::shown(&state.slots).1.borrow_mut();
    if view.selection.press.take().is_some_and(|press| press.has_moved && press.was_at_tail) {
        view.to_tail();
        drop(view);
        state.damage.add(Part::Transcript);
    }
}

/// Extends the selection to a cell of the screen.
fn drag_to(cx: &mut Cx<'_>, cell: (u16, u16)) {
    let Some(area) = cx.state.areas.transcript.map(|area| content(cx.state, area)) else {
        end_press(cx.state);
        return;
    };
    let due = cx.now + SCROLL_PERIOD;
    let is_first_move = with_view(cx.state, |transcript, view, pane| {
        let press = view.selection.press.as_mut()?;
        let is_first_move = !press.has_moved && cell != press.cell;
        press.has_moved |= is_first_move;
        if !press.has_moved {
            return Some(false);
        }
        press.scrolls = lines_beyond(cell, area).map(|_| (cell, press.scrolls.map_or(due, |(_, due)| due)));
        if is_first_move {
            view.selection.last_click = None;
            view.stop_following(transcript, pane);
        }
        let place = view.place_at(transcript, pane, in_pane(cell, area))?;
        view.select_to(transcript, pane, place);
        Some(is_first_move)
    });
    // Within the pane, whatever has the keys keeps them.
    if is_first_move.flatten() == Some(true) && cx.state.panes.focus != Focus::Agent {
        panes::focus(cx, Focus::Agent);
    }
}

/// Returns the lines of a step if a cell is beyond an edge, upwards when negative. Above the first row of the
/// screen there is none: there that row itself is beyond.
fn lines_beyond((_, row): (u16, u16), area: Rect) -> Option<isize> {
    let lines = |rows: u16| isize::from((1 + (rows - 1) / ROWS_PER_LINE).min(STEP_MAX).cast_signed());
    match row {
        0 if area.y == 0 => Some(-lines(1)),
        _ if row < area.y => Some(-lines(area.y - row)),
        _ if row >= area.bottom() => Some(lines(row - area.bottom() + 1)),
        _ => None,
    }
}

/// Returns when a held mouse scrolls next.
pub fn deadline(state: &State) -> Option<Duration> {
    selection(state).press.as_ref().and_then(|press| press.scrolls).map(|(_, due)| due)
}

/// Scrolls if the mouse is held beyond an edge, and extends the selection.
pub fn tick(cx: &mut Cx<'_>) {
    if deadline(cx.state).is_none_or(|due| due > cx.now) {
        return;
    }
    let area = cx.state.areas.transcript.filter(|_| cx.state.layers.is_empty());
    let area = area.map(|area| content(cx.state, area));
    let next = cx.now + SCROLL_PERIOD;
    let moved = area.and_then(|area| {
        with_view(cx.state, |transcript, view, pane| {
            let (cell, _) = view.selection.press.as_ref()?.scrolls?;
            let lines = lines_beyond(cell, area)?;
            let has_moved = view.scroll_held(transcript, pane, lines);
            let place = view.place_at(transcript, pane, in_pane(cell, area))?;
            view.select_to(transcript, pane, place);
            Some((has_moved, lines < 0))
        })
    });
    let Some((has_moved, is_up)) = moved.flatten() else {
        // A pop-up has the mouse now.
        end_press(cx.state);
        return;
    };
    let goes_on = has_moved || is_up && !agents::is_shown(&cx.state.slots) && earlier::load_more(cx);
    if let Some(press) = &mut selection(cx.state).press {
        press.scrolls = press.scrolls.filter(|_| goes_on).map(|(cell, _)| (cell, next));
    }
}

/// Copies what is selected, or handles the click.
fn release(cx: &mut Cx<'_>, cell: (u16, u16)) {
    drag_to(cx, cell);
    let released = with_view(cx.state, |transcript, view, pane| {
        let press = view.selection.press.take()?;
        if press.has_moved && press.was_at_tail {
            view.to_tail();
        }
        let text = view.text_at(transcript, pane, press.place);
        let on_text = text.and_then(|(line, offset)| Some((line.text, offset?)));
        let link = view.link_at(transcript, pane, press.place);
        let is_click = !press.has_moved && (press.unit == SelectionUnit::Cell || on_text.is_none());
        Some((press, on_text.filter(|_| is_click), link, is_click))
    });
    let Some((press, on_text, link, is_click)) = released.flatten() else { return };
    if !is_click {
        copy_selection(cx);
        return;
    }
    clear_selection(cx);
    if let Some(link) = link {
        return named_files::open_link(cx, &link);
    }
    let named = on_text.and_then(|(line, offset)| place_at(&line, offset));
    click(cx, press.place, named);
}

/// Handles a click that selects nothing.
fn click(cx: &mut Cx<'_>, place: Place, named: Option<NamedPlace>) {
    if let Some(named) = named {
        named_files::open_or(cx, &named, move |cx| fold_or_focus(cx, place));
    } else {
        fold_or_focus(cx, place);
    }
}

/// Opens the subagent of a card whose head was clicked, or folds or unfolds an item, else gives the keys to the
/// prompt.
fn fold_or_focus(cx: &mut Cx<'_>, place: Place) {
    let is_head = place.line == 0 && place.column != usize::MAX;
    let folded = with_view(cx.state, |transcript, view, pane| {
        let item = transcript.item(place.item).filter(|_| is_head)?;
        let agent = agents::agent_of(item);
        Some((agent.is_none() && view.toggle_fold(item, pane.show), agent))
    });
    let (is_folded, agent) = folded.flatten().unwrap_or_default();
    let is_opened = agent.is_some_and(|agent| agents::open(cx, agent));
    if !is_folded && !is_opened {
        panes::focus(cx, Focus::Agent);
    }
}

/// Copies the selected text, once a task has made it; returns whether there is a selection.
pub fn copy_selection(cx: &mut Cx<'_>) -> bool {
    let part = with_view(cx.state, |transcript, view, pane| {
        view.selection.copies += 1;
        Some((view.selected_part(transcript, pane)?, view.selection.copies))
    });
    let Some((part, number)) = part.flatten() else { return false };
    // A selection may be as long as the conversation.
    cx.tasks.spawn_blocking(
        "transcript.copy-selection",
        move || part.text(),
        move |cx, text| {
            let Some(text) = answer_or_error(cx, "copy the selection", text) else { return };
            let is_last = selection(cx.state).copies == number;
            if is_last && !text.is_empty() {
                copy_text(cx, text);
            }
        },
    );
    true
}

/// Removes the selection; returns whether there was one.
pub fn clear_selection(cx: &mut Cx<'_>) -> bool {
    let was_selected = {
        let mut selection = selection(cx.state);
        selection.press = None;
        selection.selected.take().is_some()
    };
    if was_selected {
        cx.state.damage.add(Part::Transcript);
    }
    was_selected && !agents::shown(&cx.state.slots).0.items().is_empty()
}
