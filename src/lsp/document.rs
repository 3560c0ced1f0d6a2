//! What a client needs of the texts that a server knows: their content in the server's units. The owner of a text
//! implements it; text that is not open anywhere is a [`PlainText`].

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use crate::lsp::position::{self, Encoding, Position};

/// A snapshot of a text.
pub trait DocumentText: Send + Sync {
    /// Returns all of it.
    fn text(&self) -> String;

    /// Returns the byte offset of a position; one beyond the end of a line is that end, one beyond the last line is the
    /// end of the text, one within a character is its start.
    fn offset(&self, position: Position, encoding: Encoding) -> usize;

    /// Returns the position of a byte offset; one within a character is its start.
    fn position(&self, offset: usize, encoding: Encoding) -> Position;

    /// Returns the byte offsets of a range. One that ends before it starts is empty.
    fn offsets(&self, range: position::Range, encoding: Encoding) -> Range<usize> {
        let start = self.offset(range.start, encoding);
        start..self.offset(range.end, encoding).max(start)
    }

    /// Returns the range of byte offsets.
    fn range(&self, offsets: Range<usize>, encoding: Encoding) -> position::Range {
        position::Range {
            start: self.position(offsets.start, encoding),
            end: self.position(offsets.end, encoding),
        }
    }
}

/// A step from one text to the next.
pub trait DocumentChange: Send {
    /// Returns the replacements that lead to the next text, each in the text that the one before leaves.
    fn replacements(&self, encoding: Encoding) -> Vec<Replacement>;

    /// Returns the next text.
    fn next(&self) -> Arc<dyn DocumentText>;
}

/// New text for a range: `TextDocumentContentChangeEvent`. Without a range it is the whole text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replacement {
    /// What is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<position::Range>,
    /// The new text.
    pub text: String,
}

/// A text of its own, for files that no editor has open. Its lines end at LF, as those of editors do.
#[derive(Debug, Clone)]
pub struct PlainText {
    text: String,
    /// Offsets of the lines' starts.
    lines: Vec<usize>,
}

impl PlainText {
    /// Creates it.
    pub fn new(text: String) -> Self {
        let after = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let lines = std::iter::once(0).chain(after).collect();
        Self { text, lines }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the start and the content of a line, without its ending.
    fn line(&self, line: usize) -> Option<(usize, &str)> {
        let start = *self.lines.get(line)?;
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        let content = &self.text[start..end];
        let content =
            content.strip_suffix('\n').map_or(content, |text| text.strip_suffix('\r').unwrap_or(text));
        Some((start, content))
    }
}

/// Returns the units of a character.
fn units(letter: char, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 => letter.len_utf8(),
        Encoding::Utf16 => letter.len_utf16(),
        Encoding::Utf32 => 1,
    }
}

impl DocumentText for PlainText {
    fn text(&self) -> String {
        self.text.clone()
    }

    fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let Some((start, content)) = self.line(position.line as usize) else { return self.text.len() };
        let (mut column, wanted) = (0, position.character as usize);
        for (at, letter) in content.char_indices() {
            column += units(letter, encoding);
            if column > wanted {
                return start + at;
            }
        }
        start + content.len()
    }

    fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.lines.partition_point(|start| *start <= offset) - 1;
        let column: usize =
            self.text[self.lines[line]..offset].chars().map(|letter| units(letter, encoding)).sum();
        Position::new(saturated(line), saturated(column))
    }
}

/// Returns a number of the protocol, which has 32 bits.
pub fn saturated(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters of one, two, three and four bytes; line endings of both kinds.
    const TEXT: &str = "aé漢🐚z\r\n\nlast";

    #[test]
    fn plain_text_positions_are_read_back_in_every_encoding() {
        let text = PlainText::new(TEXT.to_string());
        for encoding in Encoding::ALL {
            for (at, _) in TEXT.char_indices().filter(|(at, _)| !TEXT[*at..].starts_with('\n')) {
                assert_eq!(text.offset(text.position(at, encoding), encoding), at, "{encoding:?}");
            }
        }
        let columns = Encoding::ALL.map(|encoding| text.position(10, encoding).character);
        assert_eq!(columns, [10, 4, 5], "before z, in utf-8, utf-32, utf-16");
    }

    #[test]
    fn plain_text_position_beyond_the_end_is_clamped() {
        let text = PlainText::new(TEXT.to_string());
        let at = |line, character| text.offset(Position::new(line, character), Encoding::Utf16);
        assert_eq!(at(0, 99), 11, "before the carriage return");
        assert_eq!(at(1, 5), 13);
        assert_eq!(at(2, u32::MAX), TEXT.len());
        assert_eq!(at(u32::MAX, 0), TEXT.len());
    }

    #[test]
    fn plain_text_position_within_a_character_is_its_start() {
        let text = PlainText::new(TEXT.to_string());
        assert_eq!(
            text.offset(Position::new(0, 4), Encoding::Utf16),
            6,
            "between the halves of a surrogate pair"
        );
        assert_eq!(text.offset(Position::new(0, 2), Encoding::Utf8), 1);
        assert_eq!(text.position(8, Encoding::Utf8), Position::new(0, 6));
    }

    #[test]
    fn plain_text_range_that_ends_before_its_start_is_empty() {
        let text = PlainText::new(TEXT.to_string());
        let range = position::Range { start: Position::new(2, 1), end: Position::new(0, 0) };
        assert_eq!(text.offsets(range, Encoding::Utf8), 15..15);
    }
}
