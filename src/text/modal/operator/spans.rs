//! Converts a motion's range to the text that an operator covers. Must not know operators beyond whether they
//! delete.

use std::ops::Range as ByteRange;

use crate::text::clipboard::content::{Content, ContentShape};
use crate::text::display::columns::at_column;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::motion::motion_target::{Extent, MotionTarget};
use crate::text::position::{Byte, Column, Line};

/// The text that an operator covers at one cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorSpan {
    /// The text: one span, or one for each row of a rectangle, in order.
    pub spans: Vec<ByteRange<Byte>>,
    /// Its shape.
    pub shape: ContentShape,
    /// The cursor afterwards, unless the operator sets it.
    pub start: Byte,
    /// The motion's goal column, if any.
    pub goal: Option<Column>,
    /// Whether a characterwise range became linewise.
    pub widened: bool,
    /// For a rectangle: the first column, and the one after the last.
    pub columns: (Column, Column),
    /// For a rectangle: whether each row extends to the end of its line.
    pub to_end: bool,
    /// For a rectangle: how much of the characters at its sides is covered, for each row.
    pub sides: Vec<Sides>,
}

/// How a rectangle cuts through a tab or a wide character at the sides of a row, in columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sides {
    /// Columns outside of it, left and right.
    pub outside: (usize, usize),
    /// Columns inside of it.
    pub inside: (usize, usize),
    /// Bytes of the characters.
    pub bytes: (usize, usize),
}

impl OperatorSpan {
    /// Creates a piece with one shape, and the cursor afterwards.
    pub fn new(spans: Vec<ByteRange<Byte>>, shape: ContentShape, start: Byte) -> Self {
        Self {
            spans,
            shape,
            start,
            goal: None,
            widened: false,
            columns: (Column(0), Column(0)),
            to_end: false,
            sides: Vec::new(),
        }
    }
}

/// Explicitly requested range type, overriding the motion's: `v`, `V`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcedMotion {
    /// Characterwise; the end is included if it was not.
    Chars,
    /// By lines.
    Lines,
}

/// Returns the text covered between a position and a motion's landing. `deletes`: several lines whose rest is
/// white space are deleted linewise.
pub fn motion_span(
    page: ModalText<'_>,
    from: Byte,
    landing: &MotionTarget,
    forced: Option<ForcedMotion>,
    deletes: bool,
) -> OperatorSpan {
    OperatorSpan { goal: landing.goal, ..taken(page, from, landing, forced, deletes) }
}

fn taken(
    page: ModalText<'_>,
    from: Byte,
    landing: &MotionTarget,
    forced: Option<ForcedMotion>,
    deletes: bool,
) -> OperatorSpan {
    let begin = landing.from.unwrap_or(from);
    let (start, end) = (begin.min(landing.to), begin.max(landing.to));
    let extent = match (forced, landing.extent) {
        (None, extent) => extent,
        (Some(ForcedMotion::Lines), _) => Extent::Lines,
        (Some(ForcedMotion::Chars), Extent::Exclusive | Extent::Exact) => Extent::Inclusive,
        (Some(ForcedMotion::Chars), _) => Extent::Exclusive,
    };
    if extent == Extent::Lines {
        return lines(page, page.line(start), page.line(end), start);
    }
    let several = page.line(start) < page.line(end);
    let (mut stop, mut inclusive) = (end, extent == Extent::Inclusive);
    // A range that ends before the first column of a line excludes it.
    if extent == Extent::Exclusive && several && end == page.start_of(end) {
        let above = Line(page.line(end).0 - 1);
        if page.in_indent(start) {
            return OperatorSpan { widened: true, ..lines(page, page.line(start), above, start) };
        }
        stop = page.last_of(above);
        inclusive = !page.is_empty_line(above);
    }
    let stop = if inclusive { page.right(stop) } else { stop };
    if deletes && forced.is_none() && page.line(start) < page.line(stop) && page.in_indent(start) {
        let rest = page.text.slice(stop..page.end_of(stop));
        if rest.chars().all(char::is_whitespace) {
            return lines(page, page.line(start), page.line(stop), start);
        }
    }
    OperatorSpan::new(vec![start..stop.max(start)], ContentShape::Chars, start)
}

/// Returns whole lines.
pub fn lines(page: ModalText<'_>, first: Line, last: Line, start: Byte) -> OperatorSpan {
    OperatorSpan::new(vec![page.lines(first, last)], ContentShape::Lines, start)
}

/// Returns a selection including both ends; the end of a line counts as a character, except of the last.
pub fn selection_span(page: ModalText<'_>, anchor: Byte, head: Byte) -> OperatorSpan {
    let (start, end) = (anchor.min(head), anchor.max(head));
    let stop = match page.at_end(end) {
        true if page.line(end) < page.last_line() => page.start(Line(page.line(end).0 + 1)),
        true => end,
        false => page.right(end),
    };
    OperatorSpan::new(vec![start..stop.max(start)], ContentShape::Chars, start)
}

/// Returns the columns of a rectangle whose corners are characters: the first one, and the one after the
/// last.
pub fn columns(page: ModalText<'_>, anchor: Byte, head: Byte) -> (Column, Column) {
    let left = page.column(anchor).min(page.column(head));
    // The end of a line is a column, too.
    let right = |at| {
        if page.at_end(at) { Column(page.column(at).0 + 1) } else { page.column(page.right(at)) }
    };
    let end = right(anchor).max(right(head)).max(Column(left.0 + 1));
    (left, end)
}

/// Returns the text in a rectangle of [`columns`]; `to_end`: each row extends to the end of its line.
pub fn block(
    page: ModalText<'_>,
    anchor: Byte,
    head: Byte,
    (left, right): (Column, Column),
    to_end: bool,
) -> OperatorSpan {
    let (first, last) = (page.line(anchor.min(head)), page.line(anchor.max(head)));
    let (spans, sides): (Vec<_>, Vec<_>) =
        (first.0..=last.0).map(|line| row(page, Line(line), left, right, to_end)).unzip();
    let start = spans[0].start;
    let longest = spans.iter().map(|span| page.column(span.end)).max().unwrap_or(right);
    let columns = (left, if to_end { longest.max(left) } else { right });
    OperatorSpan { columns, to_end, sides, ..OperatorSpan::new(spans, ContentShape::Block, start) }
}

/// Returns a row of a rectangle: its characters, including partially covered ones, and how much of them is
/// covered.
fn row(
    page: ModalText<'_>,
    line: Line,
    left: Column,
    right: Column,
    to_end: bool,
) -> (ByteRange<Byte>, Sides) {
    let end = page.end(line);
    let start = at_column(page.text, line, left, page.tab_width);
    let stop = if to_end { end } else { at_column(page.text, line, right, page.tab_width) };
    let cut = |at: Byte, column: Column| at < end && page.column(at) < column;
    let mut sides = Sides::default();
    if cut(start, left) {
        let next = page.right(start);
        sides.outside.0 = left.0 - page.column(start).0;
        sides.inside.0 = page.column(next).0.min(right.0.max(left.0)) - left.0;
        sides.bytes.0 = next - start;
    }
    if to_end || !cut(stop, right) {
        return (start..stop.max(start), sides);
    }
    let next = page.right(stop);
    sides.outside.1 = page.column(next).0 - right.0;
    if stop > start || sides.bytes.0 == 0 {
        sides.inside.1 = right.0 - page.column(stop).0.max(left.0);
        sides.bytes.1 = next - stop;
    }
    (start..next, sides)
}

/// Returns the edit that inserts characters at a column of a line, or at its end: a tab cut by the column
/// becomes spaces on both sides; before another cut character as many spaces are inserted.
pub fn inserted(page: ModalText<'_>, line: Line, column: Column, new: &str) -> (ByteRange<Byte>, String) {
    let at = at_column(page.text, line, column, page.tab_width);
    let before = column.0.saturating_sub(page.column(at).0);
    if before == 0 || page.at_end(at) {
        return (at..at, new.to_string());
    }
    let split = page.char(at) == Some('\t');
    let behind = if split { page.column(page.right(at)).0 - column.0 } else { 0 };
    let end = if split { at + 1 } else { at };
    (at..end, " ".repeat(before) + new + &" ".repeat(behind))
}

/// Returns the texts for a register.
pub fn content(page: ModalText<'_>, pieces: &[OperatorSpan]) -> Content {
    let shape = pieces.first().map_or(ContentShape::Chars, |piece| piece.shape);
    let slice = |span: &ByteRange<Byte>| page.text.slice(span.clone()).into_owned();
    if let [only] = pieces
        && shape == ContentShape::Block
    {
        let (left, right) = only.columns;
        let width = right.0.saturating_sub(left.0);
        let row = |(span, sides): (&ByteRange<Byte>, &Sides)| {
            if page.column(span.end) < left {
                // A line that ends before the rectangle yields a row of spaces; with rows to the ends of
                // lines, the longest one's line break counts.
                return " ".repeat(width + usize::from(only.to_end));
            }
            let (before, behind) = sides.bytes;
            let whole = span.start + before..span.end.back(behind).max(span.start + before);
            " ".repeat(sides.inside.0) + &slice(&whole) + &" ".repeat(sides.inside.1)
        };
        return Content {
            width,
            ..Content::new(only.spans.iter().zip(&only.sides).map(row).collect(), shape)
        };
    }
    let text = |piece: &OperatorSpan| {
        let mut text = piece.spans.iter().map(slice).collect::<Vec<_>>().join("\n");
        if shape == ContentShape::Lines && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    };
    Content::new(
        pieces.iter().map(text).collect(),
        if shape == ContentShape::Block { ContentShape::Chars } else { shape },
    )
}
