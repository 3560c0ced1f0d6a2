//! Conversion between byte offsets and display columns of a line, with tabs expanded. Must not know screens.
//!
//! The cost grows with the line's length up to the position, never with the file; in very long lines it is
//! that of a lookup in [`crate::text::long_lines`].

use crate::base::width::{grapheme_width, graphemes};
use crate::text::long_lines::LongLines;
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;

/// Returns the cells of a grapheme that starts at `column`.
pub fn width_at(grapheme: &str, column: usize, tab_width: usize) -> usize {
    if grapheme == "\t" { tab_width - column % tab_width } else { grapheme_width(grapheme) }
}

/// Whether a range contains only one-byte, one-cell characters. Checks bytes by the chunk, so even a line of
/// many megabytes takes about a millisecond.
fn is_plain(text: &Text, range: std::ops::Range<Byte>) -> bool {
    if let Some(piece) = text.piece(&range) {
        return are_printable_ascii(piece.as_bytes());
    }
    // A range that ends inside a character contains a multi-byte one.
    text.char_floor(range.end) == range.end
        && text.chunks_in(range).all(|chunk| are_printable_ascii(chunk.as_bytes()))
}

/// Checks eight bytes at a time.
fn are_printable_ascii(bytes: &[u8]) -> bool {
    const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);
    let (words, rest) = bytes.as_chunks::<8>();
    // A byte's high bit is set if it is not ASCII, below a blank, or above a tilde.
    let outside = |word: &[u8; 8]| {
        let word = u64::from_ne_bytes(*word);
        let below = word.wrapping_sub(u64::from_ne_bytes([b' '; 8]));
        let beyond = word.wrapping_add(u64::from_ne_bytes([0x01; 8]));
        (word | below | beyond) & HIGH_BITS
    };
    words.iter().all(|word| outside(word) == 0) && rest.iter().all(|byte| (b' '..=b'~').contains(byte))
}

/// Returns the tab width of a line: one cell in a very long line, see [`crate::text::long_lines`].
pub fn tab_stop_width(text: &Text, line: Line, tab_width: usize) -> usize {
    if text.is_long(line) { 1 } else { tab_width }
}

/// The display column of an offset.
pub fn column_of(text: &Text, at: Byte, tab_width: usize) -> Column {
    let line = text.line_of(at);
    column_in(text, line, text.line_start(line), at, tab_width)
}

/// The same for a known line and line start.
pub fn column_in(text: &Text, line: Line, start: Byte, at: Byte, tab_width: usize) -> Column {
    let (from, before) = match text.long_lines() {
        Some(segments) if at - start > LONG_ENOUGH => nearest_known(segments, start, at, text),
        _ => (start, 0),
    };
    if is_plain(text, from..at) {
        return Column(before + (at - from));
    }
    let tab_width = tab_stop_width(text, line, tab_width);
    let rest = text.slice(from..at);
    Column(graphemes(&rest).fold(before, |column, g| column + width_at(g, column, tab_width)))
}

/// Minimum bytes for using the index of long lines.
const LONG_ENOUGH: usize = 16 << 10;

/// Returns the last indexed position of a line before an offset, and its column.
fn nearest_known(segments: &LongLines, start: Byte, at: Byte, text: &Text) -> (Byte, usize) {
    let mut known = (start, 0);
    for part in segments.parts_from(start.0) {
        if part.start > at.0 {
            break;
        }
        // The part before the line's first segment is measured, later segments are summed.
        let head = if known.0 == start { cells(text, start..Byte(part.start)) } else { known.1 };
        known = (Byte(part.start), head);
        if part.start + part.bytes > at.0 {
            break;
        }
        known = (Byte(part.start + part.bytes), head + part.cells);
    }
    known
}

fn cells(text: &Text, range: std::ops::Range<Byte>) -> usize {
    graphemes(&text.slice(range)).map(|g| width_at(g, 0, 1)).sum()
}

/// Returns the offset at a display column, or the end of a shorter line. A column inside a wide character
/// yields the character's start.
pub fn at_column(text: &Text, line: Line, goal: Column, tab_width: usize) -> Byte {
    let (start, end) = text.line_bounds(line);
    let (mut from, mut column) = (start, 0);
    if let Some(segments) = text.long_lines().filter(|_| goal.0 > LONG_ENOUGH && end - start > LONG_ENOUGH) {
        for part in segments.parts_from(start.0) {
            let head = if from == start { cells(text, start..Byte(part.start).min(end)) } else { column };
            if head > goal.0 || part.start >= end.0 {
                break;
            }
            (from, column) = (Byte(part.start), head);
            if head + part.cells > goal.0 || part.start + part.bytes > end.0 {
                break;
            }
            (from, column) = (Byte(part.start + part.bytes), head + part.cells);
        }
    }
    // Callers pass a huge column for the end of the line.
    let more = goal.0 - column;
    let reach = Byte(from.0.saturating_add(more).saturating_add(1).min(end.0));
    if is_plain(text, from..reach) {
        return Byte(from.0.saturating_add(more).min(reach.0));
    }
    let tab_width = tab_stop_width(text, line, tab_width);
    let far = Byte(from.0.saturating_add(more.saturating_add(1).saturating_mul(CLUSTER)));
    // Reads only as much of a long line as usually contains the column.
    let content = text.slice(from..end.min(text.char_floor(far)));
    let mut offset = 0;
    for grapheme in graphemes(&content) {
        let next = column + width_at(grapheme, column, tab_width);
        if next > goal.0 {
            return from + offset;
        }
        column = next;
        offset += grapheme.len();
    }
    from + content.len()
}

/// Bytes of the longest cluster for each cell that is reckoned with.
const CLUSTER: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_printable_ascii_is_detected() {
        for byte in 0..=u8::MAX {
            for (before, after) in [(0, 0), (3, 4), (7, 0), (8, 1), (0, 20), (16, 7)] {
                let bytes = [vec![b'a'; before], vec![byte], vec![b'~'; after]].concat();
                assert_eq!(are_printable_ascii(&bytes), (b' '..=b'~').contains(&byte), "{byte} {before}");
            }
        }
    }

    #[test]
    fn columns_tabs_and_wide_characters() {
        let text = Text::from("a\tb漢c\n");
        let columns: Vec<_> = [0, 1, 2, 3, 6, 7].map(|at| column_of(&text, Byte(at), 4).0).into();
        assert_eq!(columns, [0, 1, 4, 5, 7, 8]);
        let bytes: Vec<_> = (0..10).map(|c| at_column(&text, Line(0), Column(c), 4).0).collect();
        assert_eq!(bytes, [0, 1, 1, 1, 2, 3, 3, 6, 7, 7]);
    }

    #[test]
    fn columns_plain_lines_use_fast_path() {
        let text = Text::from("plain text\nshort\n".repeat(500).as_str());
        for (at, column) in [(0, 0), (4, 4), (10, 10), (11, 0), (16, 5)] {
            assert_eq!(column_of(&text, Byte(at), 4), Column(column), "{at}");
        }
        for (column, at) in [(0, 11), (3, 14), (5, 16), (99, 16)] {
            assert_eq!(at_column(&text, Line(1), Column(column), 4), Byte(at), "{column}");
        }
    }

    proptest::proptest! {
        #![proptest_config(crate::base::seeds::cases(24))]
        /// What is looked up is what a walk finds, before and after an edit.
        #[test]
        fn columns_of_long_lines_match_linear_walk(
            unit in "[a-zé漢\t\u{1} ]{1,9}", first in "[a-z\n]{0,200}", places in proptest::collection::vec(0.0f64..1.0, 6),
        ) {
            let plain = first + &unit.repeat(crate::text::long_lines::LONG / unit.len() + 20_000) + "\nend\n";
            let mut text = Text::from(plain.as_str());
            for place in places {
                let at = text.grapheme_floor(Byte((text.end().0 as f64 * place) as usize));
                let line = text.line_of(at);
                let start = text.line_start(line);
                let tab_width = tab_stop_width(&text, line, 4);
                let walked = graphemes(&text.slice(start..at))
                    .fold(0, |column, g| column + width_at(g, column, tab_width));
                let column = column_of(&text, at, 4);
                proptest::prop_assert_eq!(column.0, walked);
                let found = at_column(&text, line, column, 4);
                proptest::prop_assert_eq!(column_of(&text, found, 4), column, "{:?} {:?}", at, found);
                proptest::prop_assert!(found <= at);
                text.insert(at, "é\tx");
            }
        }
    }
}
