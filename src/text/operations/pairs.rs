//! Automatic insertions while typing: closing brackets and quotes, and heuristic indentation for languages
//! without a grammar. Must not know languages or settings.

use std::borrow::Cow;
use std::ops::Range as ByteRange;

use crate::text::changes::ChangeSet;
use crate::text::file_format::format::LineEnding;
use crate::text::movement::brackets;
use crate::text::movement::motion;
use crate::text::movement::paragraph;
use crate::text::operations::block_words::BlockWords;
use crate::text::operations::indent::{self, IndentLevels};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// The edit of one range for a typed character: what is replaced, and the cursor in or after the new text.
struct PairEdit {
    span: ByteRange<Byte>,
    new: String,
    cursor: usize,
}

/// Types a character that may insert its partner, step over it, or reduce indentation. `None` for other
/// characters. The change may be empty, with moved cursors.
pub fn type_char(text: &Text, selection: &Selection, c: char) -> Option<Transaction> {
    let known = QUOTES.contains(&c) || BRACKETS.iter().any(|(open, close)| c == *open || c == *close);
    known.then(|| pieces(text, selection, |range| piece(text, range, c)))
}

/// Returns the edit with one piece for each range.
fn pieces(text: &Text, selection: &Selection, piece: impl Fn(Range) -> PairEdit) -> Transaction {
    let mut edits = Vec::new();
    let mut cursors = Vec::new();
    let mut shift = 0isize;
    let mut done = Byte(0);
    for range in selection.ranges() {
        let mut piece = piece(*range);
        // Indentation that another range has already removed is not removed twice.
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

fn piece(text: &Text, range: Range, c: char) -> PairEdit {
    let plain = PairEdit { span: range.span(), new: c.to_string(), cursor: c.len_utf8() };
    if !range.is_empty() {
        return plain;
    }
    let at = range.head;
    let (before, behind) = (text.char_before(at), text.char_at(at));
    let closes = QUOTES.contains(&c) || BRACKETS.iter().any(|(_, close)| *close == c);
    if closes && behind == Some(c) {
        return PairEdit { span: at..at + c.len_utf8(), ..plain };
    }
    if let Some((open, _)) = BRACKETS.iter().find(|(_, close)| *close == c) {
        return dedented(text, at, *open, c).unwrap_or(plain);
    }
    let close = BRACKETS.iter().find(|(open, _)| *open == c).map_or(c, |(_, close)| *close);
    // Before a word no partner is inserted: the user may want to enclose the word.
    let free = behind.is_none_or(|c| c.is_whitespace() || ")]},;:.>".contains(c));
    let apostrophe = close == c && before.is_some_and(|b| motion::is_word(b) || b == c || "\\&<".contains(b));
    if !free || apostrophe {
        return plain;
    }
    PairEdit { new: format!("{c}{close}"), ..plain }
}

/// A closing bracket that is first in its line gets the indentation of the opening line.
fn dedented(text: &Text, at: Byte, open: char, close: char) -> Option<PairEdit> {
    let line = text.line_of(at);
    let start = text.line_start(line);
    if start == at || motion::indent_end(text, line) < at {
        return None;
    }
    let opener = text.line_of(brackets::opening(text, at, open as u8, close as u8)?);
    let indent = text.slice(text.line_start(opener)..motion::indent_end(text, opener));
    let new = format!("{indent}{close}");
    let cursor = new.len();
    Some(PairEdit { span: start..at, new, cursor })
}

/// Whether an offset is between a bracket or quote and its partner, without content.
pub fn is_between_pair(text: &Text, at: Byte) -> bool {
    let (Some(before), Some(behind)) = (text.char_before(at), text.char_at(at)) else { return false };
    BRACKETS.contains(&(before, behind)) || before == behind && QUOTES.contains(&before)
}

/// Line break and indentation style of a file.
#[derive(Debug, Clone)]
pub struct LineStyle {
    /// The line ending.
    pub ending: LineEnding,
    /// One level of indentation.
    pub unit: String,
    /// The keywords that delimit blocks.
    pub words: &'static BlockWords,
    /// Whether a colon at the end of a line opens a block.
    pub colon: bool,
}

/// Breaks the line. The new one has the indentation of `levels`. If that is unknown it has that of the old
/// one, and one level more after something that opens a block. A closing bracket or tag directly after its
/// opening one goes to a line of its own.
pub fn newline(
    text: &Text,
    selection: &Selection,
    style: &LineStyle,
    levels: &impl IndentLevels,
) -> Transaction {
    let ending = style.ending.text();
    pieces(text, selection, |range| {
        let (start, end) = (range.start(), range.end());
        if !is_split(text, &head(text, start), end) {
            let new = format!("{ending}{}", new_line_indent(text, start, end, style, levels));
            return PairEdit { span: start..end, cursor: new.len(), new };
        }
        let own = own_white(text, start);
        let white = |level| indent::whitespace(text, level, &style.unit);
        let inner = levels.for_middle_line(text, start).map_or_else(|| format!("{own}{}", style.unit), white);
        let outer = levels.for_line_break(text, start, end).map_or(own, white);
        let new = format!("{ending}{inner}{ending}{outer}");
        PairEdit { span: start..end, cursor: ending.len() + inner.len(), new }
    })
}

/// Returns the white space of the line that a break in place of `start..end` starts.
pub fn new_line_indent(
    text: &Text,
    start: Byte,
    end: Byte,
    style: &LineStyle,
    levels: &impl IndentLevels,
) -> String {
    if let Some(level) = levels.for_line_break(text, start, end) {
        return indent::whitespace(text, level, &style.unit);
    }
    let (own, head) = (own_white(text, start), head(text, start));
    let colon = style.colon && head.trim_end().ends_with(':');
    if opens_bracket(&head) || colon || style.words.open(&head) { own + &style.unit } else { own }
}

/// Returns the white space at the start of the line, up to a position.
fn own_white(text: &Text, at: Byte) -> String {
    let line = text.line_of(at);
    text.slice(text.line_start(line)..motion::indent_end(text, line).min(at)).into_owned()
}

/// Returns the text of the line before a position; of a long one only the end.
fn head(text: &Text, at: Byte) -> Cow<'_, str> {
    let line = text.line_of(at);
    let from = text.char_floor(at.back(HEAD_MAX)).max(motion::indent_end(text, line).min(at));
    text.slice(from..at)
}

/// Bytes before a cursor that are searched for an opening construct.
const HEAD_MAX: usize = 1 << 10;

/// Whether the text before a position is an opening bracket or tag, followed by its closing one.
fn is_split(text: &Text, head: &str, end: Byte) -> bool {
    let last = head.trim_end().chars().next_back();
    let bracket = BRACKETS.iter().find(|(open, _)| Some(*open) == last);
    let behind = text.char_at(end);
    let tags = last == Some('>') && behind == Some('<') && text.char_at(end + 1) == Some('/');
    bracket.is_some_and(|(_, close)| behind == Some(*close)) || tags && !head.trim_end().ends_with("=>")
}

fn opens_bracket(head: &str) -> bool {
    let last = head.trim_end().chars().next_back();
    BRACKETS.iter().any(|(open, _)| Some(*open) == last)
}

/// Whether a typed text may complete a keyword that closes a block, which is last in its line. Of many
/// cursors only some are checked.
pub fn may_close(text: &Text, selection: &Selection) -> bool {
    let [range] = selection.ranges() else { return true };
    range.is_empty() && ends_line(text, range.head)
}

fn ends_line(text: &Text, at: Byte) -> bool {
    matches!(text.byte_at(at), None | Some(b'\r' | b'\n'))
}

/// Types a character that completes a keyword which closes a block or a part of it: if the line contains
/// nothing else and has the block's inner indentation, it is moved to the indentation of the block's start.
/// `None` for other characters and positions.
pub fn type_closing_word(
    text: &Text,
    selection: &Selection,
    c: char,
    words: &BlockWords,
) -> Option<Transaction> {
    // Most characters complete no keyword, which saves thousands of cursors the search.
    if !words.ends_closing(c) {
        return None;
    }
    let line_of = |range: &Range| closing(text, *range, c, words);
    let any = selection.ranges().iter().any(|range| line_of(range).is_some());
    any.then(|| {
        pieces(text, selection, |range| {
            let plain = PairEdit { span: range.span(), new: c.to_string(), cursor: c.len_utf8() };
            let Some(opener) = line_of(&range) else { return plain };
            let line = text.line_of(range.head);
            let word = text.slice(motion::indent_end(text, line)..range.head);
            let new = format!("{}{word}{c}", text.slice(indent::indent_range(text, opener)));
            PairEdit { span: text.line_start(line)..range.head, cursor: new.len(), new }
        })
    })
}

/// Lines above a line that are searched for what it closes.
const CLOSING_LINES: usize = 500;

/// Returns the line that a closing keyword is aligned with.
fn closing(text: &Text, range: Range, c: char, words: &BlockWords) -> Option<Line> {
    let at = range.head;
    // The cheap half first, for many cursors.
    if !range.is_empty() || !ends_line(text, at) {
        return None;
    }
    let line = text.line_of(at);
    let span = indent::indent_range(text, line);
    let rest = text.line_end(line);
    if at < span.end || at - span.end > WORD_MAX || at != rest {
        return None;
    }
    let close = words.closing(&format!("{}{c}", text.slice(span.end..at)))?;
    let full = |line: &Line| !paragraph::is_blank(text, *line);
    let above = (line.0.saturating_sub(CLOSING_LINES)..line.0).rev().map(Line);
    let beside = above.clone().find(full)?;
    let white = |line: Line| indent::indent_range(text, line);
    let width = |line: Line| white(line).end - white(line).start;
    let head = text
        .slice(white(beside).end..text.line_end(beside).min(text.char_floor(white(beside).end + HEAD_MAX)));
    let opener = if words.open(&head) || head.trim_end().ends_with(':') {
        (width(beside) < width(line)).then_some(beside)
    } else if text.slice(white(beside)) == text.slice(span.clone()) {
        above.filter(full).find(|line| width(*line) < span.end - span.start)
    } else {
        None
    };
    let opener = opener?;
    let first = text
        .slice(white(opener).end..text.line_end(opener).min(text.char_floor(white(opener).end + HEAD_MAX)));
    close.closes(&first).then_some(opener)
}

/// Bytes of the longest closing keyword.
const WORD_MAX: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked::check;

    fn check_typed(c: char, before: &str, after: &str) {
        check(|t, s| type_char(t, s, c).unwrap(), before, after);
    }

    #[test]
    fn pairs_brackets_close_and_step_over() {
        check_typed('(', "é| |", "é(|) (|)");
        check_typed('(', "|word", "(|word");
        check_typed('{', "(|)", "({|})");
        check_typed(')', "(|) (|)", "()| ()|");
        check_typed(')', "a| b|)", "a)| b)|");
        check_typed('(', "«ab» |", "(| (|)");
        assert!(type_char(&Text::from(""), &Selection::cursor(Byte(0)), 'x').is_none());
    }

    #[test]
    fn pairs_quotes_close_but_not_apostrophes() {
        check_typed('"', "= |;", "= \"|\";");
        check_typed('"', "\"é|\"", "\"é\"|");
        check_typed('\'', "don|", "don'|");
        check_typed('\'', "&| |", "&'| '|'");
        check_typed('"', "|é", "\"|é");
    }

    #[test]
    fn pairs_closing_bracket_dedents() {
        check_typed('}', "  f {\n    a\n    |", "  f {\n    a\n  }|");
        check_typed('}', "{\n\té|", "{\n\té}|");
        check_typed(']', "    |", "    ]|");
        check_typed('}', "{\n  |\n{\n  |", "{\n}|\n{\n}|");
    }

    #[test]
    fn pairs_newline_opens_block() {
        let style = |ending, unit: &str, colon, name| {
            let words = crate::text::operations::block_words::for_file(name);
            LineStyle { ending, unit: unit.into(), colon, words }
        };
        let rust = |t: &Text, s: &Selection| {
            newline(t, s, &style(LineEnding::Lf, "    ", false, "a.rs"), &indent::NoLevels)
        };
        check(rust, "  f {|}", "  f {\n      |\n  }");
        check(rust, "f(é, [|\n", "f(é, [\n    |\n");
        check(rust, "  a:|", "  a:\n  |");
        check(rust, "{|a} {|}", "{\n    |a} {\n    |\n}");
        check(rust, "  | a«b»", "  \n  | a\n   |");
        let python = |t: &Text, s: &Selection| {
            newline(t, s, &style(LineEnding::CrLf, "\t", true, "a.py"), &indent::NoLevels)
        };
        check(python, "\tif é: |", "\tif é: \r\n\t\t|");
        let html = |t: &Text, s: &Selection| {
            newline(t, s, &style(LineEnding::Lf, "  ", false, "a.html"), &indent::NoLevels)
        };
        check(html, " <p>|</p>", " <p>\n   |\n </p>");
        let ruby = |t: &Text, s: &Selection| {
            newline(t, s, &style(LineEnding::Lf, "  ", false, "a.rb"), &indent::NoLevels)
        };
        check(ruby, "def é|\n  a.each do|", "def é\n  |\n  a.each do\n    |");
    }

    #[test]
    fn pairs_closing_word_dedents() {
        let ends = |name: &'static str, c: char, before: &str, after: &str| {
            check(
                |t, s| {
                    type_closing_word(t, s, c, crate::text::operations::block_words::for_file(name)).unwrap()
                },
                before,
                after,
            );
        };
        ends("a.rb", 'd', "  def é\n    a\n    en|", "  def é\n    a\n  end|");
        ends("a.rb", 'd', "if a\n  en|\nif b\n  en|", "if a\nend|\nif b\nend|");
        ends("a.py", 'e', "\tif a:\n\t\tb\n\t\tels|", "\tif a:\n\t\tb\n\telse|");
        ends("a.sh", 'i', "if a; then\n\n  b\n\n  f|\n", "if a; then\n\n  b\n\nfi|\n");
        ends(
            "a.c",
            'e',
            "switch (a) {\n  case 1:\n    b();\n    cas|\n}",
            "switch (a) {\n  case 1:\n    b();\n  case|\n}",
        );
        let quiet = |name: &str, c: char, before: &str| {
            let (text, selection) = crate::text::marked::parse(before);
            assert!(
                type_closing_word(&text, &selection, c, crate::text::operations::block_words::for_file(name))
                    .is_none(),
                "{before}"
            );
        };
        quiet("a.rb", 'd', "def a\n  b\nen|");
        quiet("a.rb", 'd', "def a\n  x.en|");
        quiet("a.rb", 'd', "def a\n    b\n  en|");
        quiet("a.py", 'e', "def a:\n    b\n    els|");
        quiet("a.c", 'e', "switch (a) {\n  cas|\n}");
        quiet("a.rs", 'd', "  en|");
    }

    #[test]
    fn pairs_cursor_between_empty_pair_is_detected() {
        let text = Text::from("()(x)''[}");
        assert!(is_between_pair(&text, Byte(1)) && is_between_pair(&text, Byte(6)));
        assert!(
            !is_between_pair(&text, Byte(3))
                && !is_between_pair(&text, Byte(8))
                && !is_between_pair(&text, Byte(0))
        );
    }
}
