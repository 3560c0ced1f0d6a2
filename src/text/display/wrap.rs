//! Break positions of wrapped lines. Must not know ropes or screens: works on a string and a number of cells.

use crate::base::width::graphemes;
use crate::text::display::columns::width_at;
use crate::text::display::inlay::Inlay;
use crate::text::position::Byte;

/// The cells of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowSpace {
    /// The total number of cells.
    pub cols: usize,
    /// The first cell used.
    pub indent: usize,
    /// Cells between tab stops.
    pub tab_width: usize,
}

/// Returns how many bytes of a text fit in one row: as many words as possible, at least one character.
/// `start` is the text's offset, for the inlays in it. A single blank may follow the last cell, so that no
/// row starts with the blank between two words.
pub fn row_len(content: &str, start: Byte, inlays: &[Inlay], room: RowSpace) -> usize {
    let (mut column, mut at) = (room.indent, 0);
    // Possible ends of the row: after blanks, and on both sides of two-cell characters, which scripts without
    // blanks use.
    let mut chance = 0;
    let mut is_leading = true;
    let mut next = inlays.partition_point(|inlay| inlay.at < start);
    for grapheme in graphemes(content) {
        while let Some(inlay) = inlays.get(next).filter(|inlay| inlay.at <= start + at) {
            column += inlay.width();
            next += 1;
        }
        let width = width_at(grapheme, column, room.tab_width);
        let is_blank = matches!(grapheme, " " | "\t");
        let is_wide = width == 2 && !is_blank;
        if is_wide && !is_leading {
            chance = at;
        }
        if column + width > room.cols && at > 0 {
            return match (is_blank, chance) {
                (true, _) => at + grapheme.len(),
                (false, 0) => at,
                (false, chance) => chance,
            };
        }
        column += width;
        at += grapheme.len();
        if is_wide || is_blank && !is_leading {
            chance = at;
        }
        is_leading &= is_blank;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::width::grapheme_width;
    use proptest::prelude::*;

    fn rows(content: &str, cols: usize, indent: usize) -> Vec<&str> {
        let (mut rows, mut rest) = (Vec::new(), content);
        while !rest.is_empty() {
            let used = if rows.is_empty() { 0 } else { indent };
            let len = row_len(rest, Byte(0), &[], RowSpace { cols, indent: used, tab_width: 4 });
            rows.push(&rest[..len]);
            rest = &rest[len..];
        }
        rows
    }

    #[test]
    fn wrap_breaks_after_words() {
        assert_eq!(rows("one two three", 8, 0), ["one two ", "three"]);
        assert_eq!(rows("one two", 3, 0), ["one ", "two"]);
        assert_eq!(rows("abcdefgh ij", 4, 0), ["abcd", "efgh ", "ij"]);
        assert_eq!(rows("  abcdef", 4, 0), ["  ab", "cdef"]);
        assert_eq!(rows("aa bb cc", 5, 2), ["aa bb ", "cc"]);
        assert_eq!(rows("a\tb\tc", 6, 0), ["a\tb\t", "c"]);
    }

    #[test]
    fn wrap_wide_characters_and_scripts_without_spaces() {
        assert_eq!(rows("漢字漢字", 5, 0), ["漢字", "漢字"]);
        assert_eq!(rows("ab漢字", 5, 0), ["ab漢", "字"]);
        assert_eq!(rows("漢abcd", 5, 0), ["漢", "abcd"]);
        assert_eq!(rows("漢", 1, 0), ["漢"]);
        assert_eq!(rows("e\u{301}e\u{301}👩‍👩‍👧", 2, 0), ["e\u{301}e\u{301}", "👩‍👩‍👧"]);
    }

    #[test]
    fn wrap_counts_inlay_width() {
        let inlay = |at, text: &str| Inlay { at: Byte(at), text: text.into(), scope: "", ..Inlay::default() };
        let room = RowSpace { cols: 8, indent: 0, tab_width: 4 };
        assert_eq!(row_len("let a = b", Byte(10), &[inlay(15, ": u8")], room), 6);
        assert_eq!(row_len("let a = b", Byte(10), &[inlay(9, "xxxxxxx")], room), 8);
    }

    /// The same, from whole words: each goes into the row as long as there is room.
    fn naive(content: &str, cols: usize) -> Vec<String> {
        let (mut rows, mut row) = (Vec::new(), String::new());
        let width =
            |text: &str| text.chars().map(|c| grapheme_width(c.encode_utf8(&mut [0; 4]))).sum::<usize>();
        let mut words: Vec<String> = content.split_inclusive(' ').map(String::from).collect();
        words.reverse();
        while let Some(word) = words.pop() {
            let bare = word.trim_end_matches(' ');
            if width(&row) + width(bare) <= cols {
                row.push_str(&word);
                // With its blank it may be one cell too long; nothing more goes in then.
                if width(&row) > cols {
                    rows.push(std::mem::take(&mut row));
                }
            } else if row.is_empty() {
                let cut = bare.char_indices().nth(cols).map_or(bare.len(), |(at, _)| at);
                rows.push(word[..cut].to_string());
                words.push(word[cut..].to_string());
            } else {
                rows.push(std::mem::take(&mut row));
                words.push(word);
            }
        }
        if !row.is_empty() {
            rows.push(row);
        }
        rows
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn wrap_matches_naive_layout(content in "([a-cé]{1,9} ){0,6}[a-c]{0,9}", cols in 1..12usize) {
            prop_assert_eq!(rows(&content, cols, 0), naive(&content, cols));
        }

        #[test]
        fn wrap_loses_no_text_and_respects_width(content in "[a-c \té漢👩‍]{0,60}", cols in 1..20usize, indent in 0..6usize) {
            let indent = indent.min(cols / 3);
            let rows = rows(&content, cols, indent);
            prop_assert_eq!(rows.concat(), content.clone());
            for (n, row) in rows.iter().enumerate() {
                let first = if n == 0 { 0 } else { indent };
                let inside = row.strip_suffix([' ', '\t']).unwrap_or(row);
                let end = graphemes(inside).fold(first, |column, g| column + width_at(g, column, 4));
                prop_assert!(end <= cols || graphemes(inside).count() == 1, "{rows:?}");
            }
        }
    }
}
