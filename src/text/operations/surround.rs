//! Surrounding pairs of selections: add, delete, replace. Must not know keys.

use std::ops::Range as ByteRange;

use crate::text::changes::{ChangeSet, Side};
use crate::text::movement::brackets;
use crate::text::movement::motion;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Bytes on either side of a cursor that are searched for a quotation mark.
const NEAR: usize = 4096;

/// Returns both signs of a pair, from either one; a sign without a partner is its own.
pub fn pair_of(sign: char) -> (char, char) {
    match sign {
        '(' | ')' => ('(', ')'),
        '[' | ']' => ('[', ']'),
        '{' | '}' => ('{', '}'),
        '<' | '>' => ('<', '>'),
        '«' | '»' => ('«', '»'),
        '“' | '”' => ('“', '”'),
        other => (other, other),
    }
}

/// Puts a pair around every selection, and around the word at every cursor. The content stays selected.
pub fn add(text: &Text, selection: &Selection, sign: char) -> Transaction {
    let (open, close) = pair_of(sign);
    let mut edits: Vec<(ByteRange<Byte>, String)> = Vec::new();
    for range in selection.ranges() {
        let span = if range.is_empty() {
            motion::run_around(text, range.head, motion::is_word)
        } else {
            range.span()
        };
        let done = edits.last().map_or(Byte(0), |(last, _)| last.end);
        // Two cursors in one word surround it once.
        if edits.len() > 1 && (span.start < done || span.end == done && span.start < span.end) {
            continue;
        }
        if span.start == span.end {
            edits.push((span.start..span.start, format!("{open}{close}")));
            continue;
        }
        edits.push((span.start..span.start, open.to_string()));
        edits.push((span.end..span.end, close.to_string()));
    }
    let bare: Vec<Byte> =
        edits.iter().filter(|(_, new)| new.chars().count() == 2).map(|(at, _)| at.start).collect();
    let changes = ChangeSet::replace(text.end().0, edits);
    let mapping = &changes;
    let after = selection.transform(|range| {
        if range.is_empty() && bare.binary_search(&range.head).is_ok() {
            return Range::cursor(mapping.map(range.head, Side::Before) + open.len_utf8());
        }
        inside(mapping, range)
    });
    Transaction::new(changes).select(after)
}

/// Maps a range after signs were added or removed at its ends.
fn inside(mapping: &ChangeSet, range: Range) -> Range {
    let (start, end) = (mapping.map(range.start(), Side::After), mapping.map(range.end(), Side::Before));
    match (range.is_empty(), range.head < range.anchor) {
        (true, _) => Range::cursor(start),
        (false, true) => Range::new(end.max(start), start),
        (false, false) => Range::new(start, end.max(start)),
    }
}

/// Deletes the nearest pair of this kind around every range.
pub fn delete(text: &Text, selection: &Selection, sign: char) -> Transaction {
    exchange(text, selection, sign, None)
}

/// Replaces the nearest pair of this kind around every range by another pair.
pub fn change(text: &Text, selection: &Selection, sign: char, new: char) -> Transaction {
    exchange(text, selection, sign, Some(pair_of(new)))
}

fn exchange(text: &Text, selection: &Selection, sign: char, new: Option<(char, char)>) -> Transaction {
    let mut edits: Vec<(ByteRange<Byte>, String)> = Vec::new();
    for range in selection.ranges() {
        if let Some((open, close)) = find(text, range.span(), sign) {
            edits.push((open, new.map_or(String::new(), |(open, _)| open.to_string())));
            edits.push((close, new.map_or(String::new(), |(_, close)| close.to_string())));
        }
    }
    // Pairs may be nested, and two cursors may be inside the same one.
    edits.sort_by_key(|(span, _)| span.start);
    edits.dedup_by_key(|(span, _)| span.start);
    let changes = ChangeSet::replace(text.end().0, edits);
    let mapping = &changes;
    let after = selection.transform(|range| inside(mapping, range));
    Transaction::new(changes).select(after)
}

/// The spans of both signs of the nearest pair around a range.
fn find(text: &Text, range: ByteRange<Byte>, sign: char) -> Option<(ByteRange<Byte>, ByteRange<Byte>)> {
    let (open, close) = pair_of(sign);
    if open != close && open.is_ascii() && open != '<' {
        let (open, close) = brackets::around_kind(text, range, open as u8)?;
        return Some((open..open + 1, close..close + 1));
    }
    // Others are searched on the lines of the range only: they do not nest.
    let from = text.line_start(text.line_of(range.start)).max(range.start.back(NEAR));
    let from = text.char_floor(from);
    let to = text.char_floor(text.line_end(text.line_of(range.end)).min(range.end + NEAR));
    let before = text.slice(from..range.start).rfind(open).map(|at| from + at)?;
    let behind = text.slice(range.end..to).find(close).map(|at| range.end + at)?;
    Some((before..before + open.len_utf8(), behind..behind + close.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked::check;

    #[test]
    fn surround_add_pairs() {
        let with = |sign| move |t: &Text, s: &Selection| add(t, s, sign);
        check(with(')'), "a «bé» »c«", "a («bé») (»c«)");
        check(with('"'), "größ|e |", "\"größ|e\" \"|\"");
        check(with('“'), "«a»«b»", "“«a»”“«b»”");
        check(with('['), "o|n|e", "[o|n|e]");
        check(with('*'), "|", "*|*");
    }

    #[test]
    fn surround_delete_and_change_pairs() {
        let off = |sign| move |t: &Text, s: &Selection| delete(t, s, sign);
        check(off('('), "f(a[|é])", "fa[|é]");
        check(off('['), "f([|é]) [«b»]", "f(|é) «b»");
        check(off('\''), "'a|' 'b'", "a| 'b'");
        check(off('('), "a|", "a|");
        check(off('('), "(a|(b|))", "a|b|");
        check(off('<'), "<a|>", "a|");
        let to = |from, to| move |t: &Text, s: &Selection| change(t, s, from, to);
        check(to('(', '{'), "(|é) (a|)", "{|é} {a|}");
        check(to('"', '“'), "\"«é»\"", "“«é»”");
    }
}
