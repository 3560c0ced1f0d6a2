//! Draws the characters of a row in their colors, with the inlays between them.

use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use crate::base::width::{graphemes, is_unsafe, text_width, visible};
use crate::ide::editor::view::pane::DrawContext;
use crate::text::display::columns::{self, width_at};
use crate::text::display::inlay::Inlay;
use crate::text::display::rows::Row;
use crate::text::file_format::format::carried_byte;
use crate::text::position::{Byte, Column};
use crate::tui::canvas::Canvas;

/// Maximum bytes read per cell: more than any cluster of usual text takes.
const BYTES_PER_CELL: usize = 16;

/// Draws the content of a row, without the gutter.
pub(super) fn draw(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16) {
    let (gutter, cols) = (drawn.shown.gutter, drawn.shown.cols);
    let canvas = &mut canvas.sub(Rect::new(gutter, y, cols, 1));
    let text = drawn.lens.text;
    let plain = Style { bg: None, ..canvas.style("ui.text") };
    let inlays = drawn.lens.inlays_in(row);
    // Of a long line only the visible part is read from the rope.
    let is_cut = drawn.shown.left > 0 && drawn.lens.wrap.is_none();
    let (from, start) = if is_cut && inlays.is_empty() {
        let from = columns::at_column(text, row.line, Column(drawn.shown.left), drawn.lens.tab_width);
        (from, columns::column_of(text, from, drawn.lens.tab_width).0)
    } else {
        (row.start, row.indent)
    };
    let most = (usize::from(cols) + 2) * BYTES_PER_CELL;
    let reach = if inlays.is_empty() { most } else { most + drawn.shown.left * BYTES_PER_CELL };
    let to = text.grapheme_floor(row.end.min(from + reach)).max(from);
    let content = text.slice(from..to);
    if let Some(summary) = summary(drawn, row) {
        draw_inlay(canvas, drawn, &summary, drawn.lens.end_column(row));
    }
    let is_plain = inlays.is_empty() && content.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_plain && start >= drawn.shown.left {
        draw_plain(canvas, drawn, &content, (from, (start - drawn.shown.left) as u16), plain);
    } else {
        draw_each(canvas, drawn, &content, (from, start, drawn.lens.tab_stop_width(row)), inlays, plain);
    }
}

/// Returns the summary of the lines folded after a row.
fn summary(drawn: &DrawContext<'_>, row: &Row) -> Option<Inlay> {
    let fold = drawn.lens.folds.fold_after(row.end).filter(|_| row.is_last)?;
    let lines = drawn.lens.text.line_of(fold.end).0 - row.line.0;
    let sign = if drawn.state.is_accessible() { "collapsed" } else { "⋯" };
    let text = if lines == 1 { format!(" {sign} 1 line") } else { format!(" {sign} {lines} lines") };
    Some(Inlay { at: row.end, text, scope: "ui.fold", ..Inlay::default() })
}

/// Draws text with one cell per byte as a whole.
fn draw_plain(
    canvas: &mut Canvas<'_>,
    drawn: &DrawContext<'_>,
    content: &str,
    (from, x): (Byte, u16),
    plain: Style,
) {
    let (cols, _) = canvas.size();
    canvas.content(x, 0, content, plain);
    let to = from + content.len();
    // Colors come later than the text, which would be spoken again.
    if drawn.state.is_accessible() {
        return;
    }
    for colored in drawn.buffer.scopes(&(from..to)) {
        let (first, last) = (colored.range.start.max(from) - from, colored.range.end.min(to) - from);
        let style = canvas.style(colored.scope);
        let cell = |offset: usize| (usize::from(x) + offset).min(usize::from(cols)) as u16;
        canvas.put_style(Rect::new(cell(first), 0, cell(last) - cell(first), 1), style);
    }
}

fn draw_each(
    canvas: &mut Canvas<'_>,
    drawn: &DrawContext<'_>,
    content: &str,
    (from, mut column, tab_width): (Byte, usize, usize),
    inlays: &[Inlay],
    plain: Style,
) {
    let control = canvas.style("ui.control");
    let (cols, _) = canvas.size();
    let scopes = drawn.buffer.scopes(&(from..from + content.len()));
    let scopes = if drawn.state.is_accessible() { &[][..] } else { &scopes[..] };
    let mut colors = scopes.iter().peekable();
    let mut inlays = inlays.iter().skip_while(|inlay| inlay.at < from).peekable();
    let mut at = from;
    for grapheme in graphemes(content) {
        while let Some(inlay) = inlays.next_if(|inlay| inlay.at <= at) {
            column = draw_inlay(canvas, drawn, inlay, column);
        }
        let x = column as isize - drawn.shown.left as isize;
        if x >= isize::from(cols as i16) {
            return;
        }
        match (grapheme, grapheme.chars().next().and_then(carried_byte)) {
            ("\t", _) => {}
            (_, Some(_)) => draw_clipped(canvas, x, &carried_text(grapheme), control),
            _ if grapheme.chars().any(is_unsafe) => draw_clipped(canvas, x, &visible(grapheme), control),
            _ => {
                while colors.next_if(|color| color.range.end <= at).is_some() {}
                let scope = colors.peek().filter(|color| color.range.start <= at).map(|color| color.scope);
                let style = scope.map_or(plain, |scope| plain.patch(canvas.style(scope)));
                draw_clipped(canvas, x, grapheme, style);
            }
        }
        column += width_at(grapheme, column, tab_width);
        at += grapheme.len();
    }
    for inlay in inlays {
        column = draw_inlay(canvas, drawn, inlay, column);
    }
}

/// Draws an inlay; returns the column after it.
pub(super) fn draw_inlay(
    canvas: &mut Canvas<'_>,
    drawn: &DrawContext<'_>,
    inlay: &Inlay,
    column: usize,
) -> usize {
    let mut style = canvas.style(inlay.scope);
    if let Some([r, g, b]) = inlay.color {
        style = style.fg(Color::Rgb(r, g, b));
    }
    let mut at = column;
    for grapheme in graphemes(&visible(&inlay.text)) {
        // An inlay is no text of the user.
        if let Ok(x) = u16::try_from(at as isize - drawn.shown.left as isize) {
            canvas.text(x, 0, grapheme, style);
        }
        at += text_width(grapheme);
    }
    column + inlay.width()
}

/// Returns the symbol for bytes that are invalid UTF-8. Their cells are counted as one each in `columns`, so
/// a longer form such as `<FF>` would not fit.
fn carried_text(grapheme: &str) -> String {
    grapheme.chars().map(|c| if carried_byte(c).is_some() { '\u{fffd}' } else { c }).collect()
}

/// Draws at a column that may be left of the edge; the cut part is omitted.
fn draw_clipped(canvas: &mut Canvas<'_>, x: isize, text: &str, style: Style) {
    if let Ok(x) = u16::try_from(x) {
        canvas.content(x, 0, text, style);
    }
}
