//! Draws a comparison: the two points, the parts that differ, and the lines of the selected part.

use ratatui::layout::Rect;

use crate::base::plural::pluralize;
use crate::base::width::{text_width, truncate, visible};
use crate::ide::core::layers::frame;
use crate::ide::features::comparison::view::ComparisonView;
use crate::ide::features::restore::draw::{diff_rows, sign};
use crate::patch::diff::LineDiff;
use crate::tui::canvas::Canvas;

/// From this width on the lines are beside the parts instead of below them.
const WIDE: u16 = 90;
/// Columns of the parts beside the lines.
const LIST: u16 = 38;
/// Rows of the two points, and of a window below which they are left out.
const POINTS: u16 = 2;
const POINTS_FROM: u16 = 6;

/// Draws the comparison.
pub fn draw(canvas: &mut Canvas<'_>, view: &ComparisonView) {
    let mut right = pluralize(view.found.common_turns, "common turn", "common turns");
    if let Ok(files) = &view.found.files {
        right.push_str(&format!("  {}", pluralize(files.len(), "file", "files")));
    }
    let footer = "↑↓ parts  PgUp PgDn lines  Escape close";
    let inner = frame::draw(canvas, "Compare", &right, footer);
    let mut inside = canvas.sub(inner);
    let (cols, rows) = inside.size();
    let points = if rows < POINTS_FROM { 0 } else { POINTS };
    draw_points(&mut inside.sub(Rect::new(0, 0, cols, points)), view);
    let body = rows - points;
    let mut inside = inside.sub(Rect::new(0, points, cols, body));
    if inside.has_room_beside(WIDE) {
        draw_parts(&mut inside.sub(Rect::new(0, 0, LIST, body)), view);
        draw_lines(&mut inside.sub(Rect::new(LIST + 1, 0, cols - LIST - 1, body)), view);
    } else {
        let parts = view.files().len() + 1 + usize::from(view.found.files.is_err());
        let above = parts.min(usize::from(body / 2).max(1)) as u16;
        draw_parts(&mut inside.sub(Rect::new(0, 0, cols, above)), view);
        draw_lines(&mut inside.sub(Rect::new(0, above, cols, body.saturating_sub(above))), view);
    }
}

/// Draws what the signs before lines stand for.
fn draw_points(canvas: &mut Canvas<'_>, view: &ComparisonView) {
    let (cols, rows) = canvas.size();
    for (y, (point, (sign, scope))) in
        (0..rows.min(POINTS)).zip(view.points.iter().zip([("−", "diff.removed"), ("+", "diff.added")]))
    {
        let style = canvas.style(scope);
        canvas.fill(Rect::new(0, y, cols, 1), style);
        let line = format!(" {sign} {}", visible(&point.text));
        canvas.text(0, y, &truncate(&line, usize::from(cols)), style);
    }
}

fn counts(diff: Option<&LineDiff>) -> String {
    diff.map_or_else(String::new, |diff| format!("+{} −{}", diff.added, diff.removed))
}

fn draw_parts(canvas: &mut Canvas<'_>, view: &ComparisonView) {
    let (cols, rows) = canvas.size();
    let page = usize::from(rows.max(1));
    let files = view.files();
    let first = (view.selected / page * page).min((files.len() + 1).saturating_sub(page));
    let (plain, soft) = (canvas.style("ui.overlay"), canvas.style("ui.overlay.soft"));
    let parts = (first..=files.len()).take(page);
    for (y, part) in (0..rows).zip(parts) {
        let (mark, scope, name, note) = match part.checked_sub(1) {
            None => {
                (" ", "ui.overlay.soft", "Conversation".to_string(), counts(Some(&view.found.conversation)))
            }
            Some(file) => {
                let (mark, scope) = sign(&files[file]);
                (
                    mark,
                    scope,
                    visible(&files[file].name.to_string()).into_owned(),
                    counts(files[file].diff.as_ref()),
                )
            }
        };
        let style = canvas.style(scope);
        canvas.text(1, y, mark, style);
        let width = text_width(&note) as u16;
        canvas.text(3, y, &truncate(&name, usize::from(cols.saturating_sub(width + 5))), plain);
        canvas.text(cols.saturating_sub(width + 1), y, &note, soft);
        if part == view.selected {
            let style = canvas.style("ui.row");
            canvas.select_row(Rect::new(0, y, cols, 1), style);
        }
    }
    let below = (files.len() + 1 - first) as u16;
    let note = match &view.found.files {
        Err(reason) => reason.as_str(),
        Ok(files) if files.is_empty() => "No file differs",
        Ok(_) => return,
    };
    if below < rows {
        canvas.text(1, below, &truncate(&visible(note), usize::from(cols.saturating_sub(2))), soft);
    }
}

fn draw_lines(canvas: &mut Canvas<'_>, view: &ComparisonView) {
    let soft = canvas.style("ui.overlay.soft");
    match view.current() {
        None => {
            canvas.text(1, 0, "Binary, or too long to compare", soft);
        }
        Some(diff) if diff.rows.is_empty() => {
            let same = if view.selected == 0 {
                "Nothing else was said"
            } else {
                "Only the file type or permissions differ"
            };
            canvas.text(1, 0, same, soft);
        }
        Some(diff) => diff_rows(canvas, diff, view.top, 0),
    }
}
