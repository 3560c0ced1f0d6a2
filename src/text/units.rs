//! Columns as other programs count them: bytes, UTF-16 units or code points of a line. Must not know who counts.

use super::position::{Byte, Line};
use super::rope::Text;

/// What a column is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// Bytes.
    Utf8,
    /// UTF-16 units.
    Utf16,
    /// Code points.
    Utf32,
}

impl Text {
    /// Returns the line of an offset and how many units of it are before the offset. Logarithmic in the text.
    pub fn units_before(&self, at: Byte, units: Units) -> (Line, usize) {
        let at = self.char_floor(at.min(self.end()));
        let line = self.line_of(at);
        let start = self.line_start(line);
        let rope = self.rope();
        let chars = || (rope.byte_to_char(start.0), rope.byte_to_char(at.0));
        let column = match units {
            Units::Utf8 => at - start,
            Units::Utf16 => {
                let (from, to) = chars();
                rope.char_to_utf16_cu(to) - rope.char_to_utf16_cu(from)
            }
            Units::Utf32 => {
                let (from, to) = chars();
                to - from
            }
        };
        (line, column)
    }

    /// Returns the offset of a column of a line. A column beyond the line is its end, a line beyond the text the end of
    /// the text, a column within a character the character's start. Logarithmic in the text.
    pub fn at_units(&self, line: Line, column: usize, units: Units) -> Byte {
        if line.0 >= self.line_count() {
            return self.end();
        }
        let (start, end) = self.line_bounds(line);
        let rope = self.rope();
        let at = match units {
            Units::Utf8 => self.char_floor(Byte(start.0.saturating_add(column)).min(end)),
            Units::Utf16 => {
                let first = rope.char_to_utf16_cu(rope.byte_to_char(start.0));
                let wanted = first.saturating_add(column).min(rope.len_utf16_cu());
                Byte(rope.char_to_byte(rope.utf16_cu_to_char(wanted)))
            }
            Units::Utf32 => {
                let wanted = rope.byte_to_char(start.0).saturating_add(column).min(rope.len_chars());
                Byte(rope.char_to_byte(wanted))
            }
        };
        at.min(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Units; 3] = [Units::Utf8, Units::Utf16, Units::Utf32];
    /// Letters of one, two, three and four bytes; line endings of both kinds; a lone carriage return.
    const TEXT: &str = "aé漢🐚z\r\n\nx\ry\nlast";

    #[test]
    fn units_of_every_offset_are_read_back() {
        let text = Text::from(TEXT);
        for units in ALL {
            for (at, letter) in TEXT.char_indices().filter(|(_, letter)| *letter != '\n') {
                let (line, column) = text.units_before(Byte(at), units);
                assert_eq!(text.at_units(line, column, units), Byte(at), "{letter:?} in {units:?}");
            }
        }
        let columns = ALL.map(|units| text.units_before(Byte(10), units).1);
        assert_eq!(columns, [10, 5, 4], "before z");
    }

    #[test]
    fn units_beyond_the_end_are_clamped() {
        let text = Text::from(TEXT);
        for units in ALL {
            assert_eq!(text.at_units(Line(0), usize::MAX, units), Byte(11), "before the carriage return");
            assert_eq!(text.at_units(Line(1), 3, units), Byte(13));
            assert_eq!(text.at_units(Line(3), usize::MAX, units), text.end());
            assert_eq!(text.at_units(Line(usize::MAX), 0, units), text.end());
            assert_eq!(text.units_before(Byte(usize::MAX), units).0, Line(3));
        }
    }

    #[test]
    fn units_within_a_character_are_its_start() {
        let text = Text::from(TEXT);
        assert_eq!(
            text.at_units(Line(0), 4, Units::Utf16),
            Byte(6),
            "between the halves of a surrogate pair"
        );
        assert_eq!(text.at_units(Line(0), 2, Units::Utf8), Byte(1));
        assert_eq!(text.units_before(Byte(8), Units::Utf8), (Line(0), 6));
    }
}
