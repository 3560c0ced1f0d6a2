//! Paragraphs and blocks of equal indentation, as lines. Must not know cursors or languages.
//!
//! Reads the start of each line that it passes, never whole lines.

use crate::text::position::Line;
use crate::text::rope::Text;

/// Maximum number of lines searched for the end of a block.
const LINES_MAX: usize = 100_000;

/// Whether a line is blank.
pub fn is_blank(text: &Text, line: Line) -> bool {
    let mut chunks = text.chunks_in(text.line_start(line)..text.line_end(line));
    chunks.all(|chunk| chunk.chars().all(char::is_whitespace))
}

/// Returns the first blank line after the paragraph at or after a line; the last line if none.
pub fn next(text: &Text, line: Line) -> Line {
    let last = text.last_line();
    let mut at = line;
    while at < last && is_blank(text, at) {
        at = Line(at.0 + 1);
    }
    while at < last && !is_blank(text, at) {
        at = Line(at.0 + 1);
    }
    at
}

/// Returns the first blank line before the paragraph at or before a line; the first line if none.
pub fn previous(text: &Text, line: Line) -> Line {
    let mut at = line;
    while at.0 > 0 && is_blank(text, at) {
        at = Line(at.0 - 1);
    }
    while at.0 > 0 && !is_blank(text, at) {
        at = Line(at.0 - 1);
    }
    at
}

/// Returns the indentation of a line, in columns; `None` for blank lines.
pub fn indentation(text: &Text, line: Line, tab_width: usize) -> Option<usize> {
    let mut column = 0;
    for c in text.chunks_in(text.line_start(line)..text.line_end(line)).flat_map(str::chars) {
        match c {
            ' ' => column += 1,
            '\t' => column += tab_width - column % tab_width,
            _ => return Some(column),
        }
    }
    None
}

/// Returns the first and last line of the block around a line: lines indented as far or further, including
/// blank ones between them.
pub fn indent_block(text: &Text, line: Line, tab_width: usize) -> (Line, Line) {
    let Some(least) = indentation(text, line, tab_width) else { return (line, line) };
    // `None` is a blank line, which neither ends a block nor extends it.
    let inside = |line: usize| indentation(text, Line(line), tab_width).map(|n| n >= least);
    let edge = |lines: &mut dyn Iterator<Item = usize>| {
        let mut edge = line;
        for at in lines.take(LINES_MAX) {
            match inside(at) {
                Some(true) => edge = Line(at),
                Some(false) => break,
                None => {}
            }
        }
        edge
    };
    (edge(&mut (0..line.0).rev()), edge(&mut (line.0 + 1..text.line_count())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraph_ends_at_blank_lines() {
        let text = Text::from("a\nb\n \t\n\nc\nd");
        let lines = |f: fn(&Text, Line) -> Line| (0..6).map(|n| f(&text, Line(n)).0).collect::<Vec<_>>();
        assert_eq!(lines(next), [2, 2, 5, 5, 5, 5]);
        assert_eq!(lines(previous), [0, 0, 0, 0, 3, 3]);
    }

    #[test]
    fn paragraph_indent_block_spans_deeper_lines() {
        let text = Text::from("a:\n  b\n\n\tc\n  d\n\ne\n");
        assert_eq!(indent_block(&text, Line(1), 4), (Line(1), Line(4)));
        assert_eq!(indent_block(&text, Line(3), 4), (Line(3), Line(3)));
        assert_eq!(indent_block(&text, Line(0), 4), (Line(0), Line(6)));
        assert_eq!(indent_block(&text, Line(2), 4), (Line(2), Line(2)));
        assert_eq!(indentation(&text, Line(3), 8), Some(8));
    }
}
