//! What operators do to what they took: one transaction for all cursors, which says where they
//! stand afterwards. Must not know registers or keys.

use std::ops::Range as ByteRange;

use crate::text::changes::{ChangeSet, Side};
use crate::text::clipboard::content::Shape;
use crate::text::modal::motion::page::Page;
use crate::text::modal::operator::outcome::{differing, done};
use crate::text::modal::operator::shift_block;
use crate::text::modal::operator::spans::Piece;
use crate::text::movement::motion;
use crate::text::position::{Byte, Column, Line};
use crate::text::transaction::Transaction;

/// How letters are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letters {
    /// To upper case.
    Upper,
    /// To lower case.
    Lower,
    /// Each to the other case.
    Other,
}

/// An edit list without overlaps, in order.
fn merged(mut spans: Vec<ByteRange<Byte>>) -> Vec<ByteRange<Byte>> {
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

/// Edits that delete, save what a rectangle leaves of characters at its sides: that much space.
fn deleted(spans: Vec<ByteRange<Byte>>, pieces: &[Piece]) -> Vec<(ByteRange<Byte>, String)> {
    if let [Piece { shape: Shape::Block, spans, sides, .. }] = pieces {
        let left = |(left, right): (usize, usize)| " ".repeat(left + right);
        return spans.iter().zip(sides).map(|(span, sides)| (span.clone(), left(sides.outside))).collect();
    }
    merged(spans).into_iter().map(|span| (span, String::new())).collect()
}

/// Deletes. Cursors that lose their lines keep their columns, `goals` in the order of pieces.
pub fn delete(page: Page<'_>, pieces: &[Piece], goals: &[Column]) -> Transaction {
    let mut spans = Vec::new();
    for piece in pieces {
        for span in &piece.spans {
            let mut span = span.clone();
            // The last line of a text that does not end with a line feed takes the one before it.
            let open = piece.shape == Shape::Lines && span.end == page.text.end();
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
    let changes = ChangeSet::replace(page.text.end().0, deleted(spans, pieces));
    let gone_above = |first: Line, changes: &ChangeSet, after: Page<'_>| {
        let start = changes.map(page.start(first), Side::Before);
        let line = after.text.line_of(start);
        // The line may have gone with the line feed before it.
        if page.start(first) > Byte(0) && after.start(line) != start { after.last_line() } else { line }
    };
    done(page, changes, |after, changes| {
        let place = |(n, piece): (usize, &Piece)| match piece.shape {
            Shape::Lines => {
                let line = gone_above(lines[n], changes, after).min(after.last_line());
                if piece.widened {
                    return after.first_non_blank(line);
                }
                after.at(line, goals.get(n).copied().unwrap_or_default())
            }
            _ => after.rest(changes.map(piece.start, Side::Before) + outside(piece)),
        };
        pieces.iter().enumerate().map(place).collect()
    })
}

/// Deletes what is to be typed anew: of whole lines the indentation of the first one stays.
/// Cursors stand between characters, where typing goes on.
pub fn empty(page: Page<'_>, pieces: &[Piece]) -> Transaction {
    let mut spans = Vec::new();
    let mut cursors = Vec::new();
    for piece in pieces {
        if piece.shape == Shape::Lines {
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
    let changes = ChangeSet::replace(page.text.end().0, deleted(spans, pieces));
    let behind = pieces.first().map_or(0, outside);
    done(page, changes, |_, changes| {
        cursors.iter().map(|at| changes.map(*at, Side::Before) + behind).collect()
    })
}

/// How much space a rectangle leaves at the left of its first row.
fn outside(piece: &Piece) -> usize {
    piece.sides.first().map_or(0, |sides| sides.outside.0)
}

/// Changes the case of letters.
pub fn letters(page: Page<'_>, pieces: &[Piece], letters: Letters) -> Transaction {
    map(page, pieces, |c| match letters {
        Letters::Upper => c.to_uppercase().collect(),
        Letters::Lower => c.to_lowercase().collect(),
        // A letter whose other case is several letters keeps its own.
        Letters::Other if c.is_lowercase() && c.to_uppercase().len() == 1 => c.to_uppercase().collect(),
        Letters::Other if c.is_uppercase() && c.to_lowercase().len() == 1 => c.to_lowercase().collect(),
        Letters::Other => c.into(),
    })
}

/// Puts one character in place of every other one; line ends stay.
pub fn fill(page: Page<'_>, pieces: &[Piece], with: char) -> Transaction {
    let mut edits = Vec::new();
    if let [Piece { shape: Shape::Block, spans, sides, .. }] = pieces {
        // In a rectangle each column of a wide character is filled.
        for (span, sides) in spans.iter().zip(sides) {
            let (left, right) = sides.outside;
            let columns = page.column(span.end).0 - page.column(span.start).0;
            let filled = columns.saturating_sub(left + right);
            let new = " ".repeat(left) + &with.to_string().repeat(filled) + &" ".repeat(right);
            edits.push((span.clone(), new));
        }
        let changes = ChangeSet::replace(page.text.end().0, differing(page, edits));
        return done(page, changes, |after, changes| starts(after, changes, pieces));
    }
    for span in merged(pieces.iter().flat_map(|piece| piece.spans.iter().cloned()).collect()) {
        let old = page.text.slice(span.clone());
        let mut new = String::with_capacity(old.len());
        for grapheme in crate::base::width::graphemes(&old) {
            if grapheme.contains('\n') { new.push_str(grapheme) } else { new.push(with) }
        }
        edits.push((span, new));
    }
    let changes = ChangeSet::replace(page.text.end().0, differing(page, edits));
    done(page, changes, |after, changes| starts(after, changes, pieces))
}

fn map(page: Page<'_>, pieces: &[Piece], f: impl Fn(char) -> String) -> Transaction {
    let spans = merged(pieces.iter().flat_map(|piece| piece.spans.iter().cloned()).collect());
    let text = |span: ByteRange<Byte>| page.text.slice(span).chars().map(&f).collect::<String>();
    let edits = spans.into_iter().map(|span| (span.clone(), text(span)));
    let changes = ChangeSet::replace(page.text.end().0, differing(page, edits));
    done(page, changes, |after, changes| {
        let place = |piece: &Piece| {
            let first = piece.spans[0].start;
            // Inside what was changed a cursor is behind as much as stood before it.
            let before = if piece.start > first && piece.start <= piece.spans[0].end {
                text(first..piece.start).len()
            } else {
                0
            };
            let first = if before > 0 { first } else { piece.start };
            after.rest(changes.map(first, Side::Before) + before)
        };
        pieces.iter().map(place).collect()
    })
}

fn starts(after: Page<'_>, changes: &ChangeSet, pieces: &[Piece]) -> Vec<Byte> {
    pieces.iter().map(|piece| after.rest(changes.map(piece.start, Side::Before))).collect()
}

/// The lines that pieces touch, each once, in order.
pub fn touched(page: Page<'_>, pieces: &[Piece]) -> Vec<Line> {
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

/// Moves lines by so many columns, to the left when `back`; by tab characters
/// when `hard`. Cursors keep the columns that they aim at, `goals` in the order of pieces, or go
/// to the first character of their first line; a rectangle is moved as it is.
pub fn shift(
    page: Page<'_>,
    pieces: &[Piece],
    columns: usize,
    back: bool,
    hard: bool,
    goals: &[Column],
) -> Transaction {
    if pieces.first().is_some_and(|piece| piece.shape == Shape::Block) {
        return shift_block::shift(page, &pieces[0], columns, back, hard);
    }
    let width = page.tab_width;
    let edits = touched(page, pieces).into_iter().filter_map(|line| {
        let (start, indent) = (page.start(line), motion::indent_end(page.text, line));
        if start == page.end(line) {
            return None;
        }
        let now = page.column(indent).0;
        let wanted = if back { now.saturating_sub(columns) } else { now + columns };
        let new = indentation(wanted, width, hard);
        (*page.text.slice(start..indent) != new).then_some((start..indent, new))
    });
    let changes = ChangeSet::replace(page.text.end().0, edits);
    done(page, changes, |after, _| {
        let place = |(n, piece): (usize, &Piece)| {
            let line = page.line(piece.start);
            goals.get(n).map_or_else(|| after.first_non_blank(line), |goal| after.at(line, *goal))
        };
        pieces.iter().enumerate().map(place).collect()
    })
}

/// White space so many columns wide.
pub fn indentation(columns: usize, width: usize, hard: bool) -> String {
    if hard { "\t".repeat(columns / width) + &" ".repeat(columns % width) } else { " ".repeat(columns) }
}

fn first_lines(page: Page<'_>, after: Page<'_>, pieces: &[Piece]) -> Vec<Byte> {
    pieces.iter().map(|piece| after.first_non_blank(page.line(piece.start).min(after.last_line()))).collect()
}

/// Indents lines as the lines before them are: one stop more behind an opening bracket, one
/// less for a closing one.
pub fn reindent(page: Page<'_>, pieces: &[Piece], hard: bool) -> Transaction {
    let lines = touched(page, pieces);
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
    let changes = ChangeSet::replace(page.text.end().0, differing(page, edits));
    done(page, changes, |after, _| first_lines(page, after, pieces))
}

/// Joins the lines of every piece into one, two at least; `spaces` puts one space between them
/// and takes their indentation away. Cursors go to where the last two were joined.
pub fn join(page: Page<'_>, pieces: &[Piece], spaces: bool) -> Transaction {
    let mut edits: Vec<(ByteRange<Byte>, String)> = Vec::new();
    let mut cursors = Vec::new();
    for piece in pieces {
        let lines = touched(page, std::slice::from_ref(piece));
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
            // Behind a line without text comes a space, whatever stands before it.
            before = if to < page.end(next) { last_char(page, next) } else { None };
            empty &= to == page.end(next);
        }
    }
    cursors.retain(|(_, last)| *last);
    edits.dedup_by_key(|(span, _)| span.start);
    let changes = ChangeSet::replace(page.text.end().0, edits);
    done(page, changes, |after, changes| {
        cursors.iter().map(|(at, _)| after.rest(changes.map(*at, Side::Before))).collect()
    })
}

fn last_char(page: Page<'_>, line: Line) -> Option<char> {
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

    fn pieces(text: &Text, selection: &Selection, lines: bool) -> Vec<Piece> {
        let page = Page::new(text, 4);
        let piece = |range: &Range| {
            if lines {
                return spans::lines(page, page.line(range.start()), page.line(range.end()), range.head);
            }
            Piece::new(vec![range.span()], Shape::Chars, range.start())
        };
        selection.ranges().iter().map(piece).collect()
    }

    fn with(
        lines: bool,
        make: impl Fn(Page<'_>, &[Piece]) -> Transaction,
    ) -> impl Fn(&Text, &Selection) -> Transaction {
        move |text, selection| make(Page::new(text, 4), &pieces(text, selection, lines))
    }

    #[test]
    fn vim_delete_and_change_operators() {
        let cut = |lines| with(lines, |page, pieces| delete(page, pieces, &[Column(1), Column(0)]));
        check(cut(false), "a«bé»c «d»e", "a|c |e");
        check(cut(false), "a«bé»", "|a");
        check(cut(true), "a|b\ncdé\n", "c|dé\n");
        check(cut(true), "ab\ncd|é", "a|b");
        check(cut(true), "|a\nb\n|c\nd\n", "|b\n|d\n");
        let empty = |lines| with(lines, empty);
        check(empty(true), "  ab|é\nc", "  |\nc");
        check(empty(false), "a«é»b", "a|b");
    }

    #[test]
    fn vim_case_and_replace_operators() {
        let case = |way| with(false, move |page, pieces| letters(page, pieces, way));
        check(case(Letters::Upper), "a«bß»c", "a|BSSc");
        check(case(Letters::Other), "«aÉß»", "|Aéß");
        check(with(false, |page, pieces| fill(page, pieces, 'ö')), "«a\né»b", "|ö\nöb");
    }

    #[test]
    fn vim_operator_without_effect_makes_no_edit() {
        let (text, selection) = crate::text::marked::parse("«É {\n    Ö\n}»\n");
        let page = Page::new(&text, 4);
        let span = selection.primary().span();
        let pieces = [Piece::new(vec![span.clone()], Shape::Chars, span.start)];
        assert!(letters(page, &pieces, Letters::Upper).changes.is_identity());
        assert!(reindent(page, &pieces, false).changes.is_identity());
        let first = [Piece::new(vec![Byte(0)..Byte(2)], Shape::Chars, Byte(0))];
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
