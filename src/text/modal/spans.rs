//! From a way between two places to the text that an operator takes. Must not know operators
//! beyond whether they delete.

use std::ops::Range as ByteRange;

use super::landing::{Extent, Landing};
use super::page::Page;
use crate::text::columns::at_column;
use crate::text::content::{Content, Shape};
use crate::text::position::{Byte, Column, Line};

/// What an operator takes at one cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The text: one span, or one for each row of a rectangle, in order.
    pub spans: Vec<ByteRange<Byte>>,
    /// What it is.
    pub shape: Shape,
    /// Where the cursor is afterwards, unless the operator has its own mind.
    pub start: Byte,
}

/// How an operator was told to take the way, whatever the motion says: `v`, `V`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forced {
    /// By characters; the end is taken when it was not.
    Chars,
    /// By lines.
    Lines,
}

/// What is taken of the way from a place to where a motion came. `deletes`: several lines
/// whose rest is white space are deleted as lines.
pub fn way(page: Page<'_>, from: Byte, landing: &Landing, forced: Option<Forced>, deletes: bool) -> Piece {
    let begin = landing.from.unwrap_or(from);
    let (start, end) = (begin.min(landing.to), begin.max(landing.to));
    let extent = match (forced, landing.extent) {
        (None, extent) => extent,
        (Some(Forced::Lines), _) => Extent::Lines,
        (Some(Forced::Chars), Extent::Exclusive | Extent::Exact) => Extent::Inclusive,
        (Some(Forced::Chars), _) => Extent::Exclusive,
    };
    if extent == Extent::Lines {
        return lines(page, page.line(start), page.line(end), start);
    }
    let several = page.line(start) < page.line(end);
    let (mut stop, mut inclusive) = (end, extent == Extent::Inclusive);
    // A way that ends before the first column of a line does not reach into it.
    if extent == Extent::Exclusive && several && end == page.start_of(end) {
        let above = Line(page.line(end).0 - 1);
        if page.in_indent(start) {
            return lines(page, page.line(start), above, start);
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
    Piece { spans: vec![start..stop.max(start)], shape: Shape::Chars, start }
}

/// Whole lines.
pub fn lines(page: Page<'_>, first: Line, last: Line, start: Byte) -> Piece {
    Piece { spans: vec![page.lines(first, last)], shape: Shape::Lines, start }
}

/// What a selection holds whose both ends are taken; the end of a line counts as a character, save of the last.
pub fn selected(page: Page<'_>, anchor: Byte, head: Byte) -> Piece {
    let (start, end) = (anchor.min(head), anchor.max(head));
    let stop = match page.at_end(end) {
        true if page.line(end) < page.last_line() => page.start(Line(page.line(end).0 + 1)),
        true => end,
        false => page.right(end),
    };
    Piece { spans: vec![start..stop.max(start)], shape: Shape::Chars, start }
}

/// The columns of a rectangle whose corners are characters: the first one, and the one behind
/// the last.
pub fn columns(page: Page<'_>, anchor: Byte, head: Byte) -> (Column, Column) {
    let (left, right) = (page.column(anchor).min(page.column(head)), |at| page.column(page.right(at)));
    let end = right(anchor).max(right(head)).max(Column(left.0 + 1));
    (left, end)
}

/// What a rectangle holds; `to_end`: each row reaches to the end of its line.
pub fn block(page: Page<'_>, anchor: Byte, head: Byte, to_end: bool) -> Piece {
    let (left, right) = columns(page, anchor, head);
    let (first, last) = (page.line(anchor.min(head)), page.line(anchor.max(head)));
    let span = |line: usize| {
        let line = Line(line);
        let start = at_column(page.text, line, left, page.tab_width);
        let end = if to_end { page.end(line) } else { at_column(page.text, line, right, page.tab_width) };
        start..end.max(start)
    };
    let spans: Vec<_> = (first.0..=last.0).map(span).collect();
    let start = spans[0].start;
    Piece { spans, shape: Shape::Block, start }
}

/// The texts of what is taken, as a register keeps them.
pub fn content(page: Page<'_>, pieces: &[Piece]) -> Content {
    let shape = pieces.first().map_or(Shape::Chars, |piece| piece.shape);
    let slice = |span: &ByteRange<Byte>| page.text.slice(span.clone()).into_owned();
    if let [only] = pieces
        && shape == Shape::Block
    {
        return Content::new(only.spans.iter().map(slice).collect(), shape);
    }
    let text = |piece: &Piece| {
        let mut text = piece.spans.iter().map(slice).collect::<Vec<_>>().join("\n");
        if shape == Shape::Lines && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    };
    Content::new(pieces.iter().map(text).collect(), if shape == Shape::Block { Shape::Chars } else { shape })
}
