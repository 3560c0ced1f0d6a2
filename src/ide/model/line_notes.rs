//! Short notes behind lines of an open text, such as code lenses, moved along with edits. Must not know who makes or draws
//! them.

use std::ops::Range;

use crate::text::changes::{ChangeSet, Side};
use crate::text::position::Byte;

/// The notes of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineNotes {
    /// Each with an offset in its line, by position.
    notes: Vec<(Byte, String)>,
}

impl LineNotes {
    /// Creates them from notes in any order.
    pub fn new(mut notes: Vec<(Byte, String)>) -> Self {
        notes.sort_by_key(|(at, _)| *at);
        Self { notes }
    }

    /// Moves them along with an edit. Those in deleted text are removed.
    pub fn map(&mut self, changes: &ChangeSet) {
        if self.notes.is_empty() {
            return;
        }
        self.notes.retain(|(at, _)| !changes.is_inside(*at));
        for (at, _) in &mut self.notes {
            *at = changes.map(*at, Side::After);
        }
    }

    /// Returns all of them, by position.
    pub fn all(&self) -> &[(Byte, String)] {
        &self.notes
    }

    /// Returns those of a line.
    pub fn of_line(&self, line: Range<Byte>) -> &[(Byte, String)] {
        let from = self.notes.partition_point(|(at, _)| *at < line.start);
        let to = self.notes.partition_point(|(at, _)| *at <= line.end);
        &self.notes[from..to]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_notes_move_with_edits_and_are_found_by_line() {
        let note = |at: usize, text: &str| (Byte(at), text.to_string());
        let mut notes = LineNotes::new(vec![note(12, "c"), note(0, "a"), note(3, "b")]);
        assert_eq!(notes.of_line(Byte(0)..Byte(5)), [note(0, "a"), note(3, "b")]);
        assert_eq!(notes.of_line(Byte(6)..Byte(11)), []);
        // A line typed above the first one.
        notes.map(&ChangeSet::replace(20, [(Byte(0)..Byte(0), "new\n".to_string())]));
        assert_eq!(notes.of_line(Byte(4)..Byte(9)), [note(4, "a"), note(7, "b")]);
        notes.map(&ChangeSet::replace(24, [(Byte(5)..Byte(9), String::new())]));
        assert_eq!(notes.all(), [note(4, "a"), note(12, "c")]);
    }
}
