//! Edits by keystrokes: each function returns a transaction for all ranges of a selection, without applying
//! it. Must not know keys.

use std::ops::Range as ByteRange;

use crate::text::changes::{ChangeSet, Side};
use crate::text::file_format::format::LineEnding;
use crate::text::movement::brackets;
use crate::text::movement::motion::{self, Motion};
use crate::text::movement::subword;
use crate::text::operations::pairs;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// How far a deletion extends from a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteTarget {
    /// One grapheme back.
    GraphemeBack,
    /// One grapheme forward.
    Grapheme,
    /// To the start of the word.
    WordBack,
    /// To the end of the word.
    Word,
    /// One grapheme back; between a bracket and its partner both.
    PairBack,
    /// To the start of the subword.
    SubwordBack,
    /// To the end of the subword.
    Subword,
    /// To the blank line before the paragraph.
    ParagraphBack,
    /// To the blank line after the paragraph.
    Paragraph,
    /// To the partner of the bracket here, including both; else to the end of the enclosing pair.
    Bracket,
    /// To the start of the line; from there, the previous line ending.
    LineBack,
    /// To the end of the line; from there, its line ending.
    Line,
}

/// Replaces every range by a text; cursors go after it.
pub fn insert(text: &Text, selection: &Selection, new: &str) -> Transaction {
    replace_each(text, selection, |_, _| new.to_string())
}

/// Replaces each range by its own text, with the last one repeated if there are fewer texts than ranges; one
/// range gets all of them as lines.
pub fn insert_each(text: &Text, selection: &Selection, texts: &[String], ending: LineEnding) -> Transaction {
    if selection.ranges().len() == 1 {
        return insert(text, selection, &texts.join(ending.text()));
    }
    replace_each(text, selection, |n, _| texts.get(n).or(texts.last()).cloned().unwrap_or_default())
}

/// Breaks the line; the new one has the same indentation.
pub fn newline(text: &Text, selection: &Selection, ending: LineEnding) -> Transaction {
    replace_each(text, selection, |_, range| {
        let line = text.line_of(range.start());
        let indent_end = motion::indent_end(text, line).min(range.start());
        format!("{}{}", ending.text(), text.slice(text.line_start(line)..indent_end))
    })
}

/// Inserts a tab at every cursor: a tab character, or spaces up to the next stop.
pub fn tab(text: &Text, selection: &Selection, width: usize, hard: bool) -> Transaction {
    replace_each(text, selection, |_, range| {
        if hard {
            return "\t".to_string();
        }
        let column = crate::text::display::columns::column_of(text, range.start(), width).0;
        " ".repeat(width - column % width)
    })
}

fn replace_each(
    text: &Text,
    selection: &Selection,
    mut new: impl FnMut(usize, Range) -> String,
) -> Transaction {
    let edits = selection.ranges().iter().enumerate().map(|(n, range)| (range.span(), new(n, *range)));
    let changes = ChangeSet::replace(text.end().0, edits);
    let mapping = &changes;
    let after = selection.transform(|range| Range::cursor(mapping.map(range.end(), Side::After)));
    Transaction::new(changes).select(after)
}

/// Returns the range that a deletion covers at one cursor; a selection is covered itself.
fn target_range(text: &Text, range: Range, reach: DeleteTarget) -> ByteRange<Byte> {
    if !range.is_empty() {
        return range.span();
    }
    let at = range.head;
    let line = text.line_of(at);
    match reach {
        DeleteTarget::Grapheme => at..text.next_grapheme(at),
        DeleteTarget::WordBack => motion::word_left(text, at)..at,
        DeleteTarget::Word => at..motion::word_right(text, at),
        DeleteTarget::PairBack if pairs::is_between_pair(text, at) => {
            text.prev_grapheme(at)..text.next_grapheme(at)
        }
        DeleteTarget::GraphemeBack | DeleteTarget::PairBack => text.prev_grapheme(at)..at,
        DeleteTarget::SubwordBack => subword::left(text, at)..at,
        DeleteTarget::Subword => at..subword::right(text, at),
        DeleteTarget::ParagraphBack => moved(text, range, Motion::ParagraphUp)..at,
        DeleteTarget::Paragraph => at..moved(text, range, Motion::ParagraphDown),
        DeleteTarget::Bracket => bracketed(text, at),
        DeleteTarget::LineBack if at == text.line_start(line) => text.prev_grapheme(at)..at,
        DeleteTarget::LineBack => text.line_start(line)..at,
        DeleteTarget::Line if at == text.line_end(line) => at..text.next_grapheme(at),
        DeleteTarget::Line => at..text.line_end(line),
    }
}

fn moved(text: &Text, range: Range, motion: Motion) -> Byte {
    motion::move_range(text, range, motion, false, 1).head
}

fn bracketed(text: &Text, at: Byte) -> ByteRange<Byte> {
    let bracket = brackets::partner(text, at);
    match bracket.or_else(|| brackets::jump(text, at)) {
        Some(there) if bracket.is_some() && there > at => at..there + 1,
        Some(there) if bracket.is_some() => there..at + 1,
        Some(there) if there > at => at..there,
        Some(there) => there..at,
        None => at..at,
    }
}

/// Deletes at every cursor, and returns the deleted texts, for the kill ring.
pub fn delete(text: &Text, selection: &Selection, reach: DeleteTarget) -> (Transaction, Vec<String>) {
    let mut spans: Vec<ByteRange<Byte>> = Vec::new();
    for range in selection.ranges() {
        let mut span = target_range(text, *range, reach);
        if let Some(last) = spans.last() {
            // Two cursors may cover the same text.
            span.start = span.start.max(last.end);
            span.end = span.end.max(span.start);
        }
        spans.push(span);
    }
    let killed = spans.iter().map(|span| text.slice(span.clone()).into_owned()).collect();
    let changes = ChangeSet::replace(text.end().0, spans.iter().map(|span| (span.clone(), String::new())));
    let mapping = &changes;
    let cursors: Vec<_> =
        spans.iter().map(|span| Range::cursor(mapping.map(span.start, Side::Before))).collect();
    let after = Selection::new(cursors, selection.primary_index());
    (Transaction::new(changes).select(after), killed)
}

/// Indents every line that a selection touches by one stop, except empty lines.
pub fn indent(text: &Text, selection: &Selection, width: usize, hard: bool) -> Transaction {
    let unit = if hard { "\t".to_string() } else { " ".repeat(width) };
    let edits = touched_lines(text, selection).into_iter().filter_map(|line| {
        let start = text.line_start(line);
        (start != text.line_end(line)).then(|| (start..start, unit.clone()))
    });
    let changes = ChangeSet::replace(text.end().0, edits);
    let mapping = &changes;
    let after = selection.transform(|range| {
        let map = |at| mapping.map(at, Side::After);
        Range::new(map(range.anchor), map(range.head))
    });
    Transaction::new(changes).select(after)
}

/// Removes one stop of indentation from every line that a selection touches.
pub fn dedent(text: &Text, selection: &Selection, width: usize) -> Transaction {
    let edits = touched_lines(text, selection).into_iter().map(|line| {
        let start = text.line_start(line);
        let content = text.line(line);
        let take = if content.starts_with('\t') {
            1
        } else {
            content.bytes().take(width).take_while(|byte| *byte == b' ').count()
        };
        (start..start + take, String::new())
    });
    Transaction::new(ChangeSet::replace(text.end().0, edits))
}

/// Duplicates every line that a selection touches below it; the cursors stay.
pub fn duplicate_lines(text: &Text, selection: &Selection, ending: LineEnding) -> Transaction {
    let edits = touched_lines(text, selection).into_iter().map(|line| {
        let end = text.line_end(line);
        (end..end, format!("{}{}", ending.text(), text.line(line)))
    });
    let changes = ChangeSet::replace(text.end().0, edits);
    let mapping = &changes;
    let before = |at| mapping.map(at, Side::Before);
    let after = selection.transform(|range| Range::new(before(range.anchor), before(range.head)));
    Transaction::new(changes).select(after)
}

/// The lines that a selection touches, each once. A range that ends at a line's very start
/// does not touch that line.
pub fn touched_lines(text: &Text, selection: &Selection) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for range in selection.ranges() {
        let (first, last) = lines_of(text, *range);
        let from = lines.last().map_or(first.0, |line| first.0.max(line.0 + 1));
        lines.extend((from..=last.0).map(Line));
    }
    lines
}

/// The first and the last line that a range touches.
pub fn lines_of(text: &Text, range: Range) -> (Line, Line) {
    let first = text.line_of(range.start());
    let last = text.line_of(range.end());
    let past = last > first && range.end() == text.line_start(last);
    (first, if past { Line(last.0 - 1) } else { last })
}

/// Whether a text is indented with tabs, see [`indents`]; with spaces if no line is indented.
pub fn indents_by_tabs(text: &Text) -> bool {
    detect_indents(text, None) == Some(IndentKind::Tabs)
}

/// Indentation style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndentKind {
    /// Tab characters, as far as possible.
    Tabs,
    /// Spaces.
    Spaces,
}

/// Returns the indentation style of a text: the original one as long as a line uses it, else that of the
/// first indented line. Reads at most the first 200 lines, since it runs on every press of the tab key.
pub fn detect_indents(text: &Text, at_first: Option<IndentKind>) -> Option<IndentKind> {
    let first = |line| text.byte_at(text.line_start(Line(line)));
    let mut lines = (0..text.line_count().min(200)).filter_map(first).filter_map(|byte| match byte {
        b'\t' => Some(IndentKind::Tabs),
        b' ' => Some(IndentKind::Spaces),
        _ => None,
    });
    let decides = lines.next();
    if decides == at_first || lines.any(|line| Some(line) == at_first) {
        at_first
    } else {
        decides.or(at_first)
    }
}

#[cfg(test)]
mod tests;
