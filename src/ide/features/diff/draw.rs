//! Draws the diff view: texts side by side on a wide screen, else one below the other.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::width::{graphemes, is_unsafe, visible};
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::frame;
use crate::ide::core::state::State;
use crate::ide::features::diff::rows::{DiffRows, Row};
use crate::ide::features::diff::view::DiffView;
use crate::syntax::highlighting::highlighted_range::{HighlightedRange, Spans};
use crate::text::compare;
use crate::text::display::columns::{self, width_at};
use crate::text::file_format::format::is_carried;
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;
use crate::tui::canvas::Canvas;

/// Maximum bytes read per cell: more than any cluster of usual text takes.
const BYTES_PER_CELL: usize = 16;
/// Longer lines are shown without a comparison of words.
const LINE_MAX: usize = 4 << 10;
/// Keys in the footer, with short descriptions.
const KEYS: &[(&str, &str)] = &[
    ("diff.next", "next"),
    ("diff.previous", "previous"),
    ("diff.take", "take"),
    ("diff.undo", "undo"),
    ("diff.toggle-fold", "fold"),
    ("diff.toggle-folds", "all regions"),
    ("diff.toggle-sides", "sides"),
    ("diff.copy", "copy"),
    ("list.accept", "Go to line"),
    ("app.escape", "close"),
];

/// Returns its area: everything but the status line.
pub fn view_area((cols, rows): (u16, u16)) -> Rect {
    Rect::new(0, 0, cols, rows - u16::from(rows > 4))
}

/// Returns the number of text rows.
pub fn height(size: (u16, u16)) -> usize {
    usize::from(view_area(size).height.saturating_sub(2)).max(1)
}

/// A part of a row that shows a line of one text.
struct Side<'a> {
    text: &'a Text,
    line: usize,
    sign: &'a str,
    scope: &'static str,
    word: &'static str,
    /// Bytes of the line that differ from its counterpart.
    words: &'a [Range<usize>],
    /// Note after the line.
    note: &'a str,
    /// Colors of the text, once they are known.
    colors: Option<&'a HighlightedRange>,
}

/// Data shared by all rows.
struct DrawContext<'a> {
    view: &'a DiffRows,
    old: &'a Text,
    /// Columns of a line's number.
    digits: u16,
    tab_width: usize,
}

/// Draws the view.
pub fn draw(canvas: &mut Canvas<'_>, view: &DiffView, state: &State) {
    let side_by_side = view.is_side_by_side(state.size.0);
    let notes: String = view.notes.iter().flat_map(|note| ["; ", note.as_str()]).collect();
    let title = visible(&format!("{} → {}{notes}", view.old_name, view.new_name)).into_owned();
    let (more, less) = view.counts();
    let right = if view.old.is_some() { format!("+{more} −{less}") } else { String::new() };
    let key =
        |(id, name): &(&str, &str)| Some(format!("{} {name}", state.keymap.keys_for(KeyContext::Diff, id)?));
    let footer = KEYS.iter().filter_map(key).collect::<Vec<_>>().join("  ");
    let inner = frame::draw(canvas, &title, &right, &footer);
    let mut inside = canvas.sub(inner);
    if view.old.is_none() {
        let soft = inside.style("ui.overlay.soft");
        inside.text(1, 0, "comparing…", soft);
        return;
    }
    let tab_width = state.buffers.all().iter().find(|buffer| buffer.id == view.buffer);
    let tab_width = tab_width
        .map_or(state.text_options.tab_width, |buffer| buffer.tab_width(state.text_options.tab_width));
    draw_rows(&mut inside, view, side_by_side, tab_width);
}

/// Draws the rows of two texts. The selected one has another background below its number.
pub fn draw_rows(canvas: &mut Canvas<'_>, view: &DiffRows, side_by_side: bool, tab_width: usize) {
    let Some(old) = &view.old else { return };
    let last = compare::line_count(old).max(compare::line_count(&view.new)).max(1);
    let drawn = DrawContext { view, old, digits: last.ilog10() as u16 + 1, tab_width };
    let (cols, rows) = canvas.size();
    let top = view.top(usize::from(rows), side_by_side);
    let selected = view.selected(side_by_side);
    for y in 0..rows {
        let at = top + usize::from(y);
        let Some(row) = view.row(at, side_by_side) else { break };
        let mut part = canvas.sub(Rect::new(0, y, cols, 1));
        if let Row::Fold(lines) = row {
            let fold = part.style("diff.fold");
            part.text(drawn.digits + 1, 0, &format!("⋯ {lines} unchanged lines"), fold);
        } else if side_by_side {
            draw_side_by_side(&mut part, &drawn, &row);
        } else {
            draw_stacked(&mut part, &drawn, &row);
        }
        if at == selected {
            let style = part.style("ui.row");
            part.put_style(Rect::new(0, 0, drawn.digits, 1), style);
            part.place_caret(0, 0);
        }
    }
}

/// The differing words of two corresponding lines, and notes for lines that differ only in their line
/// endings.
struct Pair {
    words: (Vec<Range<usize>>, Vec<Range<usize>>),
    notes: (&'static str, &'static str),
}

fn pair(drawn: &DrawContext<'_>, lines: Option<(usize, usize)>) -> Pair {
    let mut made = Pair { words: Default::default(), notes: ("", "") };
    let Some((old, new)) = lines else { return made };
    let length = |text: &Text, line: usize| text.line_end(Line(line)) - text.line_start(Line(line));
    if length(drawn.old, old).max(length(&drawn.view.new, new)) > LINE_MAX {
        return made;
    }
    let (was, is) = (drawn.old.line(Line(old)), drawn.view.new.line(Line(new)));
    if was == is {
        made.notes = (ending(drawn.old, old), ending(&drawn.view.new, new));
    } else {
        made.words = compare::differing_words(&was, &is);
    }
    made
}

/// Returns the name of a line's ending, for the user.
fn ending(text: &Text, line: usize) -> &'static str {
    let (end, next) = (text.line_end(Line(line)), text.line_start(Line(line + 1)));
    match next - end {
        0 => " (no line feed)",
        1 => " (LF)",
        _ => " (CRLF)",
    }
}

fn draw_side_by_side(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row) {
    let (cols, _) = canvas.size();
    let half = cols.saturating_sub(1) / 2;
    let line = canvas.style("ui.overlay.border");
    canvas.text(half, 0, "│", line);
    let (old, new, pair) = sides(drawn, row);
    let is_changed = matches!(row, Row::Changed { old: Some(_), new: Some(_), pair: Some(_) });
    let halves = [(old, 0, half, drawn.old), (new, half + 1, cols - half - 1, &drawn.view.new)];
    for (n, (line, x, width, text)) in halves.into_iter().enumerate() {
        let Some(line) = line else { continue };
        let (sign, scope, word) = match (row, n) {
            (Row::Unchanged(..), _) => (" ", "ui.overlay", "ui.overlay"),
            (_, 0) => (if is_changed { "~" } else { "-" }, "diff.removed", "diff.removed.word"),
            _ => (if is_changed { "~" } else { "+" }, "diff.added", "diff.added.word"),
        };
        let (words, note) =
            if n == 0 { (&pair.words.0, pair.notes.0) } else { (&pair.words.1, pair.notes.1) };
        let mut part = canvas.sub(Rect::new(x, 0, width, 1));
        let gutter = draw_number(&mut part, drawn, 0, Some(line));
        let colors = if n == 0 { &drawn.view.colors.old } else { &drawn.view.colors.new };
        let side = Side { text, line, sign, scope, word, words, note, colors: colors.as_ref() };
        draw_side(&mut part, drawn, gutter, &side);
    }
}

/// Returns the lines that a row shows, and how they correspond.
fn sides(drawn: &DrawContext<'_>, row: &Row) -> (Option<usize>, Option<usize>, Pair) {
    match row {
        Row::Fold(_) => (None, None, pair(drawn, None)),
        Row::Unchanged(old, new) => (Some(*old), Some(*new), pair(drawn, None)),
        Row::Changed { old, new, pair: lines } => (*old, *new, pair(drawn, *lines)),
    }
}

fn draw_stacked(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row) {
    let (old, new, pair) = sides(drawn, row);
    let x = draw_number(canvas, drawn, 0, old);
    let x = draw_number(canvas, drawn, x, new);
    let colors = &drawn.view.colors;
    let side = match (row, old, new) {
        (Row::Unchanged(..), _, Some(line)) => {
            let (scope, text) = ("ui.overlay", &drawn.view.new);
            let colors = colors.new.as_ref();
            Side { text, line, sign: " ", scope, word: scope, words: &[], note: "", colors }
        }
        (_, Some(line), _) => Side {
            text: drawn.old,
            line,
            sign: "-",
            scope: "diff.removed",
            word: "diff.removed.word",
            words: &pair.words.0,
            note: pair.notes.0,
            colors: colors.old.as_ref(),
        },
        (_, None, Some(line)) => Side {
            text: &drawn.view.new,
            line,
            sign: "+",
            scope: "diff.added",
            word: "diff.added.word",
            words: &pair.words.1,
            note: pair.notes.1,
            colors: colors.new.as_ref(),
        },
        _ => return,
    };
    draw_side(canvas, drawn, x, &side);
}

/// Draws a line's number, if there is one; returns the column after it.
fn draw_number(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, x: u16, line: Option<usize>) -> u16 {
    let style = canvas.style("ui.overlay.faint").patch(canvas.style("diff.number"));
    let width = usize::from(drawn.digits);
    if let Some(line) = line {
        canvas.text(x, 0, &format!("{:>width$}", line + 1), style);
    }
    x + drawn.digits + 1
}

/// Draws a sign and a line from a column on.
fn draw_side(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, x: u16, side: &Side<'_>) {
    let (cols, _) = canvas.size();
    let style = canvas.style(side.scope);
    let marked = canvas.style(side.word);
    if side.scope != "ui.overlay" {
        canvas.fill(Rect::new(x, 0, cols.saturating_sub(x), 1), style);
    }
    canvas.text(x, 0, side.sign, style);
    let mut part = canvas.sub(Rect::new(x + 2, 0, cols.saturating_sub(x + 2), 1));
    draw_line(&mut part, drawn, side, (style, marked));
}

fn draw_line(
    canvas: &mut Canvas<'_>,
    drawn: &DrawContext<'_>,
    side: &Side<'_>,
    (style, marked): (Style, Style),
) {
    let (text, line, left) = (side.text, Line(side.line), drawn.view.left);
    let (cols, _) = canvas.size();
    let (start, end) = (text.line_start(line), text.line_end(line));
    let from = if left == 0 { start } else { columns::at_column(text, line, Column(left), drawn.tab_width) };
    let mut column = columns::column_of(text, from, drawn.tab_width).0;
    let to = text.grapheme_floor(end.min(from + (usize::from(cols) + 2) * BYTES_PER_CELL)).max(from);
    let tab_width = columns::tab_stop_width(text, line, drawn.tab_width);
    let mut at: Byte = from;
    let mut syntax = SyntaxStyles::new(canvas, side, from..to, style);
    for grapheme in graphemes(&text.slice(from..to)) {
        let x = column.saturating_sub(left) as u16;
        if x >= cols {
            let more = canvas.style("diff.fold");
            canvas.text(cols.saturating_sub(1), 0, "›", Style { bg: style.bg, ..more });
            return;
        }
        let differs = side.words.iter().any(|word| word.contains(&(at - start)));
        let style = syntax.at(canvas, at).patch(if differs { marked } else { Style::default() });
        let width = width_at(grapheme, column, tab_width);
        if column < left {
            // The part cut at the edge is omitted.
        } else if grapheme == "\t" {
            canvas.put_style(Rect::new(x, 0, width as u16, 1), style);
        } else if grapheme.chars().any(is_carried) {
            canvas.text(x, 0, "\u{fffd}", style);
        } else if grapheme.chars().any(is_unsafe) {
            canvas.text(x, 0, &visible(grapheme), style);
        } else {
            canvas.content(x, 0, grapheme, style);
        }
        column += width;
        at += grapheme.len();
    }
    if at == end && !side.note.is_empty() {
        canvas.text(column.saturating_sub(left) as u16, 0, side.note, style.patch(marked));
    }
}

/// The styles of a line by the syntax of its text: the color of the syntax on the background of the change.
struct SyntaxStyles<'a> {
    spans: std::iter::Peekable<Spans<'a>>,
    /// Style of text without colors.
    plain: Style,
    /// Background of the line.
    ground: Style,
}

impl<'a> SyntaxStyles<'a> {
    fn new(canvas: &Canvas<'_>, side: &Side<'a>, shown: Range<Byte>, ground: Style) -> Self {
        // Where the colors are known, plain code has the color of text.
        let plain = if side.colors.is_some() { ground.patch(canvas.style("variable")) } else { ground };
        let spans = side.colors.map(|colors| colors.within(&shown)).unwrap_or_default();
        Self { spans: spans.peekable(), plain, ground }
    }

    /// Returns the style at a position. Positions grow from call to call.
    fn at(&mut self, canvas: &Canvas<'_>, at: Byte) -> Style {
        while self.spans.next_if(|span| span.range.end <= at).is_some() {}
        match self.spans.peek() {
            Some(span) if span.range.start <= at => self.ground.patch(canvas.style(span.scope)),
            _ => self.plain,
        }
    }
}
