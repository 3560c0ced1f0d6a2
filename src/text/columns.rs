//! Between byte offsets and display columns of a line, tabs expanded. Must not know screens.
//!
//! The cost grows with the line's length up to the place asked for, never with the file.

use super::position::{Byte, Column, Line};
use super::rope::Text;
use crate::base::width::{grapheme_width, graphemes};

/// Cells that a grapheme takes when it begins at `column`.
pub fn width_at(grapheme: &str, column: usize, tab_width: usize) -> usize {
    if grapheme == "\t" { tab_width - column % tab_width } else { grapheme_width(grapheme) }
}

/// Whether a range holds nothing but characters of one byte and one cell. Looks at bytes by the
/// chunk, which even for a line of many megabytes is a matter of a millisecond.
fn is_plain(text: &Text, range: std::ops::Range<Byte>) -> bool {
    // A range that ends inside a character holds one of several bytes.
    text.char_floor(range.end) == range.end
        && text.chunks_in(range).all(|chunk| chunk.bytes().all(|byte| (0x20..0x7f).contains(&byte)))
}

/// The display column of an offset.
pub fn column_of(text: &Text, at: Byte, tab_width: usize) -> Column {
    let start = text.line_start(text.line_of(at));
    if is_plain(text, start..at) {
        return Column(at - start);
    }
    let before = text.slice(start..at);
    Column(graphemes(&before).fold(0, |column, g| column + width_at(g, column, tab_width)))
}

/// The offset at a display column, or the end of the line when it is shorter. A column inside
/// a wide character gives the character's start.
pub fn at_column(text: &Text, line: Line, goal: Column, tab_width: usize) -> Byte {
    let start = text.line_start(line);
    let reach = Byte((start.0 + goal.0 + 1).min(text.line_end(line).0));
    if is_plain(text, start..reach) {
        return Byte((start.0 + goal.0).min(reach.0));
    }
    let content = text.line(line);
    let (mut column, mut offset) = (0, 0);
    for grapheme in graphemes(&content) {
        let next = column + width_at(grapheme, column, tab_width);
        if next > goal.0 {
            return start + offset;
        }
        column = next;
        offset += grapheme.len();
    }
    start + content.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_reach_the_next_stop_and_wide_characters_take_two() {
        let text = Text::from("a\tb漢c\n");
        let columns: Vec<_> = [0, 1, 2, 3, 6, 7].map(|at| column_of(&text, Byte(at), 4).0).into();
        assert_eq!(columns, [0, 1, 4, 5, 7, 8]);
        let bytes: Vec<_> = (0..10).map(|c| at_column(&text, Line(0), Column(c), 4).0).collect();
        assert_eq!(bytes, [0, 1, 1, 1, 2, 3, 3, 6, 7, 7]);
    }

    #[test]
    fn plain_lines_take_a_short_cut_to_the_same_place() {
        let text = Text::from("plain text\nshort\n".repeat(500).as_str());
        for (at, column) in [(0, 0), (4, 4), (10, 10), (11, 0), (16, 5)] {
            assert_eq!(column_of(&text, Byte(at), 4), Column(column), "{at}");
        }
        for (column, at) in [(0, 11), (3, 14), (5, 16), (99, 16)] {
            assert_eq!(at_column(&text, Line(1), Column(column), 4), Byte(at), "{column}");
        }
    }
}
