//! Highlights of a range of text, moved along with edits, so that the screen has colors until new ones are
//! computed. Must not know trees.

use std::ops::Range;

use crate::text::changes::{ChangeSet, Edit};
use crate::text::position::Byte;

/// A range with a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The range.
    pub range: Range<Byte>,
    /// Its scope.
    pub scope: &'static str,
}

/// The highlights of a range of text.
#[derive(Debug, Clone, Default)]
pub struct HighlightedRange {
    range: Range<Byte>,
    spans: Vec<Span>,
    /// Offset of the spans from this one on: an edit changes this number instead of moving thousands of spans
    /// after it.
    gap: usize,
    shift: isize,
}

/// Some of the spans, in order.
#[derive(Debug, Clone, Default)]
pub struct Spans<'a> {
    painted: Option<&'a HighlightedRange>,
    numbers: Range<usize>,
}

impl Iterator for Spans<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let number = self.numbers.next()?;
        self.painted.map(|painted| painted.span(number))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.numbers.size_hint()
    }
}

impl DoubleEndedIterator for Spans<'_> {
    fn next_back(&mut self) -> Option<Span> {
        let number = self.numbers.next_back()?;
        self.painted.map(|painted| painted.span(number))
    }
}

impl ExactSizeIterator for Spans<'_> {}

impl PartialEq for HighlightedRange {
    fn eq(&self, other: &Self) -> bool {
        self.range == other.range && self.spans().eq(other.spans())
    }
}

impl HighlightedRange {
    /// Creates it from all spans in a range, sorted and disjoint.
    pub fn new(range: Range<Byte>, spans: Vec<Span>) -> Self {
        Self { range, gap: spans.len(), spans, shift: 0 }
    }

    /// Returns the highlighted range.
    pub fn range(&self) -> Range<Byte> {
        self.range.clone()
    }

    /// Returns all spans.
    pub fn spans(&self) -> Spans<'_> {
        Spans { painted: Some(self), numbers: 0..self.spans.len() }
    }

    /// Whether a range is completely highlighted.
    pub fn covers(&self, range: &Range<Byte>) -> bool {
        self.range.start <= range.start && range.end <= self.range.end
    }

    /// The spans that touch a range.
    pub fn within(&self, range: &Range<Byte>) -> Spans<'_> {
        let from = self.partition_point(|span| span.range.end <= range.start);
        let to = self.partition_point(|span| span.range.start < range.end);
        Spans { painted: Some(self), numbers: from.min(to)..to }
    }

    fn span(&self, number: usize) -> Span {
        let span = &self.spans[number];
        if number < self.gap { span.clone() } else { span.moved(self.shift) }
    }

    fn partition_point(&self, pred: impl Fn(&Span) -> bool) -> usize {
        let (before, behind) = self.spans.split_at(self.gap);
        match before.partition_point(&pred) {
            all if all == before.len() => all + behind.partition_point(|span| pred(&span.moved(self.shift))),
            some => some,
        }
    }

    /// Moves the gap before a span; the cost is the distance.
    fn set_gap(&mut self, number: usize) {
        let (gap, shift) = (std::mem::replace(&mut self.gap, number), self.shift);
        let (between, shift) =
            if gap < number { (gap..number, shift) } else { (number..gap, shift.wrapping_neg()) };
        for span in &mut self.spans[between] {
            *span = span.moved(shift);
        }
    }

    /// Maps all spans through a change of the text. A word that is being typed keeps its scope, and so does
    /// what surrounds a change.
    pub fn map(&mut self, changes: &ChangeSet) {
        let edits: Vec<_> = changes.edits().collect();
        // From the end, so that each edit's offset still refers to the old text.
        for edit in edits.iter().rev() {
            let move_on = |at: Byte| Byte(at.0 - (edit.old.end - edit.old.start) + edit.text.len());
            let word = edit.text.chars().all(|c| c.is_alphanumeric() || c == '_');
            let from = self.partition_point(|span| span.range.end < edit.old.start);
            let behind = self.partition_point(|span| span.range.start <= edit.old.end).max(from);
            self.set_gap(behind);
            self.shift += edit.text.len() as isize - (edit.old.end - edit.old.start) as isize;
            for span in &mut self.spans[from..behind] {
                span.range = map_start(span.range.start, edit)..map_end(span.range.end, edit, word);
            }
            if self.spans[from..behind].iter().any(|span| span.range.is_empty()) {
                let touched = self.spans[from..behind].iter().filter(|span| !span.range.is_empty());
                let touched: Vec<Span> = touched.cloned().collect();
                self.gap = from + touched.len();
                self.spans.splice(from..behind, touched);
            }
            let Range { start, end } = self.range;
            let start = if start > edit.old.end { move_on(start) } else { start.min(edit.old.start) };
            self.range = start..if end >= edit.old.end { move_on(end) } else { end.min(edit.old.start) };
        }
    }
}

impl Span {
    fn moved(&self, shift: isize) -> Self {
        // Spans after the gap may have offsets before the start of the text until they are moved.
        let moved = |at: Byte| Byte(at.0.wrapping_add_signed(shift));
        Self { range: moved(self.range.start)..moved(self.range.end), scope: self.scope }
    }
}

fn map_start(at: Byte, edit: &Edit<'_>) -> Byte {
    let Range { start, end } = edit.old;
    if at >= end {
        Byte(at.0 - (end - start) + edit.text.len())
    } else if at > start {
        start + edit.text.len()
    } else {
        at
    }
}

fn map_end(at: Byte, edit: &Edit<'_>, word: bool) -> Byte {
    let Range { start, end } = edit.old;
    if at > end {
        Byte(at.0 - (end - start) + edit.text.len())
    } else if at == end && word {
        start + edit.text.len()
    } else {
        at.min(start)
    }
}

#[cfg(test)]
mod tests;
