//! Transposes the units before and after a cursor. Must not know keys.

use std::ops::Range as ByteRange;

use crate::text::changes::ChangeSet;
use crate::text::movement::motion;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// A unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransposeUnit {
    /// Two graphemes; at the end of a line the two before it.
    Grapheme,
    /// The same as in Emacs, where the end of a line counts as a character.
    GraphemeOverLines,
    /// Two words.
    Word,
    /// The line and the one above it.
    Line,
}

/// Transposes two units at every cursor, which then is after both. Of overlapping transpositions only the
/// first is done.
pub fn transpose(text: &Text, selection: &Selection, unit: TransposeUnit) -> Transaction {
    let mut edits: Vec<(ByteRange<Byte>, String)> = Vec::new();
    let mut swaps: Vec<Exchange> = Vec::new();
    let mut last = Byte(0);
    for (n, range) in selection.ranges().iter().enumerate() {
        let Some((first, second)) = pair(text, range.head, unit) else { continue };
        if first.start < last {
            continue;
        }
        last = second.end;
        let swapped = [second.clone(), first.end..second.start, first.clone()];
        let new = swapped.map(|part| text.slice(part).into_owned()).concat();
        edits.push((first.start..second.end, new));
        swaps.push(Exchange { of: n, first, second });
    }
    let changes = ChangeSet::replace(text.end().0, edits);
    let mut n = 0;
    let after = selection.transform(|range| {
        // No length changes, so positions around the transpositions stay.
        let own = swaps.binary_search_by_key(&n, |swap| swap.of).ok().map(|at| swaps[at].second.end);
        n += 1;
        match (own, unit) {
            (Some(at), TransposeUnit::Line) => Range::cursor(text.line_start(Line(text.line_of(at).0 + 1))),
            (Some(at), _) => Range::cursor(at),
            (None, _) => {
                Range::new(map_position(&swaps, range.anchor, unit), map_position(&swaps, range.head, unit))
            }
        }
    });
    Transaction::new(changes).select(after)
}

/// A transposition, and the index of its range.
struct Exchange {
    of: usize,
    first: ByteRange<Byte>,
    second: ByteRange<Byte>,
}

/// Maps a position other than a transposing cursor: with the part that contains it. A position at an end of
/// both stays there, unless these are lines.
fn map_position(swaps: &[Exchange], at: Byte, unit: TransposeUnit) -> Byte {
    let next = swaps.partition_point(|swap| swap.second.end < at);
    let inside = |swap: &&Exchange| {
        let (start, end) = (swap.first.start, swap.second.end);
        start < at && at < end || unit == TransposeUnit::Line && start <= at
    };
    let Some(Exchange { first, second, .. }) = swaps.get(next).filter(inside) else { return at };
    if at <= first.end {
        second.end.back(first.end - at)
    } else if at < second.start {
        // The text between moves by the difference in length.
        first.start + (second.end - second.start) + (at - first.end)
    } else {
        first.start + (at - second.start)
    }
}

fn pair(text: &Text, at: Byte, unit: TransposeUnit) -> Option<(ByteRange<Byte>, ByteRange<Byte>)> {
    let line = text.line_of(at);
    match unit {
        TransposeUnit::Grapheme => {
            let start = text.line_start(line);
            let at = if at == text.line_end(line) && at > start { text.prev_grapheme(at) } else { at };
            (at > start).then(|| (text.prev_grapheme(at)..at, at..text.next_grapheme(at)))
        }
        TransposeUnit::GraphemeOverLines => {
            let ends = at == text.line_end(line) && at > Byte(0);
            let at = if ends { text.prev_grapheme(at) } else { at };
            (at > Byte(0)).then(|| (text.prev_grapheme(at)..at, at..text.next_grapheme(at)))
        }
        TransposeUnit::Word => {
            let second = motion::word_left(text, motion::word_right(text, at));
            let second_end = motion::word_right(text, second);
            let first = motion::word_left(text, second);
            let first_end = motion::word_right(text, first);
            (first < first_end && first_end <= second && second < second_end)
                .then_some((first..first_end, second..second_end))
        }
        TransposeUnit::Line => {
            let above = Line(line.0.checked_sub(1)?);
            let span = |line| text.line_start(line)..text.line_end(line);
            Some((span(above), span(line)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked;

    fn check(unit: TransposeUnit, before: &str, after: &str) {
        let (mut text, selection) = marked::parse(before);
        let edit = transpose(&text, &selection, unit);
        edit.changes.apply(&mut text);
        assert_eq!(marked::show(&text, &edit.selection.unwrap()), after, "{unit:?} from {before:?}");
    }

    #[test]
    fn transpose_graphemes_around_cursor() {
        check(TransposeUnit::Grapheme, "a|e\u{301}x", "e\u{301}a|x");
        check(TransposeUnit::Grapheme, "ab|\nc|d", "ba|\ndc|");
        check(TransposeUnit::Grapheme, "|ab", "|ab");
        check(TransposeUnit::Grapheme, "a|", "a|");
        check(TransposeUnit::Grapheme, "a|b|c", "ba|c");
    }

    /// What GNU Emacs 28 makes of `C-t`.
    #[test]
    fn transpose_graphemes_over_lines_matches_emacs() {
        let unit = TransposeUnit::GraphemeOverLines;
        check(unit, "a|b\n", "ba|\n");
        check(unit, "ab|\ncd\n", "ba|\ncd\n");
        check(unit, "ab\n|cd\n", "abc\n|d\n");
        check(unit, "ab\n|\ncd", "a\nb|\ncd");
        check(unit, "\na|b", "\nba|");
        check(unit, "\n|ab", "a\n|b");
        check(unit, "a\n|b", "ab\n|");
        check(unit, "a\n|", "\na|");
        check(unit, "a|", "a|");
        check(unit, "|ab", "|ab");
        check(unit, "\n|", "\n|");
    }

    #[test]
    fn transpose_words_around_cursor() {
        check(TransposeUnit::Word, "one| two, three", "two one|, three");
        check(TransposeUnit::Word, "eins zw|ö, drei", "zwö eins|, drei");
        check(TransposeUnit::Word, "a b|", "b a|");
        check(TransposeUnit::Word, "one|", "one|");
        check(TransposeUnit::Word, "a| b\nc| d", "b a|\nd c|");
        check(TransposeUnit::Word, "é| a|b", "a|b é|");
    }

    #[test]
    fn transpose_line_with_previous_line() {
        check(TransposeUnit::Line, "é\nb|\nc", "b\né\n|c");
        check(TransposeUnit::Line, "a\r\nb|", "b\r\na|");
        check(TransposeUnit::Line, "a|\nb", "a|\nb");
        check(TransposeUnit::Line, "a\nb|\nc\nd|\n", "b\na\n|d\nc\n|");
        check(TransposeUnit::Line, "x|y\né|\n", "é\nx|y\n|");
        check(TransposeUnit::Line, "«xy»\né|\nzz|z\n", "é\n«xy»\n|zz|z\n");
    }
}
