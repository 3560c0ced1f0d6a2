//! Unreviewed edits: ranges that the agent wrote and the user has not reviewed. They are mapped through every
//! change. Must not know who draws them.

use std::ops::Range;

use crate::text::changes::{ChangeSet, Side};
use crate::text::position::Byte;
use crate::text::transaction::belongs_to;

/// A marked range. An empty one marks a deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewMark {
    /// The range.
    pub range: Range<Byte>,
    /// The edit that made it, see [`crate::text::transaction::Author::Agent`].
    pub by: String,
}

/// The marks of one document, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewMarks {
    marks: Vec<ReviewMark>,
}

impl ReviewMarks {
    /// Returns all marks, in order.
    pub fn all(&self) -> &[ReviewMark] {
        &self.marks
    }

    /// Replaces all.
    pub fn set(&mut self, marks: Vec<ReviewMark>) {
        self.marks = marks;
        self.sort();
    }

    fn sort(&mut self) {
        self.marks.sort_by_key(|mark| (mark.range.start, mark.range.end));
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.marks.clear();
    }

    /// Maps the marks through a change. A mark whose whole text is deleted is removed.
    pub fn map(&mut self, changes: &ChangeSet) {
        if self.marks.is_empty() {
            return;
        }
        self.marks.retain_mut(|mark| {
            let was_empty = mark.range.is_empty();
            let start = changes.map(mark.range.start, Side::After);
            let end = changes.map(mark.range.end, Side::Before).max(start);
            mark.range = start..end;
            was_empty || start < end
        });
    }

    /// Marks the text written by a change that was already applied.
    pub fn add(&mut self, changes: &ChangeSet, by: &str) {
        self.marks.extend(changes.edits().map(|edit| ReviewMark { range: edit.new, by: by.to_string() }));
        self.sort();
    }

    /// Removes the marks of one edit, or of one turn.
    pub fn remove(&mut self, by: &str) {
        self.marks.retain(|mark| !belongs_to(&mark.by, by));
    }
}
