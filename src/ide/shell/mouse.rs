//! The mouse: which part of the screen it is over, and the meaning of a press, a drag or the wheel there.
//! Must not know what a command does.

use std::time::Duration;

use ratatui::layout::{Position, Rect};

use crate::ide::core::clicks::{dragged, next_click, range_for_clicks};
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::pane_borders::{self, PaneBorder};
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::editor::view::pane::title;
use crate::ide::editor::windows;
use crate::ide::features::permissions;
use crate::ide::features::prompt;
use crate::ide::features::sessions;
use crate::ide::features::status_line;
use crate::ide::features::tab_line::pane::{Tab, tab_spans};
use crate::ide::features::terminal;
use crate::ide::features::transcript;
use crate::ide::features::transcript::view::scroll as scroll_transcript;
use crate::ide::model::buffers::Buffer;
use crate::ide::model::view::visible_rows::{DragSelection, VisibleRows};
use crate::ide::shell::input::run;
use crate::text::operations::block::{Block, Corner};
use crate::text::operations::select;
use crate::text::position::{Byte, Column, Line};
use crate::text::selection::{Range, Selection};
use crate::tui::input::{Button, Mods, Mouse, MouseKind};

/// Lines per notch of the wheel.
const WHEEL_LINES: isize = 3;

/// Handles one mouse event.
pub fn mouse(cx: &mut Cx<'_>, mouse: Mouse) {
    let is_on_toast =
        cx.state.areas.toast.is_some_and(|toast| toast.contains(Position::new(mouse.col, mouse.row)));
    if is_on_toast && matches!(mouse.kind, MouseKind::Down(_)) {
        return cx.state.set_status("");
    }
    if !cx.state.layers.is_empty() {
        return overlay(cx, mouse);
    }
    if terminal::input::drag(cx, mouse)
        || transcript::mouse::drag(cx, mouse)
        || prompt::mouse::drag(cx, mouse)
        || drag(cx, mouse)
        || drag_pane_border(cx, mouse)
    {
        return;
    }
    let areas = cx.state.areas;
    let at = Position::new(mouse.col, mouse.row);
    let inside = |area: Option<Rect>| area.filter(|area| area.contains(at));
    let wheel = match mouse.kind {
        MouseKind::ScrollUp => -WHEEL_LINES,
        MouseKind::ScrollDown => WHEEL_LINES,
        _ => 0,
    };
    let pressed = mouse.kind == MouseKind::Down(Button::Left);
    if pressed {
        permissions::held_key::type_held(cx);
    }
    if inside(areas.editor).is_some() {
        editor(cx, mouse, wheel);
    } else if let Some(area) = inside(areas.tabs) {
        tab_line(cx, mouse, area);
    } else if let Some(area) = inside(areas.terminal) {
        terminal::input::mouse(cx, mouse, area);
    } else if let Some(area) = inside(areas.files) {
        files(cx, pressed, mouse.row - area.y, wheel);
    } else if let Some(area) = inside(areas.session_tree) {
        sessions::pane::mouse(cx, pressed, (mouse.row - area.y, area.height), wheel);
    } else if let Some(area) = inside(areas.transcript) {
        if wheel != 0 {
            scroll_transcript(cx.state, wheel);
        } else if pressed {
            transcript::mouse::press(cx, mouse, area);
        }
    } else if let Some(area) = inside(areas.approval) {
        permissions::mouse::mouse(cx, mouse, area, (pressed, wheel));
    } else if inside(areas.agent_title).is_some() && pressed {
        panes::focus(cx, Focus::Agent);
    } else if let Some(area) = inside(areas.prompt)
        && pressed
    {
        prompt::mouse::press(cx, mouse, area);
    } else if inside(areas.status).is_some() && pressed {
        status_line::mouse::press(cx, mouse.col);
    }
}

/// Handles events while a button pressed in the editor is held: dragging a border between windows, or a
/// selection.
fn drag(cx: &mut Cx<'_>, mouse: Mouse) -> bool {
    if mouse.kind == MouseKind::Up(Button::Left) {
        cx.state.windows.selecting = None;
        return cx.state.windows.dragged.take().is_some();
    }
    if mouse.kind != MouseKind::Drag(Button::Left) {
        return false;
    }
    if let (Some(border), Some(area)) = (cx.state.windows.dragged.clone(), cx.state.areas.editor) {
        let to = if border.is_side_by_side { mouse.col } else { mouse.row };
        cx.state.windows.move_border(area, &border, i32::from(to));
        cx.state.damage.add_all();
        return true;
    }
    let Some(drag) = cx.state.windows.selecting else { return false };
    select_to(cx, mouse, drag);
    true
}

/// Takes, moves and releases a border between panes. Returns whether the event is about one.
fn drag_pane_border(cx: &mut Cx<'_>, mouse: Mouse) -> bool {
    let at = Position::new(mouse.col, mouse.row);
    let (areas, cols) = (cx.state.areas, cx.state.size.0);
    match (mouse.kind, cx.state.panes.dragged) {
        (MouseKind::Down(Button::Left), _) => {
            cx.state.panes.dragged = pane_borders::border_at(&areas, at);
            if cx.state.panes.dragged == Some(PaneBorder::SessionTree) {
                panes::focus(cx, Focus::SessionTree);
            }
            cx.state.panes.dragged.is_some()
        }
        (MouseKind::Drag(Button::Left), Some(border)) => {
            pane_borders::move_border(&mut cx.state.panes, &areas, border, at, cols);
            cx.state.damage.add_all();
            true
        }
        (MouseKind::Up(Button::Left), Some(_)) => {
            cx.state.panes.dragged = None;
            true
        }
        _ => false,
    }
}

fn overlay(cx: &mut Cx<'_>, mouse: Mouse) {
    if mouse.kind == MouseKind::Down(Button::Left) {
        return click_layer(cx, Position::new(mouse.col, mouse.row));
    }
    let id = match mouse.kind {
        MouseKind::ScrollUp => "list.up",
        MouseKind::ScrollDown => "list.down",
        _ => return,
    };
    if let Some(command) = cx.state.catalog.command(id) {
        run(cx, command);
    }
}

/// Passes a click to the topmost layer, if it is within its area.
fn click_layer(cx: &mut Cx<'_>, at: Position) {
    let Some(layer) = cx.state.layers.last() else { return };
    let (area, actions) = (layer.area(cx.state.size), layer.actions());
    if area.contains(at) {
        (actions.click)(cx, Position::new(at.x - area.x, at.y - area.y));
    }
}

/// Handles a press on a tab: shows the file, or closes it with the middle button.
fn tab_line(cx: &mut Cx<'_>, mouse: Mouse, area: Rect) {
    let closes = mouse.kind == MouseKind::Down(Button::Middle);
    if !closes && mouse.kind != MouseKind::Down(Button::Left) {
        return;
    }
    let spans = tab_spans(cx.state, area.width);
    let x = mouse.col - area.x;
    let Some(span) = spans.iter().find(|span| span.cols.contains(&x)) else { return };
    let closes = closes && matches!(span.tab, Tab::File(_));
    let buffers = cx.state.buffers.all();
    let id = buffers[span.tab.file(buffers.len())].id;
    let before = cx.state.buffers.current().map(|buffer| buffer.id);
    cx.state.buffers.show(id);
    panes::focus(cx, Focus::Editor);
    if closes && let Some(command) = cx.state.catalog.command("file.close") {
        run(cx, command);
        // After closing another file, the shown one stays shown.
        let is_closed = cx.state.buffers.get_mut(id).is_none();
        if let Some(before) = before.filter(|_| is_closed) {
            cx.state.buffers.show(before);
        }
    }
}

fn files(cx: &mut Cx<'_>, pressed: bool, y: u16, wheel: isize) {
    if wheel != 0 {
        cx.state.files.step(wheel);
        cx.state.damage.add(Part::Files);
    } else if pressed && y > 0 {
        let row = cx.state.files.top + usize::from(y) - 1;
        if row < cx.state.files.rows().len() {
            cx.state.files.selected = row;
            cx.state.damage.add(Part::Files);
            if let Some(command) = cx.state.catalog.command("files.open") {
                run(cx, command);
            }
        }
    }
}

fn editor(cx: &mut Cx<'_>, mouse: Mouse, wheel: isize) {
    let at = Position::new(mouse.col, mouse.row);
    let pressed = mouse.kind == MouseKind::Down(Button::Left);
    let area_with_title = |view: &VisibleRows| match view.title {
        Some(title) => view.area.union(title),
        None => view.area,
    };
    if pressed && let Some(border) = cx.state.borders.iter().find(|border| border.area.contains(at)).cloned()
    {
        let side_by_side = border.is_side_by_side;
        cx.state.windows.dragged = Some(border);
        if side_by_side {
            return;
        }
    }
    if let Some(n) = cx.state.other_visible_rows.iter().position(|view| area_with_title(view).contains(at)) {
        if wheel != 0 {
            return scroll_other_window(cx, n, wheel);
        }
        if !pressed {
            return;
        }
        // The press applies to what is shown there.
        let there = cx.state.other_visible_rows[n].clone();
        windows::activate(cx.state, there.window);
        let here = cx.state.visible_rows.replace(there);
        cx.state.other_visible_rows.splice(n..=n, here);
    }
    if pressed && cx.state.panes.focus != Focus::Editor {
        panes::focus(cx, Focus::Editor);
    }
    let title = cx.state.visible_rows.as_ref().and_then(|shown| Some((shown, shown.title?)));
    let title = title.filter(|(_, title)| title.contains(at));
    let title = title.map(|(shown, title)| title::crumb_at(shown, cx.state, mouse.col - title.x));
    let Some(buffer) = cx.state.buffers.current_mut().filter(|_| cx.state.visible_rows.is_some()) else {
        return;
    };
    if wheel != 0 && buffer.is_image {
        return move_image(cx, mouse.mods.contains(Mods::CTRL), wheel < 0);
    }
    if wheel != 0 {
        buffer.scroll_by(wheel, cx.state.text_options.tab_width);
        buffer.area.per_view.view.free_scroll = true;
        return cx.state.damage.add(Part::Editor);
    }
    if let Some(crumb) = title {
        if let Some(there) = crumb.filter(|_| pressed) {
            cx.state.windows.dragged = None;
            buffer.area.go_to(there);
            cx.state.damage.add(Part::Editor);
        }
        return;
    }
    text(cx, mouse);
}

/// Moves the image that is shown, or zooms it.
fn move_image(cx: &mut Cx<'_>, zooms: bool, is_up: bool) {
    let command = match (zooms, is_up) {
        (true, true) => "image.zoom-in",
        (true, false) => "image.zoom-out",
        (false, true) => "image.up",
        (false, false) => "image.down",
    };
    if let Some(command) = cx.state.catalog.command(command) {
        run(cx, command);
    }
}

/// Scrolls a window without the focus.
fn scroll_other_window(cx: &mut Cx<'_>, n: usize, wheel: isize) {
    let (window, id) = (cx.state.other_visible_rows[n].window, cx.state.other_visible_rows[n].buffer);
    let tab_width = cx.state.text_options.tab_width;
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    windows::with_window_view(buffer, window, |buffer| {
        buffer.scroll_by(wheel, tab_width);
        buffer.area.per_view.view.free_scroll = true;
    });
    cx.state.damage.add(Part::Editor);
}

/// The nearest position in the text under the mouse.
struct MouseTarget {
    at: Byte,
    line: Line,
    column: usize,
    /// Whether it is beside the text, where the symbols of folds are.
    is_past_text: bool,
}

fn mouse_target(cx: &Cx<'_>, mouse: Mouse) -> Option<MouseTarget> {
    let (shown, buffer) = (cx.state.visible_rows.as_ref()?, cx.state.buffers.current()?);
    let y = usize::from(mouse.row.saturating_sub(shown.area.y));
    let row = shown.rows.get(y).or(shown.rows.last())?;
    let text_area = shown.text_area();
    let column = usize::from(mouse.col.saturating_sub(text_area.x)) + shown.left;
    let lens = buffer.area.display_map(buffer.tab_width(cx.state.text_options.tab_width));
    let past_end = row.is_last && column > lens.column(row, row.end);
    let is_past_text = y < shown.rows.len() && (mouse.col < text_area.x || past_end);
    Some(MouseTarget { at: lens.at_column(row, column), line: row.line, column, is_past_text })
}

/// A press or a drag in the text of the window with the keys.
fn text(cx: &mut Cx<'_>, mouse: Mouse) {
    let usual = cx.state.text_options.tab_width;
    let Some(MouseTarget { at, line, column, is_past_text }) = mouse_target(cx, mouse) else {
        return;
    };
    let (now, last) = (cx.now, cx.state.last_click);
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let tab_width = buffer.tab_width(usual);
    let text = buffer.area.text();
    let corner = Corner { line, column: Column(column) };
    let (alt, shift) = (mouse.mods.contains(Mods::ALT), mouse.mods.contains(Mods::SHIFT));
    match mouse.kind {
        MouseKind::Down(Button::Left) if is_past_text && !alt && !shift => {
            let end = text.line_end(line);
            if buffer.area.per_view.folds.open_at(end) {
                return cx.state.damage.add_all();
            }
            press(cx, (at, line), now, last);
        }
        MouseKind::Down(Button::Left) if alt => {
            let toggled = select::toggle_cursor(&buffer.area.selection, at);
            buffer.area.select(toggled);
            buffer.area.block = Some(Block { anchor: corner, head: corner });
            cx.state.last_click = None;
        }
        MouseKind::Drag(Button::Left) if alt && buffer.area.block.is_some() => {
            let block = buffer
                .area
                .block
                .map_or(Block { anchor: corner, head: corner }, |block| Block { head: corner, ..block });
            let selection = block.selection(text, tab_width);
            buffer.area.select(selection);
            buffer.area.block = Some(block);
        }
        MouseKind::Down(Button::Left) if shift => {
            let anchor = buffer.area.selection.primary().anchor;
            buffer.area.select(Selection::single(Range::new(anchor, at)));
            cx.state.windows.selecting = Some(begin_drag(buffer, 1, Range::cursor(anchor)));
            cx.state.last_click = None;
        }
        MouseKind::Down(Button::Left) => press(cx, (at, line), now, last),
        _ => return,
    }
    cx.state.kill_ring.interrupt();
    cx.state.damage.add(Part::Editor);
}

/// Handles a plain press: sets a cursor; the second and third click select a word and a line.
fn press(cx: &mut Cx<'_>, (at, line): (Byte, Line), now: Duration, last: Option<(Duration, Byte, u8)>) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let last = last.filter(|(_, position, _)| *position == at);
    let by = next_click(last.map(|(before, _, n)| (before, n)), now);
    let range = range_for_clicks(buffer.area.text(), at, line, by);
    buffer.area.select(Selection::single(range));
    cx.state.last_click = Some((now, at, by));
    cx.state.windows.selecting = Some(begin_drag(buffer, by, range));
}

/// Starts a selection by the mouse.
fn begin_drag(buffer: &Buffer, by: u8, from: Range) -> DragSelection {
    DragSelection { by, from, buffer: buffer.id, version: buffer.area.document.version() }
}

/// Extends the selection to the mouse in the unit of the first press. Scrolls when above or below the window.
fn select_to(cx: &mut Cx<'_>, mut mouse: Mouse, drag: DragSelection) {
    let tab_width = cx.state.text_options.tab_width;
    let (Some(shown), Some(buffer)) = (&cx.state.visible_rows, cx.state.buffers.current_mut()) else {
        return;
    };
    let (top, bottom) = (shown.area.top(), shown.area.bottom());
    if mouse.row < top || mouse.row >= bottom {
        buffer.scroll_by(if mouse.row < top { -1 } else { 1 }, tab_width);
        mouse.row = mouse.row.clamp(top, bottom.saturating_sub(1));
    }
    let Some(MouseTarget { at, line, .. }) = mouse_target(cx, mouse) else { return };
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    // After an edit, or in another file, the start of the selection is no longer valid.
    let is_known = (drag.buffer, drag.version) == (buffer.id, buffer.area.document.version());
    let drag = if is_known {
        drag
    } else {
        begin_drag(buffer, 1, Range::cursor(buffer.area.selection.primary().anchor))
    };
    cx.state.windows.selecting = Some(drag);
    let here = range_for_clicks(buffer.area.text(), at, line, drag.by);
    let range = dragged(drag.from, here);
    if range != drag.from {
        // A press after a drag starts a new count of clicks.
        cx.state.last_click = None;
    }
    buffer.area.selection = Selection::single(range);
    cx.state.kill_ring.interrupt();
    cx.state.damage.add(Part::Editor);
}
