//! The frame around overlays: a title at the top left, a count at the top right, keys at the bottom.

use std::borrow::Cow;

use ratatui::layout::Rect;

use crate::base::width::{text_width, truncate};
use crate::tui::canvas::Canvas;

/// Below this size overlays take the whole screen.
const SMALL: (u16, u16) = (44, 12);

/// Minimum columns beside an overlay; with less room it takes the whole width.
const MARGIN_MIN: u16 = 3;

/// Returns an area of `cols` by `rows` in the upper middle of the screen, or all of a small screen.
pub fn frame_area(size: (u16, u16), cols: u16, rows: u16) -> Rect {
    if size.0 < SMALL.0 || size.1 < SMALL.1 {
        let rows = rows.min(size.1);
        return Rect::new(0, size.1 - rows, size.0, rows);
    }
    // Two columns of another screen on both sides would say nothing.
    let cols = if cols + 2 * MARGIN_MIN > size.0 { size.0 } else { cols };
    let rows = rows.min(size.1 - 3);
    Rect::new((size.0 - cols) / 2, (size.1 - rows) / 4 + 1, cols, rows)
}

/// Between the keys of a footer.
const KEY_GAP: &str = "  ";

/// Returns as many keys of a footer as there is room for: the first one, which does what the list is for, the one that
/// closes, the one that shows all keys, and then the others in their order; `…` says that there are more.
fn fit_keys(footer: &str, room: usize) -> Cow<'_, str> {
    if text_width(footer) <= room {
        return footer.into();
    }
    let keys: Vec<&str> = footer.split(KEY_GAP).collect();
    let rank = |at: usize| match keys[at] {
        _ if at == 0 => 0,
        key if key.starts_with("Escape") => 1,
        key if key.ends_with(" keys") => 2,
        _ => 3,
    };
    let mut by_rank: Vec<usize> = (0..keys.len()).collect();
    by_rank.sort_by_key(|at| rank(*at));
    let mut used = text_width("…");
    let fits = |at: &usize| {
        used += text_width(keys[*at]) + KEY_GAP.len();
        used <= room
    };
    let mut shown: Vec<usize> = by_rank.into_iter().take_while(fits).collect();
    if shown.is_empty() {
        return truncate(keys[0], room);
    }
    shown.sort_by_key(|at| (rank(*at) == 1 || rank(*at) == 2, *at));
    let shown: Vec<&str> = shown.into_iter().map(|at| keys[at]).collect();
    format!("{}{KEY_GAP}…", shown.join(KEY_GAP)).into()
}

/// Returns the part of an area inside its frame; a small one has none.
pub fn inner(area: Rect) -> Rect {
    if area.width < 4 || area.height < 3 {
        return area;
    }
    Rect::new(area.x + 1, area.y + 1, area.width - 2, area.height - 2)
}

/// Draws the frame and returns the area inside it.
pub fn draw(canvas: &mut Canvas<'_>, title: &str, right: &str, footer: &str) -> Rect {
    let (cols, rows) = canvas.size();
    let whole = Rect::new(0, 0, cols, rows);
    if inner(whole) == whole {
        return whole;
    }
    let (ground, border, head) =
        (canvas.style("ui.overlay"), canvas.style("ui.overlay.border"), canvas.style("ui.overlay.title"));
    canvas.fill(Rect::new(0, 0, cols, rows), ground);
    let line = "─".repeat(usize::from(cols) - 2);
    canvas.text(0, 0, &format!("╭{line}╮"), border);
    canvas.text(0, rows - 1, &format!("╰{line}╯"), border);
    for y in 1..rows - 1 {
        canvas.text(0, y, "│", border);
        canvas.text(cols - 1, y, "│", border);
    }
    let room = usize::from(cols) - 4;
    canvas.text(2, 0, &format!(" {} ", truncate(title, room.saturating_sub(2))), head);
    let right_width = text_width(right) + 2;
    if !right.is_empty() && text_width(title) + right_width + 4 < room {
        canvas.text(cols - 2 - right_width as u16, 0, &format!(" {right} "), border);
    }
    if !footer.is_empty() {
        let soft = canvas.style("ui.overlay.soft");
        canvas.text(2, rows - 1, &format!(" {} ", fit_keys(footer, room.saturating_sub(2))), soft);
    }
    inner(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_footer_keeps_whole_keys_and_the_one_that_closes() {
        let footer = "Enter open  a accept  r reject  Escape close  n next";
        assert_eq!(fit_keys(footer, 60), footer);
        assert_eq!(fit_keys(footer, 40), "Enter open  a accept  Escape close  …");
        assert_eq!(fit_keys(footer, 27), "Enter open  Escape close  …");
        assert_eq!(
            fit_keys(footer, 20),
            "Enter open  …",
            "not the one that closes without what the list is for"
        );
        assert_eq!(fit_keys(footer, 8), "Enter o…");
        let many = "Enter resume here  n new branch  ? all keys  Escape close";
        assert_eq!(fit_keys(many, 36), "Enter resume here  Escape close  …");
        for room in 0..60 {
            assert!(text_width(&fit_keys(footer, room)) <= room, "{room}");
        }
    }
}
