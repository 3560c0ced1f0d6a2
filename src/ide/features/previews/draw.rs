//! Draws what is known of a file beside a list.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ide::core::damage::Part;
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::features::images::cache::{IMAGES, ImageState};
use crate::ide::features::images::data::{BROKEN, ImageData};
use crate::ide::features::previews::store::{Content, PREVIEWS};
use crate::syntax::highlighting::highlighted_range::HighlightedRange;
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
        Content::Text(text, colors) => draw_text(canvas, text, colors.as_ref(), target.line),
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
fn draw_text(canvas: &mut Canvas<'_>, text: &Text, colors: Option<&HighlightedRange>, line: Option<usize>) {
    let (cols, rows) = canvas.size();
    let (count, rows) = (text.line_count(), usize::from(rows));
    let target = line.map(|line| line.saturating_sub(1).min(count - 1));
    let first = target.map_or(0, |target| target.saturating_sub(rows / 3)).min(count.saturating_sub(rows));
    let digits = (first + rows).min(count).max(1).ilog10() as usize + 1;
    let ground = Style { bg: canvas.style("ui.overlay").bg, ..Style::default() };
    for (y, n) in (0..).zip(first..(first + rows).min(count)) {
        let scope = if target == Some(n) { "ui.linenr.active" } else { "ui.overlay.faint" };
        let number = canvas.style(scope).patch(ground);
        let x = canvas.text(0, y, &format!(" {:>digits$} ", n + 1), number);
        draw_line(canvas, (x, y), text, Line(n), colors);
        if target == Some(n) {
            let style = canvas.style("ui.row");
            canvas.put_style(Rect::new(0, y, cols, 1), style);
        }
    }
}

fn draw_line(
    canvas: &mut Canvas<'_>,
    (x, y): (u16, u16),
    text: &Text,
    line: Line,
    colors: Option<&HighlightedRange>,
) {
    let (start, end) = (text.line_start(line), text.line_end(line));
    let room = usize::from(canvas.size().0) * CELL_BYTES;
    let end = end.min(text.char_floor((start + room).min(text.end())));
    let plain = canvas.style("ui.overlay");
    let ground = Style { bg: plain.bg, ..Style::default() };
    let shown = |part: std::ops::Range<Byte>| text.slice(part).replace('\t', TAB);
    let (mut x, mut at) = (x, start);
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
