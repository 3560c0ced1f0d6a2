//! Operators: each returns one transaction for all cursors, with their new positions. Must not know registers
//! or keys.

use std::ops::Range as ByteRange;

use crate::text::changes::{ChangeSet, Side};
use crate::text::clipboard::content::ContentShape;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::operator::finish_edit::{drop_unchanged, into_transaction};
use crate::text::modal::operator::shift_block;
use crate::text::modal::operator::spans::OperatorSpan;
use crate::text::movement::motion;
use crate::text::position::{Byte, Column, Line};
use crate::text::transaction::Transaction;

/// How letters are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseChange {
    /// To upper case.
    Upper,
    /// To lower case.
    Lower,
    /// Each to the other case.
    Toggle,
}

/// An edit list without overlaps, in order.
fn merge_spans(mut spans: Vec<ByteRange<Byte>>) -> Vec<ByteRange<Byte>> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut out: Vec<ByteRange<Byte>> = Vec::with_capacity(spans.len());
    for span in spans {
        match out.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => out.push(span),
        }
    }
    out
}

/// Returns edits that delete; a rectangle leaves space for partially covered characters at its sides.
fn delete_edits(spans: Vec<ByteRange<Byte>>, pieces: &[OperatorSpan]) -> Vec<(ByteRange<Byte>, String)> {
    if let [OperatorSpan { shape: ContentShape::Block, spans, sides, .. }] = pieces {
        let left = |(left, right): (usize, usize)| " ".repeat(left + right);
        return spans.iter().zip(sides).map(|(span, sides)| (span.clone(), left(sides.outside))).collect();
    }
    merge_spans(spans).into_iter().map(|span| (span, String::new())).collect()
}

/// Deletes. Cursors that lose their lines keep their columns, `goals` in the order of pieces.
pub fn delete(page: ModalText<'_>, pieces: &[OperatorSpan], goals: &[Column]) -> Transaction {
    let mut spans = Vec::new();
    for piece in pieces {
        for span in &piece.spans {
            let mut span = span.clone();
            // The last line of a text without a final line feed is deleted with the previous line feed.
            let open = piece.shape == ContentShape::Lines && span.end == page.text.end();
            if open
                && page.text.line_end(page.text.line_of(page.text.end())) == span.end
                && page.text.byte_at(span.end.back(1)) != Some(b'\n')
                && let Some(above) = page.line(span.start).0.checked_sub(1)
            {
                span.start = page.end(Line(above));
            }
            spans.push(span);
        }
    }
    let lines: Vec<Line> = pieces.iter().map(|piece| page.line(piece.spans[0].start)).collect();
    let changes = ChangeSet::replace(page.text.end().0, delete_edits(spans, pieces));
    let gone_above = |first: Line, changes: &ChangeSet, after: ModalText<'_>| {
        let start = changes.map(page.start(first), Side::Before);
        let line = after.text.line_of(start);
        // The line may have been deleted with the line feed before it.
        if page.start(first) > Byte(0) && after.start(line) != start { after.last_line() } else { line }
    };
    into_transaction(page, changes, |after, changes| {
        let cursor_at = |(n, piece): (usize, &OperatorSpan)| match piece.shape {
            ContentShape::Lines => {
                let line = gone_above(lines[n], changes, after).min(after.last_line());
                if piece.widened {
                    return after.first_non_blank(line);
                }
                after.at(line, goals.get(n).copied().unwrap_or_default())
            }
            _ => after.cursor_position(changes.map(piece.start, Side::Before) + outside(piece)),
        };
        pieces.iter().enumerate().map(cursor_at).collect()
    })
}

/// Deletes text that is to be retyped: of whole lines the first one's indentation stays. Cursors are between
/// characters, for typing.
pub fn delete_for_change(page: ModalText<'_>, pieces: &[OperatorSpan]) -> Transaction {
    let mut spans = Vec::new();
    let mut cursors = Vec::new();
    for piece in pieces {
        if piece.shape == ContentShape::Lines {
            let (first, mut last) = (page.line(piece.spans[0].start), page.line(piece.spans[0].end));
            if piece.spans[0].end == page.start(last) && last > first {
                last = Line(last.0 - 1);
            }
            let start = motion::indent_end(page.text, first);
            spans.push(start..page.end(last).max(start));
            cursors.push(start);
        } else {
            spans.extend(piece.spans.iter().cloned());
            cursors.extend(piece.spans.iter().map(|span| span.start));
        }
    }
    let changes = ChangeSet::replace(page.text.end().0, delete_edits(spans, pieces));
    let behind = pieces.first().map_or(0, outside);
    into_transaction(page, changes, |_, changes| {
        cursors.iter().map(|at| changes.map(*at, Side::Before) + behind).collect()
    })
}

/// Returns how much space a rectangle leaves at the left of its first row.
fn outside(piece: &OperatorSpan) -> usize {
    piece.sides.first().map_or(0, |sides| sides.outside.0)
}

/// Changes the case of letters.
pub fn change_case(page: ModalText<'_>, pieces: &[OperatorSpan], letters: CaseChange) -> Transaction {
    map(page, pieces, |c| match letters {
        CaseChange::Upper => c.to_uppercase().collect(),
        CaseChange::Lower => c.to_lowercase().collect(),
        // A letter whose other case is several letters is unchanged.
        CaseChange::Toggle if c.is_lowercase() && c.to_uppercase().len() == 1 => c.to_uppercase().collect(),
        CaseChange::Toggle if c.is_uppercase() && c.to_lowercase().len() == 1 => c.to_lowercase().collect(),
        CaseChange::Toggle => c.into(),
    })
}

/// Replaces every character by one; line endings stay.
pub fn fill(page: ModalText<'_>, pieces: &[OperatorSpan], with: char) -> Transaction {
    let mut edits = Vec::new();
    if let [OperatorSpan { shape: ContentShape::Block, spans, sides, .. }] = pieces {
        // In a rectangle each column of a wide character is filled.
        for (span, sides) in spans.iter().zip(sides) {
            let (left, right) = sides.outside;
            let columns = page.column(span.end).0 - page.column(span.start).0;
            let filled = columns.saturating_sub(left + right);
            let new = " ".repeat(left) + &with.to_string().repeat(filled) + &" ".repeat(right);
            edits.push((span.clone(), new));
        }
        let changes = ChangeSet::replace(page.text.end().0, drop_unchanged(page, edits));
        return into_transaction(page, changes, |after, changes| starts(after, changes, pieces));
    }
    for span in merge_spans(pieces.iter().flat_map(|piece| piece.spans.iter().cloned()).collect()) {
        let old = page.text.slice(span.clone());
        let mut new = String::with_capacity(old.len());
        for grapheme in crate::base::width::graphemes(&old) {
            if grapheme.contains('\n') { new.push_str(grapheme) } else { new.push(with) }
        }
        edits.push((span, new));
    }
    let changes = ChangeSet::replace(page.text.end().0, drop_unchanged(page, edits));
    into_transaction(page, changes, |after, changes| starts(after, changes, pieces))
}

fn map(page: ModalText<'_>, pieces: &[OperatorSpan], f: impl Fn(char) -> String) -> Transaction {
    let spans = merge_spans(pieces.iter().flat_map(|piece| piece.spans.iter().cloned()).collect());
    let text = |span: ByteRange<Byte>| page.text.slice(span).chars().map(&f).collect::<String>();
    let edits = spans.into_iter().map(|span| (span.clone(), text(span)));
    let changes = ChangeSet::replace(page.text.end().0, drop_unchanged(page, edits));
    into_transaction(page, changes, |after, changes| {
        let cursor_at = |piece: &OperatorSpan| {
            let first = piece.spans[0].start;
            // Inside changed text a cursor keeps the number of characters before it.
            let before = if piece.start > first && piece.start <= piece.spans[0].end {
                text(first..piece.start).len()
            } else {
                0
            };
            let first = if before > 0 { first } else { piece.start };
            after.cursor_position(changes.map(first, Side::Before) + before)
        };
        pieces.iter().map(cursor_at).collect()
    })
}

fn starts(after: ModalText<'_>, changes: &ChangeSet, pieces: &[OperatorSpan]) -> Vec<Byte> {
    pieces.iter().map(|piece| after.cursor_position(changes.map(piece.start, Side::Before))).collect()
}

/// The lines that pieces touch, each once, in order.
pub fn touched_lines(page: ModalText<'_>, pieces: &[OperatorSpan]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for span in pieces.iter().flat_map(|piece| &piece.spans) {
        let first = page.line(span.start);
        let mut last = page.line(span.end);
        if last > first && span.end == page.start(last) {
            last = Line(last.0 - 1);
        }
        lines.extend((first.0..=last.0).map(Line));
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Shifts lines by this many columns, to the left when `back`; with tab characters when `hard`. Cursors keep
/// their goal columns, `goals` in the order of pieces, or go to the first non-blank of their first line; a
/// rectangle is shifted as it is.
pub fn shift(
    page: ModalText<'_>,
    pieces: &[OperatorSpan],
    columns: usize,
    back: bool,
    hard: bool,
    goals: &[Column],
) -> Transaction {
    if pieces.first().is_some_and(|piece| piece.shape == ContentShape::Block) {
        return shift_block::shift(page, &pieces[0], columns, back, hard);
    }
    let width = page.tab_width;
    let edits = touched_lines(page, pieces).into_iter().filter_map(|line| {
        let (start, indent) = (page.start(line), motion::indent_end(page.text, line));
        if start == page.end(line) {
            return None;
        }
        let now = page.column(indent).0;
        let target = if back { now.saturating_sub(columns) } else { now + columns };
        let new = indentation(target, width, hard);
        (*page.text.slice(start..indent) != new).then_some((start..indent, new))
    });
    let changes = ChangeSet::replace(page.text.end().0, edits);
    into_transaction(page, changes, |after, _| {
        let cursor_at = |(n, piece): (usize, &OperatorSpan)| {
            let line = page.line(piece.start);
            goals.get(n).map_or_else(|| after.first_non_blank(line), |goal| after.at(line, *goal))
        };
        pieces.iter().enumerate().map(cursor_at).collect()
    })
}

/// Returns white space of this many columns.
pub fn indentation(columns: usize, width: usize, hard: bool) -> String {
    if hard { "\t".repeat(columns / width) + &" ".repeat(columns % width) } else { " ".repeat(columns) }
}

fn first_lines(page: ModalText<'_>, after: ModalText<'_>, pieces: &[OperatorSpan]) -> Vec<Byte> {
    pieces.iter().map(|piece| after.first_non_blank(page.line(piece.start).min(after.last_line()))).collect()
}

/// Indents lines like the lines before them: one stop more after an opening bracket, one less for a closing
/// one.
pub fn reindent(page: ModalText<'_>, pieces: &[OperatorSpan], hard: bool) -> Transaction {
    let lines = touched_lines(page, pieces);
    let content =
        |line: Line| page.text.slice(motion::indent_end(page.text, line)..page.end(line)).into_owned();
    let mut edits = Vec::new();
    let mut new_indents = std::collections::HashMap::new();
    for line in lines {
        let own = content(line);
        let start = page.start(line);
        let indent = motion::indent_end(page.text, line);
        let above = (0..line.0).rev().map(Line).find(|above| !content(*above).trim().is_empty());
        let base = above.map_or(0, |above| {
            let known = new_indents.get(&above).copied();
            let base = known.unwrap_or_else(|| page.column(motion::indent_end(page.text, above)).0);
            base + if content(above).trim_end().ends_with(['{', '(', '[']) { page.tab_width } else { 0 }
        });
        let base = if own.starts_with(['}', ')', ']']) { base.saturating_sub(page.tab_width) } else { base };
        let base = if own.is_empty() { 0 } else { base };
        new_indents.insert(line, base);
        edits.push((start..indent, indentation(base, page.tab_width, hard)));
    }
    let changes = ChangeSet::replace(page.text.end().0, drop_unchanged(page, edits));
    into_transaction(page, changes, |after, _| first_lines(page, after, pieces))
}

/// Joins the lines of every piece, two at least; `spaces` puts one space between them and removes
/// indentation. Cursors go to the last join.
pub fn join(page: ModalText<'_>, pieces: &[OperatorSpan], spaces: bool) -> Transaction {
    let mut edits: Vec<(ByteRange<Byte>, String)> = Vec::new();
    let mut cursors = Vec::new();
    for piece in pieces {
        let lines = touched_lines(page, std::slice::from_ref(piece));
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { continue };
        let last = (*last).max(Line(first.0 + 1)).min(page.last_line());
        let (mut before, mut empty) = (last_char(page, *first), page.is_empty_line(*first));
        for line in first.0..last.0 {
            let (end, next) = (page.end(Line(line)), Line(line + 1));
            if !spaces {
                edits.push((end..page.start(next), String::new()));
                cursors.push((end, line + 1 == last.0));
                continue;
            }
            let to = motion::indent_end(page.text, next);
            let bare = to == page.end(next) || page.text.char_at(to) == Some(')');
            let between = if bare || empty || matches!(before, Some(' ' | '\t')) { "" } else { " " };
            edits.push((end..to, between.to_string()));
            cursors.push((end, line + 1 == last.0));
            // After a line without text there is a space, whatever precedes it.
            before = if to < page.end(next) { last_char(page, next) } else { None };
            empty &= to == page.end(next);
        }
    }
    cursors.retain(|(_, last)| *last);
    edits.dedup_by_key(|(span, _)| span.start);
    let changes = ChangeSet::replace(page.text.end().0, edits);
    into_transaction(page, changes, |after, changes| {
        cursors.iter().map(|(at, _)| after.cursor_position(changes.map(*at, Side::Before))).collect()
    })
}

fn last_char(page: ModalText<'_>, line: Line) -> Option<char> {
    let end = page.end(line);
    if end > page.start(line) { page.text.char_before(end) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked::check;
    use crate::text::modal::operator::spans;
    use crate::text::rope::Text;
    use crate::text::selection::{Range, Selection};

    fn pieces(text: &Text, selection: &Selection, lines: bool) -> Vec<OperatorSpan> {
        let page = ModalText::new(text, 4);
        let piece = |range: &Range| {
            if lines {
                return spans::lines(page, page.line(range.start()), page.line(range.end()), range.head);
            }
            OperatorSpan::new(vec![range.span()], ContentShape::Chars, range.start())
        };
        selection.ranges().iter().map(piece).collect()
    }

    fn with(
        lines: bool,
        make: impl Fn(ModalText<'_>, &[OperatorSpan]) -> Transaction,
    ) -> impl Fn(&Text, &Selection) -> Transaction {
        move |text, selection| make(ModalText::new(text, 4), &pieces(text, selection, lines))
    }

    #[test]
    fn vim_delete_and_change_operators() {
        let cut = |lines| with(lines, |page, pieces| delete(page, pieces, &[Column(1), Column(0)]));
        check(cut(false), "a«bé»c «d»e", "a|c |e");
        check(cut(false), "a«bé»", "|a");
        check(cut(true), "a|b\ncdé\n", "c|dé\n");
        check(cut(true), "ab\ncd|é", "a|b");
        check(cut(true), "|a\nb\n|c\nd\n", "|b\n|d\n");
        let empty = |lines| with(lines, delete_for_change);
        check(empty(true), "  ab|é\nc", "  |\nc");
        check(empty(false), "a«é»b", "a|b");
    }

    #[test]
    fn vim_case_and_replace_operators() {
        let case = |way| with(false, move |page, pieces| change_case(page, pieces, way));
        check(case(CaseChange::Upper), "a«bß»c", "a|BSSc");
        check(case(CaseChange::Toggle), "«aÉß»", "|Aéß");
        check(with(false, |page, pieces| fill(page, pieces, 'ö')), "«a\né»b", "|ö\nöb");
    }

    #[test]
    fn vim_operator_without_effect_makes_no_edit() {
        let (text, selection) = crate::text::marked::parse("«É {\n    Ö\n}»\n");
        let page = ModalText::new(&text, 4);
        let span = selection.primary().span();
        let pieces = [OperatorSpan::new(vec![span.clone()], ContentShape::Chars, span.start)];
        assert!(change_case(page, &pieces, CaseChange::Upper).changes.is_identity());
        assert!(reindent(page, &pieces, false).changes.is_identity());
        let first = [OperatorSpan::new(vec![Byte(0)..Byte(2)], ContentShape::Chars, Byte(0))];
        assert!(fill(page, &first, 'É').changes.is_identity());
    }

    #[test]
    fn vim_shift_join_and_reindent_operators() {
        let to = |stops: usize, back| {
            with(true, move |page, pieces| shift(page, pieces, 4 * stops, back, false, &[]))
        };
        check(to(1, false), "|é\n\n|b", "    |é\n\n    |b");
        check(to(1, true), "      |é", "  |é");
        let joined = |spaces| with(true, move |page, pieces| join(page, pieces, spaces));
        check(joined(true), "|é\n  b\nc", "é| b\nc");
        check(joined(true), "|é(\n  )", "é(|)");
        check(joined(false), "|é\n  b", "é|  b");
        let again = with(true, |page, pieces| reindent(page, pieces, false));
        check(again, "f {\n»é\n}«\n", "f {\n    |é\n}\n");
    }
}
