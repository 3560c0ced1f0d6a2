//! Where pop-ups at the editor's caret stand on the screen. Must not know what is in them.

use ratatui::layout::Rect;

use crate::ide::core::state::State;
use crate::text::position::Byte;

/// Returns the cell of the screen where a position of the shown text is, if it is in the window. A column beyond the
/// right edge is that edge.
pub fn cell(state: &State, at: Byte) -> Option<(u16, u16)> {
    let buffer = state.buffers.current()?;
    let shown = state.visible_rows.as_ref().filter(|shown| shown.buffer == buffer.id)?;
    let head = buffer.area.per_view.folds.nearest_visible(at);
    let y = shown.row_of(head)?;
    let lens = buffer.area.display_map(buffer.tab_width(state.text_options.tab_width));
    let column = lens.column(&shown.rows[usize::from(y)], head).saturating_sub(shown.left);
    let x = u16::try_from(column).unwrap_or(u16::MAX).min(shown.cols);
    Some((shown.area.x + shown.gutter + x, shown.area.y + y))
}

/// Returns the area of a pop-up of `wanted` columns and rows at a cell, on a screen of this size: below its row if there
/// is room, or more of it than above; the row itself stays visible.
pub fn area(at: (u16, u16), wanted: (u16, u16), size: (u16, u16)) -> Rect {
    area_on_side(at, wanted, size, None)
}

/// Returns the same on a side: above the row, or below it. Without any room there it is the other one.
pub fn area_on_side(
    (x, y): (u16, u16),
    wanted: (u16, u16),
    size: (u16, u16),
    is_above: Option<bool>,
) -> Rect {
    let width = wanted.0.min(size.0);
    let (above, below) = (y.min(size.1), size.1.saturating_sub(y + 1));
    let is_below = match is_above {
        Some(true) if above > 0 => false,
        Some(false) if below > 0 => true,
        _ => wanted.1 <= below || below >= above,
    };
    let height = wanted.1.min(if is_below { below } else { above }).max(1).min(size.1);
    let top = if is_below { y + 1 } else { above - height.min(above) };
    Rect { x: x.min(size.0 - width), y: top.min(size.1.saturating_sub(height)), width, height }
}

/// Returns whether a pop-up of that many rows stays on a side of its row: while all of it fits there, or no less of it than
/// on the other one.
pub fn stays_on_side(y: u16, wanted: u16, rows: u16, is_above: bool) -> bool {
    let (above, below) = (y.min(rows), rows.saturating_sub(y + 1));
    let (room, other) = if is_above { (above, below) } else { (below, above) };
    room >= wanted || room >= other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pop_up_at_caret_leaves_its_row_free_and_stays_on_the_screen() {
        let at = |cell, wanted| {
            let area = area(cell, wanted, (80, 24));
            (area.x, area.y, area.width, area.height)
        };
        assert_eq!(at((10, 3), (20, 8)), (10, 4, 20, 8));
        assert_eq!(at((70, 20), (20, 8)), (60, 12, 20, 8), "above, and moved to the left");
        assert_eq!(at((0, 11), (200, 50)), (0, 12, 80, 12), "as much as there is room for");
        assert_eq!(area((0, 0), (5, 5), (3, 1)), Rect::new(0, 0, 3, 1));
        let on_side = |y, is_above| area_on_side((0, y), (20, 2), (80, 24), Some(is_above)).y;
        assert_eq!([on_side(10, true), on_side(10, false)], [8, 11], "where it is wanted");
        assert_eq!([on_side(0, true), on_side(23, false)], [1, 21], "no room there");
    }

    #[test]
    fn pop_up_at_caret_leaves_its_side_only_for_one_with_more_room() {
        assert!(stays_on_side(22, 1, 24, false), "all of it fits");
        assert!(!stays_on_side(22, 2, 24, false) && stays_on_side(22, 2, 24, true));
        assert!(!stays_on_side(3, 8, 24, true), "below is more room");
        assert!(stays_on_side(12, 50, 24, true) && !stays_on_side(12, 50, 24, false), "it fits on none");
    }
}
