//! Draws what is known of a file beside a list.

use std::path::Path;

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ide::core::damage::Part;
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::features::images::cache::{IMAGES, ImageState};
use crate::ide::features::images::data::{BROKEN, ImageData};
use crate::ide::features::previews::store::{Content, PREVIEWS};
use crate::ide::model::view::display::SoftWrap;
use crate::syntax::highlighting::highlighted_range::HighlightedRange;
use crate::text::display::folds::Folds;
use crate::text::display::rows::{DisplayMap, Row};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::tui::canvas::Canvas;

/// A tab of a preview.
const TAB: &str = "    ";
/// Bytes that a cell has at most, but for long clusters: what is behind cannot be seen.
const CELL_BYTES: usize = 8;

/// Draws what is shown for a row.
pub fn draw(canvas: &mut Canvas<'_>, state: &State, target: &PreviewTarget) {
    let soft = canvas.style("ui.overlay.soft");
    match state.slots[PREVIEWS].get(&target.source) {
        Content::Reading => {}
        Content::Message(text) => {
            canvas.text(1, 0, text, soft);
        }
        Content::Text(text, colors) => {
            let is_prose = SoftWrap::Prose.is_on(target.source.name().as_deref().map(Path::new));
            draw_text(canvas, text, colors.as_ref(), (target.line, target.is_wrapped || is_prose));
        }
        Content::Image(image) => draw_image(canvas, state, image),
    }
}

fn draw_image(canvas: &mut Canvas<'_>, state: &State, image: &std::sync::Arc<ImageData>) {
    let (cols, rows) = canvas.size();
    let soft = canvas.style("ui.overlay.soft");
    canvas.text(1, rows.saturating_sub(1), image.label().trim_matches(['[', ']']), soft);
    let max = (cols.saturating_sub(2), rows.saturating_sub(1));
    match state.slots[IMAGES].borrow_mut().get(image, max, Part::Overlay) {
        ImageState::Ready(encoded) => {
            for row in 0..encoded.cells.1 {
                canvas.image_row(1, row, &encoded, row);
            }
        }
        ImageState::Pending => {}
        ImageState::Broken(_) => {
            canvas.text(1, 0, BROKEN, soft);
        }
    }
}

/// Draws the lines around a line of a text, or its beginning.
fn draw_text(
    canvas: &mut Canvas<'_>,
    text: &Text,
    colors: Option<&HighlightedRange>,
    (line, is_wrapped): (Option<usize>, bool),
) {
    let (cols, rows) = canvas.size();
    let (count, rows) = (text.line_count(), usize::from(rows));
    let target = line.map(|line| line.saturating_sub(1).min(count - 1));
    let digits = (target.unwrap_or(0) + rows).min(count).max(1).ilog10() as usize + 1;
    let room = usize::from(cols).saturating_sub(digits + 2).max(1);
    let folds = Folds::default();
    let wrap = is_wrapped.then_some(room);
    let map = DisplayMap { text, folds: &folds, inlays: &[], tab_width: TAB.len(), wrap };
    let ground = Style { bg: canvas.style("ui.overlay").bg, ..Style::default() };
    for (y, row) in (0..).zip(rows_around(&map, target, rows)) {
        let is_target = target == Some(row.line.0);
        let scope = if is_target { "ui.linenr.active" } else { "ui.overlay.faint" };
        let number = canvas.style(scope).patch(ground);
        let shown = if row.is_first { (row.line.0 + 1).to_string() } else { String::new() };
        let x = canvas.text(0, y, &format!(" {shown:>digits$} "), number);
        draw_row(canvas, (x, y), text, &row, colors);
        if is_target {
            let style = canvas.style("ui.row");
            canvas.put_style(Rect::new(0, y, cols, 1), style);
        }
    }
}

/// Returns the rows of a text with a line in their upper third, or from its beginning; the last page is full.
fn rows_around(map: &DisplayMap<'_>, target: Option<usize>, count: usize) -> Vec<Row> {
    let back = |row: Row, steps: usize| {
        let above = std::iter::successors(Some(row.clone()), |row| map.above(row));
        above.take(steps + 1).last().unwrap_or(row)
    };
    let target = map.row_at(map.text.line_start(Line(target.unwrap_or(0))));
    let rows = map.rows_from(back(target, count / 3), count);
    match rows.first() {
        Some(first) if rows.len() < count => map.rows_from(back(first.clone(), count - rows.len()), count),
        _ => rows,
    }
}

fn draw_row(
    canvas: &mut Canvas<'_>,
    (x, y): (u16, u16),
    text: &Text,
    row: &Row,
    colors: Option<&HighlightedRange>,
) {
    let (start, end) = (row.start, row.end);
    let room = usize::from(canvas.size().0) * CELL_BYTES;
    let end = end.min(text.char_floor((start + room).min(text.end())));
    let plain = canvas.style("ui.overlay");
    let ground = Style { bg: plain.bg, ..Style::default() };
    let shown = |part: std::ops::Range<Byte>| text.slice(part).replace('\t', TAB);
    let indent = u16::try_from(row.indent).unwrap_or(u16::MAX);
    let (mut x, mut at) = (x.saturating_add(indent), start);
    for span in colors.into_iter().flat_map(|colors| colors.within(&(start..end))) {
        let (from, to) = (span.range.start.max(at), span.range.end.min(end));
        if from >= to {
            continue;
        }
        x = canvas.content(x, y, &shown(at..from), plain);
        let style = canvas.style(span.scope).patch(ground);
        x = canvas.content(x, y, &shown(from..to), style);
        at = to;
    }
    canvas.content(x, y, &shown(at..end), plain);
}
