//! Scrolling by lines and pages, and moving the cursor's line to a position on the screen.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::editor::modal::{cursors, visual};
use crate::text::position::{Byte, Line};
use crate::text::selection::Range;

/// Where the cursor's line goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScrollTo {
    /// To the top.
    Top,
    /// To the middle.
    Middle,
    /// To the bottom.
    Bottom,
}

fn rows(cx: &Cx<'_>) -> usize {
    cx.state.areas.editor.map_or(1, |area| usize::from(area.height)).max(1)
}

/// Scrolls so that the cursor's line is at a position on the screen.
pub fn scroll_cursor_to(cx: &mut Cx<'_>, to: ScrollTo) {
    let rows = rows(cx);
    let tab_width = cx.state.tab_width();
    cx.state.modal.count = None;
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let (line, _) = buffer.cursor(tab_width);
    let above = match to {
        ScrollTo::Top => 0,
        ScrollTo::Middle => (rows - 1) / 2,
        ScrollTo::Bottom => rows - 1,
    };
    let top = buffer.area.text().line_start(Line(line.0.saturating_sub(above)));
    buffer.area.per_view.view.top = top;
    cx.state.damage.add(Part::Editor);
}

/// Scrolls by lines; the cursor moves only as far as needed to stay visible.
pub fn scroll(cx: &mut Cx<'_>, down: bool) {
    let (rows, tab_width) = (rows(cx), cx.state.tab_width());
    let count = cx.state.modal.take_count().unwrap_or(1) as isize;
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    buffer.scroll_by(if down { count } else { -count }, tab_width);
    let top = buffer.area.text().line_of(buffer.area.per_view.view.top).0;
    let (line, _) = buffer.cursor(tab_width);
    // The view keeps three lines around the cursor, so the cursor must do so too.
    let margin = 3.min((rows - 1) / 2);
    let (low, high) = (top + margin, (top + rows).saturating_sub(margin + 1));
    let low = if top == 0 { 0 } else { low };
    let target = line.0.clamp(low.min(high), high);
    if target != line.0 {
        move_by_lines(cx, target as isize - line.0 as isize);
    }
    cx.state.damage.add(Part::Editor);
}

/// Scrolls by a page, or by half a page.
pub fn page(cx: &mut Cx<'_>, down: bool, half: bool) {
    let rows = rows(cx);
    let count = cx.state.modal.take_count();
    let lines = match (half, count) {
        (true, Some(count)) => count,
        (true, None) => (rows / 2).max(1),
        (false, count) => rows.saturating_sub(2).max(1) * count.unwrap_or(1),
    };
    let by = if down { lines as isize } else { -(lines as isize) };
    let tab_width = cx.state.tab_width();
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.scroll_by(by, tab_width);
    }
    move_by_lines(cx, by);
    cx.state.damage.add(Part::Editor);
}

/// Moves every cursor by lines.
fn move_by_lines(cx: &mut Cx<'_>, by: isize) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let text = buffer.area.text().clone();
    let page = visual::page(cx, &text);
    let to_target = |range: &Range| -> (Byte, crate::text::position::Column) {
        let goal = page.goal_column(range);
        let line = page.line(range.head).0.saturating_add_signed(by).min(page.last_line().0);
        (page.at(Line(line), goal), goal)
    };
    if cx.state.modal.mode.is_visual() {
        for range in &mut cx.state.modal.visual.ranges {
            let (head, goal) = to_target(range);
            *range = Range { anchor: range.anchor, head, goal: Some(goal) };
        }
        return visual::show_selection(cx);
    }
    let selection = buffer.area.selection.transform(|range| {
        let (head, goal) = to_target(&range);
        Range { goal: Some(goal), ..Range::cursor(head) }
    });
    cursors::set_selection(cx, selection);
}
