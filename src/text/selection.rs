//! Cursors and selected ranges. A cursor is an empty range; there is always at least one. Must not know how
//! they are used.

use std::ops::Range as ByteRange;

use super::changes::{ChangeSet, Side};
use super::position::{Byte, Column};
use super::rope::Text;

/// A range: the anchor stays, the head moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The start of the selection.
    pub anchor: Byte,
    /// The cursor.
    pub head: Byte,
    /// The goal column of vertical motions, while it lasts.
    pub goal: Option<Column>,
}

impl Range {
    /// Maps the range through a change, see [`Selection::map`].
    #[must_use]
    pub fn map(self, changes: &ChangeSet) -> Self {
        if self.is_empty() {
            return Self { goal: self.goal, ..Self::cursor(changes.map(self.head, Side::After)) };
        }
        let (start, end) = (changes.map(self.start(), Side::After), changes.map(self.end(), Side::Before));
        let end = end.max(start);
        if self.head < self.anchor { Self::new(end, start) } else { Self::new(start, end) }
    }

    /// A cursor.
    pub fn cursor(at: Byte) -> Self {
        Self { anchor: at, head: at, goal: None }
    }

    /// A selection from `anchor` to `head`.
    pub fn new(anchor: Byte, head: Byte) -> Self {
        Self { anchor, head, goal: None }
    }

    /// The lower end.
    pub fn start(&self) -> Byte {
        self.anchor.min(self.head)
    }

    /// The upper end.
    pub fn end(&self) -> Byte {
        self.anchor.max(self.head)
    }

    /// Both ends in order.
    pub fn span(&self) -> ByteRange<Byte> {
        self.start()..self.end()
    }

    /// Whether it is a cursor.
    pub fn is_empty(&self) -> bool {
        self.anchor == self.head
    }

    /// Moves the head; the anchor follows unless the selection is being extended.
    #[must_use]
    pub fn move_head(self, head: Byte, extend: bool) -> Self {
        Self { anchor: if extend { self.anchor } else { head }, head, goal: None }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let touching = self.end() == other.start() && (self.is_empty() || other.is_empty());
        self.end() > other.start() || touching
    }

    fn merge(self, other: Self) -> Self {
        let (start, end) = (self.start().min(other.start()), self.end().max(other.end()));
        if self.head < self.anchor { Self::new(end, start) } else { Self::new(start, end) }
    }
}

/// All ranges of one view, sorted, without overlaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    ranges: Vec<Range>,
    primary: usize,
}

impl Selection {
    /// Creates a selection with one cursor.
    pub fn cursor(at: Byte) -> Self {
        Self::single(Range::cursor(at))
    }

    /// Creates a selection with one range.
    pub fn single(range: Range) -> Self {
        Self { ranges: vec![range], primary: 0 }
    }

    /// Creates a selection from ranges in any order; overlapping ones are merged. `primary` is an index into
    /// `ranges`, which must not be empty.
    pub fn new(ranges: Vec<Range>, primary: usize) -> Self {
        assert!(primary < ranges.len(), "a selection has a primary range");
        let mut selection = Self { ranges, primary };
        selection.normalize();
        selection
    }

    /// The range that the view follows.
    pub fn primary(&self) -> Range {
        self.ranges[self.primary]
    }

    /// The index of [`Self::primary`] in [`Self::ranges`].
    pub fn primary_index(&self) -> usize {
        self.primary
    }

    /// Returns all ranges, in the order of the text.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// Whether all ranges are cursors.
    pub fn is_empty(&self) -> bool {
        self.ranges.iter().all(Range::is_empty)
    }

    /// Every range through `f`.
    #[must_use]
    pub fn transform(&self, f: impl FnMut(Range) -> Range) -> Self {
        Self::new(self.ranges.iter().copied().map(f).collect(), self.primary)
    }

    /// Maps the selection through a change. Cursors go after text inserted at them; the ends of a range keep
    /// to their text.
    #[must_use]
    pub fn map(&self, changes: &ChangeSet) -> Self {
        self.transform(|range| range.map(changes))
    }

    /// Fits the ranges to another text: none beyond its end, nor inside a character.
    #[must_use]
    pub fn clamp(&self, text: &Text) -> Self {
        let clamp_position = |at: Byte| text.char_floor(at.min(text.end()));
        self.transform(|range| Range {
            anchor: clamp_position(range.anchor),
            head: clamp_position(range.head),
            goal: range.goal,
        })
    }

    fn normalize(&mut self) {
        let primary = self.ranges[self.primary];
        self.ranges.sort_by_key(|range| (range.start(), range.end()));
        let mut merged: Vec<Range> = Vec::with_capacity(self.ranges.len());
        for range in self.ranges.drain(..) {
            match merged.last_mut() {
                Some(last) if last.overlaps(&range) => *last = last.merge(range),
                _ => merged.push(range),
            }
        }
        let holds = |range: &Range| range.start() <= primary.start() && primary.end() <= range.end();
        self.primary = merged.iter().position(holds).unwrap_or(0);
        self.ranges = merged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection_merges_overlapping_ranges() {
        let range = |a, h| Range::new(Byte(a), Byte(h));
        let selection = Selection::new(vec![range(8, 8), range(0, 4), range(6, 3)], 2);
        assert_eq!(selection.ranges(), [range(0, 6), range(8, 8)]);
        assert_eq!(selection.primary(), range(0, 6));
    }

    #[test]
    fn selection_touching_ranges_stay_separate() {
        let selection = Selection::new(
            vec![Range::new(Byte(0), Byte(2)), Range::new(Byte(2), Byte(4)), Range::cursor(Byte(4))],
            0,
        );
        assert_eq!(selection.ranges().len(), 2);
    }
}
