//! Cursor motions: one function per motion, from a range to its new head.
//!
//! Must not know keys or screens. A motion reads only the text that it passes over.

use crate::text::display::columns::{at_column, column_of};
use crate::text::movement::brackets;
use crate::text::movement::paragraph;
use crate::text::movement::subword;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::Range;

/// All motions of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// One grapheme left, across lines.
    Left,
    /// One grapheme right, across lines.
    Right,
    /// This many lines up, at the same display column.
    Up(usize),
    /// That many lines down.
    Down(usize),
    /// To the start of the word, like Emacs' backward-word.
    WordLeft,
    /// To the end of the word, like Emacs' forward-word.
    WordRight,
    /// To the start of the subword: `camelCase`, `snake_case`.
    SubwordLeft,
    /// To its end.
    SubwordRight,
    /// To the blank line before the paragraph.
    ParagraphUp,
    /// To the blank line after the paragraph.
    ParagraphDown,
    /// To the partner of the bracket here, else to the end of the enclosing pair.
    Bracket,
    /// To the first line of the block that is indented as far as this line.
    BlockStart,
    /// To the end of the block's last line.
    BlockEnd,
    /// To the first non-blank character of the line, also from there.
    FirstNonBlank,
    /// To the first column of the line.
    LineBegin,
    /// To the first non-blank character; from there to the line's start.
    LineStart,
    /// To the end of the line.
    LineEnd,
    /// To the start of the text.
    DocumentStart,
    /// To its end.
    DocumentEnd,
}

/// Returns the range after a motion. Plain left and right motions collapse a selection to its edge.
pub fn move_range(text: &Text, range: Range, motion: Motion, extend: bool, tab_width: usize) -> Range {
    let at = range.head;
    let head = match motion {
        Motion::Left if !extend && !range.is_empty() => range.start(),
        Motion::Right if !extend && !range.is_empty() => range.end(),
        Motion::Left => text.prev_grapheme(at),
        Motion::Right => text.next_grapheme(at),
        Motion::Up(lines) => return vertical(text, range, lines, false, extend, tab_width),
        Motion::Down(lines) => return vertical(text, range, lines, true, extend, tab_width),
        Motion::WordLeft => word_left(text, at),
        Motion::WordRight => word_right(text, at),
        Motion::SubwordLeft => subword::left(text, at),
        Motion::SubwordRight => subword::right(text, at),
        Motion::ParagraphUp => text.line_start(paragraph::previous(text, text.line_of(at))),
        Motion::ParagraphDown => paragraph_down(text, at),
        Motion::Bracket => brackets::jump(text, at).unwrap_or(at),
        Motion::BlockStart => indent_end(text, paragraph::indent_block(text, text.line_of(at), tab_width).0),
        Motion::BlockEnd => text.line_end(paragraph::indent_block(text, text.line_of(at), tab_width).1),
        Motion::FirstNonBlank => indent_end(text, text.line_of(at)),
        Motion::LineBegin => text.line_start(text.line_of(at)),
        Motion::LineStart => line_start(text, at),
        Motion::LineEnd => text.line_end(text.line_of(at)),
        Motion::DocumentStart => Byte(0),
        Motion::DocumentEnd => text.end(),
    };
    range.move_head(head, extend)
}

/// Returns the start of the blank line after the paragraph, or the end of the text.
fn paragraph_down(text: &Text, at: Byte) -> Byte {
    let line = paragraph::next(text, text.line_of(at));
    if line < text.last_line() { text.line_start(line) } else { text.line_end(line) }
}

fn vertical(text: &Text, range: Range, lines: usize, down: bool, extend: bool, tab_width: usize) -> Range {
    let line = text.line_of(range.head);
    let last = text.last_line();
    let goal = range.goal.unwrap_or_else(|| column_of(text, range.head, tab_width));
    let head = if down && line == last {
        text.end()
    } else if !down && line == Line(0) {
        Byte(0)
    } else {
        let target = if down { (line.0 + lines).min(last.0) } else { line.0.saturating_sub(lines) };
        at_column(text, Line(target), goal, tab_width)
    };
    Range { goal: Some(goal), ..range.move_head(head, extend) }
}

/// Returns the first non-blank character of the line, or the line's start from there.
fn line_start(text: &Text, at: Byte) -> Byte {
    let start = text.line_start(text.line_of(at));
    let indent = indent_end(text, text.line_of(at));
    if at == indent { start } else { indent }
}

/// Returns the end of a line's indentation.
pub fn indent_end(text: &Text, line: Line) -> Byte {
    let (start, end) = (text.line_start(line), text.line_end(line));
    let mut at = start;
    // By the chunk: the rest of a long line is of no interest.
    for chunk in text.chunks_in(start..end) {
        let blank = chunk.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        at += blank;
        if blank < chunk.len() {
            break;
        }
    }
    at
}

/// Whether a character belongs to a word.
pub fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Returns the end of the word at or after an offset. Scripts without spaces stop at each run.
pub fn word_right(text: &Text, at: Byte) -> Byte {
    let at = skip(text, at, |c| !is_word(c));
    skip(text, at, is_word)
}

/// Returns the start of the word at or before an offset.
pub fn word_left(text: &Text, at: Byte) -> Byte {
    let at = skip_back(text, at, |c| !is_word(c));
    skip_back(text, at, is_word)
}

/// Returns the word around an offset, for a double click; the run of other characters if it is none.
pub fn word_around(text: &Text, at: Byte) -> Range {
    let Some(c) = text.char_at(at).filter(|c| *c != '\n').or_else(|| text.char_before(at)) else {
        return Range::cursor(at);
    };
    let same = move |other: char| {
        is_word(other) == is_word(c) && other.is_whitespace() == c.is_whitespace() && other != '\n'
    };
    Range::new(skip_back(text, at, same), skip(text, at, same))
}

/// Returns the run of matching characters that an offset is in or at the end of; empty when there is none.
pub fn run_around(text: &Text, at: Byte, predicate: impl Fn(char) -> bool) -> std::ops::Range<Byte> {
    skip_back(text, at, &predicate)..skip(text, at, &predicate)
}

fn skip(text: &Text, mut at: Byte, predicate: impl Fn(char) -> bool) -> Byte {
    for chunk in text.chunks_from(at) {
        for c in chunk.chars() {
            if !predicate(c) && !is_joined(c) {
                return at;
            }
            at += c.len_utf8();
        }
    }
    at
}

fn skip_back(text: &Text, mut at: Byte, predicate: impl Fn(char) -> bool) -> Byte {
    while let Some(c) = text.char_before(at) {
        if is_joined(c) {
            // A combining mark belongs to the previous character: decide by the whole cluster.
            let start = text.prev_grapheme(at);
            if start == at || !text.char_at(start).is_some_and(&predicate) {
                return at;
            }
            at = start;
        } else if predicate(c) {
            at = at.back(c.len_utf8());
        } else {
            return at;
        }
    }
    at
}

/// Whether the character is a mark or joiner that continues the previous grapheme.
fn is_joined(c: char) -> bool {
    c == '\u{200d}' || (c > '\u{2ff}' && unicode_width::UnicodeWidthChar::width(c) == Some(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked;

    fn check(motion: Motion, extend: bool, before: &str, after: &str) {
        let (text, selection) = marked::parse(before);
        let moved = selection.transform(|range| move_range(&text, range, motion, extend, 4));
        assert_eq!(marked::show(&text, &moved), after, "{motion:?} from {before:?}");
    }

    #[test]
    fn motion_horizontal_moves_by_grapheme() {
        check(Motion::Right, false, "|e\u{301}x", "e\u{301}|x");
        check(Motion::Left, false, "a👩‍👩‍👧|", "a|👩‍👩‍👧");
        check(Motion::Right, false, "a|\r\nb", "a\r\n|b");
        check(Motion::Left, false, "a«bc»d", "a|bcd");
        check(Motion::Right, false, "a»bc«d", "abc|d");
        check(Motion::Right, true, "|ab", "«a»b");
        check(Motion::Left, true, "ab|", "a»b«");
        check(Motion::Left, false, "|a", "|a");
        check(Motion::Right, false, "|a|b", "a|b|");
    }

    #[test]
    fn motion_vertical_keeps_column() {
        let (text, selection) = marked::parse("漢字x|\n\na\tbcd");
        let down = |s: &crate::text::selection::Selection| {
            s.transform(|r| move_range(&text, r, Motion::Down(1), false, 4))
        };
        let once = down(&selection);
        assert_eq!(marked::show(&text, &once), "漢字x\n|\na\tbcd");
        assert_eq!(marked::show(&text, &down(&once)), "漢字x\n\na\tb|cd");
        check(Motion::Up(1), false, "ab|c\nd", "|abc\nd");
        check(Motion::Down(9), false, "a|b\nc\ndef", "ab\nc\nd|ef");
        check(Motion::Down(1), false, "a\nb|c", "a\nbc|");
    }

    #[test]
    fn motion_words_match_emacs() {
        check(Motion::WordRight, false, "|foo_1  bar", "foo_1|  bar");
        check(Motion::WordRight, false, "foo|  bar.", "foo  bar|.");
        check(Motion::WordLeft, false, "foo  bar|", "foo  |bar");
        check(Motion::WordLeft, false, "cafe\u{301}|", "|cafe\u{301}");
        check(Motion::WordLeft, false, "a  |", "|a  ");
    }

    #[test]
    fn motion_subwords_stop_inside_names() {
        check(Motion::SubwordRight, false, "|fooBar_baz|", "foo|Bar_baz|");
        check(Motion::SubwordRight, true, "|größeÄ", "«größe»Ä");
        check(Motion::SubwordLeft, false, "HTTPServer|  x_|", "HTTP|Server  |x_");
        check(Motion::SubwordLeft, true, "aE\u{301}|", "a»E\u{301}«");
    }

    #[test]
    fn motion_paragraphs_stop_at_blank_lines() {
        check(Motion::ParagraphDown, false, "a|\nb\n\nc|", "a\nb\n|\nc|");
        check(Motion::ParagraphDown, true, "«a»\n \né", "«a\n» \né");
        check(Motion::ParagraphDown, false, "a\n  |", "a\n  |");
        check(Motion::ParagraphUp, false, "a\n\nb\nc|", "a\n|\nb\nc");
        check(Motion::ParagraphUp, false, "é|", "|é");
    }

    #[test]
    fn motion_bracket_block_and_line_begin() {
        check(Motion::Bracket, false, "|(é[x])", "(é[x]|)");
        check(Motion::Bracket, false, "(é[x])|", "|(é[x])");
        check(Motion::Bracket, true, "f(|é, {b|})", "f(«é, {b}»)");
        check(Motion::Bracket, false, "no|ne", "no|ne");
        check(Motion::BlockStart, false, "a\n  é\n    b\n  c|", "a\n  |é\n    b\n  c");
        check(Motion::BlockEnd, false, "a\n  |é\n\n    b\n\nc", "a\n  é\n\n    b|\n\nc");
        check(Motion::FirstNonBlank, false, "  |é\n | x", "  |é\n  |x");
        check(Motion::LineBegin, true, "  é|", "»  é«");
    }

    #[test]
    fn motion_line_start_toggles_indentation() {
        check(Motion::LineStart, false, "  ab|c", "  |abc");
        check(Motion::LineStart, false, "  |abc", "|  abc");
        check(Motion::LineStart, false, "|  abc", "  |abc");
        check(Motion::LineEnd, false, "|ab\r\nc", "ab|\r\nc");
        check(Motion::DocumentEnd, true, "a|b\nc", "a«b\nc»");
    }
}
