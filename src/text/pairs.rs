//! What is put in beside what is typed: closing brackets and quotes, and indentation by the
//! look of a line, for languages without anything better. Must not know languages or settings.

use std::ops::Range as ByteRange;

use super::brackets;
use super::changes::ChangeSet;
use super::format::LineEnding;
use super::motion;
use super::position::Byte;
use super::rope::Text;
use super::selection::{Range, Selection};
use super::transaction::Transaction;

const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// What one range does for a typed character: what is replaced by what, and where the cursor
/// is in or behind the new text.
struct Piece {
    span: ByteRange<Byte>,
    new: String,
    cursor: usize,
}

/// Types a character that may come with its partner, step over it, or take indentation away.
/// `None` for every other character. The change may be none, with cursors that move.
pub fn typed(text: &Text, selection: &Selection, c: char) -> Option<Transaction> {
    let known = QUOTES.contains(&c) || BRACKETS.iter().any(|(open, close)| c == *open || c == *close);
    known.then(|| pieces(text, selection, |range| piece(text, range, c)))
}

/// Makes the edit of one piece for each range.
fn pieces(text: &Text, selection: &Selection, piece: impl Fn(Range) -> Piece) -> Transaction {
    let mut edits = Vec::new();
    let mut cursors = Vec::new();
    let mut shift = 0isize;
    let mut done = Byte(0);
    for range in selection.ranges() {
        let mut piece = piece(*range);
        // Indentation that another range has taken already is not taken twice.
        piece.span.start = piece.span.start.max(done);
        piece.span.end = piece.span.end.max(piece.span.start);
        done = piece.span.end;
        let start = piece.span.start.0.saturating_add_signed(shift);
        cursors.push(Range::cursor(Byte(start + piece.cursor)));
        shift += piece.new.len() as isize - (piece.span.end - piece.span.start) as isize;
        edits.push((piece.span, piece.new));
    }
    let edits = edits.into_iter().filter(|(span, new)| text.slice(span.clone()) != *new);
    let changes = ChangeSet::replace(text.end().0, edits);
    Transaction::new(changes).select(Selection::new(cursors, selection.primary_index()))
}

fn piece(text: &Text, range: Range, c: char) -> Piece {
    let plain = Piece { span: range.span(), new: c.to_string(), cursor: c.len_utf8() };
    if !range.is_empty() {
        return plain;
    }
    let at = range.head;
    let (before, behind) = (text.char_before(at), text.char_at(at));
    let closes = QUOTES.contains(&c) || BRACKETS.iter().any(|(_, close)| *close == c);
    if closes && behind == Some(c) {
        return Piece { span: at..at + c.len_utf8(), ..plain };
    }
    if let Some((open, _)) = BRACKETS.iter().find(|(_, close)| *close == c) {
        return dedented(text, at, *open, c).unwrap_or(plain);
    }
    let close = BRACKETS.iter().find(|(open, _)| *open == c).map_or(c, |(_, close)| *close);
    // Before a word a bracket is put around it, or the person knows why there is one.
    let free = behind.is_none_or(|c| c.is_whitespace() || ")]},;:.>".contains(c));
    let apostrophe = close == c && before.is_some_and(|b| motion::is_word(b) || b == c || "\\&<".contains(b));
    if !free || apostrophe {
        return plain;
    }
    Piece { new: format!("{c}{close}"), ..plain }
}

/// A closing bracket that is the first of its line takes the indentation of the line that
/// opened it.
fn dedented(text: &Text, at: Byte, open: char, close: char) -> Option<Piece> {
    let line = text.line_of(at);
    let start = text.line_start(line);
    if start == at || motion::indent_end(text, line) < at {
        return None;
    }
    let opener = text.line_of(brackets::opening(text, at, open as u8, close as u8)?);
    let indent = text.slice(text.line_start(opener)..motion::indent_end(text, opener));
    let new = format!("{indent}{close}");
    let cursor = new.len();
    Some(Piece { span: start..at, new, cursor })
}

/// Whether an offset is between a bracket or quote and its own partner, nothing inside.
pub fn between(text: &Text, at: Byte) -> bool {
    let (Some(before), Some(behind)) = (text.char_before(at), text.char_at(at)) else { return false };
    BRACKETS.contains(&(before, behind)) || before == behind && QUOTES.contains(&before)
}

/// Breaks the line. The new one is indented as the old one is, and one `unit` more behind an
/// opening bracket (behind a colon too when `colon`); a closing bracket that follows goes to a
/// line of its own.
pub fn newline(
    text: &Text,
    selection: &Selection,
    ending: LineEnding,
    unit: &str,
    colon: bool,
) -> Transaction {
    pieces(text, selection, |range| {
        let (start, end) = (range.start(), range.end());
        let line = text.line_of(start);
        let indent_end = motion::indent_end(text, line).min(start);
        let indent = text.slice(text.line_start(line)..indent_end);
        let head = text.slice(indent_end..start);
        let last = head.trim_end().chars().next_back();
        let bracket = BRACKETS.iter().find(|(open, _)| Some(*open) == last);
        let deeper = bracket.is_some() || colon && last == Some(':');
        let mut new = format!("{}{indent}{}", ending.text(), if deeper { unit } else { "" });
        let cursor = new.len();
        if bracket.is_some_and(|(_, close)| text.char_at(end) == Some(*close)) {
            new.push_str(ending.text());
            new.push_str(&indent);
        }
        Piece { span: start..end, new, cursor }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked::check;

    fn check_typed(c: char, before: &str, after: &str) {
        check(|t, s| typed(t, s, c).unwrap(), before, after);
    }

    #[test]
    fn brackets_come_in_pairs_and_are_stepped_over() {
        check_typed('(', "é| |", "é(|) (|)");
        check_typed('(', "|word", "(|word");
        check_typed('{', "(|)", "({|})");
        check_typed(')', "(|) (|)", "()| ()|");
        check_typed(')', "a| b|)", "a)| b)|");
        check_typed('(', "«ab» |", "(| (|)");
        assert!(typed(&Text::from(""), &Selection::cursor(Byte(0)), 'x').is_none());
    }

    #[test]
    fn quotes_come_in_pairs_but_not_as_apostrophes() {
        check_typed('"', "= |;", "= \"|\";");
        check_typed('"', "\"é|\"", "\"é\"|");
        check_typed('\'', "don|", "don'|");
        check_typed('\'', "&| |", "&'| '|'");
        check_typed('"', "|é", "\"|é");
    }

    #[test]
    fn a_closing_bracket_goes_under_what_it_closes() {
        check_typed('}', "  f {\n    a\n    |", "  f {\n    a\n  }|");
        check_typed('}', "{\n\té|", "{\n\té}|");
        check_typed(']', "    |", "    ]|");
        check_typed('}', "{\n  |\n{\n  |", "{\n}|\n{\n}|");
    }

    #[test]
    fn lines_are_broken_into_blocks() {
        let rust = |t: &Text, s: &Selection| newline(t, s, LineEnding::Lf, "    ", false);
        check(rust, "  f {|}", "  f {\n      |\n  }");
        check(rust, "f(é, [|\n", "f(é, [\n    |\n");
        check(rust, "  a:|", "  a:\n  |");
        check(rust, "{|a} {|}", "{\n    |a} {\n    |\n}");
        check(rust, "  | a«b»", "  \n  | a\n   |");
        let python = |t: &Text, s: &Selection| newline(t, s, LineEnding::CrLf, "\t", true);
        check(python, "\tif é: |", "\tif é: \r\n\t\t|");
    }

    #[test]
    fn an_empty_pair_is_known() {
        let text = Text::from("()(x)''[}");
        assert!(between(&text, Byte(1)) && between(&text, Byte(6)));
        assert!(!between(&text, Byte(3)) && !between(&text, Byte(8)) && !between(&text, Byte(0)));
    }
}
