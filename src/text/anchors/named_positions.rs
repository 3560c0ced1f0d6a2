//! Remembered positions of a text: named marks, jumps, locations of changes. They are mapped through every
//! change. Must not know files or keys.

use std::collections::BTreeMap;

use crate::text::changes::{ChangeSet, Edit, Side};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Maximum number of remembered changes.
const CHANGES_MAX: usize = 100;

/// Name of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PositionName {
    /// A letter that the user chose, or a sign for an automatic one: `.` the last change, `^` the last
    /// insertion, `<` and `>` the last selection, `[` and `]` the ends of the last change or copy, `'` the
    /// start of the last jump.
    Mark(char),
    /// An entry of the jump list, by its number.
    Jump(u64),
    /// The start of typing.
    InsertStart,
    /// Where erasing stops once: the start of typing, even if the cursor has moved right since.
    EraseStop,
    /// The leftmost position of what was typed: the start of typing, or of what was erased before it.
    LeftmostTyped,
    /// The start of the last selection.
    Anchor,
    /// The end of the last selection.
    Head,
    /// One of many lines that a command will visit.
    Line(usize),
}

impl PositionName {
    /// Whether the position keeps its column when its line is edited: the last selection, and the start and
    /// end of typing. The text at that column is selected again, not the text that was selected before.
    fn keeps_column(self) -> bool {
        matches!(
            self,
            Self::Anchor | Self::Head | Self::InsertStart | Self::EraseStop | Self::Mark('<' | '>' | '^')
        )
    }
}

/// A position that keeps its column, while its line is mapped through a change.
#[derive(Debug, Clone, Copy)]
struct KeptColumn {
    name: PositionName,
    /// An offset in its line in the changed text.
    line: Byte,
    column: usize,
    joined: Option<LineJoin>,
}

/// How a line was joined to the one before it.
#[derive(Debug, Clone, Copy)]
struct LineJoin {
    /// The offset of the join in the changed text.
    at: Byte,
    /// By how many bytes the start of the line grew.
    bytes_added: isize,
}

impl LineJoin {
    /// Returns the join whose edit deletes the line break before the line that starts at `start`. If the edit
    /// starts at that line break the line loses its indentation; otherwise the preceding characters are
    /// deleted, which moves no column.
    fn of(before: &Text, changes: &ChangeSet, start: Byte) -> Option<Self> {
        let inside = |edit: &Edit<'_>| before.line_start(before.line_of(edit.old.start)) < edit.old.start;
        let edit = changes.edits_from(start).next().filter(|edit| edit.old.start < start && inside(edit))?;
        if edit.text.contains('\n') || edit.old.end > before.line_end(before.line_of(start)) {
            return None;
        }
        let indentation = before.byte_at(edit.old.start) == Some(b'\n');
        let more = if indentation { edit.text.len() as isize - (edit.old.end - start) as isize } else { 0 };
        Some(Self { at: edit.new.start, bytes_added: more })
    }
}

/// A position inside lines that are moved, relative to the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MovedPosition {
    name: PositionName,
    line: usize,
    column: usize,
}

/// The remembered positions of one document.
#[derive(Debug, Clone, Default)]
pub struct NamedPositions {
    named: BTreeMap<PositionName, Byte>,
    /// The columns of positions that keep them: their lines may temporarily be too short.
    columns: BTreeMap<PositionName, usize>,
    kept_columns: Vec<KeptColumn>,
    /// Where changes were made, newest last.
    changes: Vec<Byte>,
}

impl NamedPositions {
    /// Returns a position.
    pub fn get(&self, name: PositionName) -> Option<Byte> {
        self.named.get(&name).copied()
    }

    /// Returns the position of a mark.
    pub fn mark(&self, letter: char) -> Option<Byte> {
        self.get(PositionName::Mark(letter))
    }

    /// Sets a position.
    pub fn set(&mut self, name: PositionName, at: Byte) {
        self.columns.remove(&name);
        self.named.insert(name, at);
    }

    /// Sets a mark.
    pub fn set_mark(&mut self, letter: char, at: Byte) {
        self.set(PositionName::Mark(letter), at);
    }

    /// Removes a position.
    pub fn remove(&mut self, name: PositionName) {
        self.named.remove(&name);
    }

    /// Removes lines that a command would visit.
    pub fn forget_lines(&mut self, text: &Text, lines: &[Line]) {
        let waits = |name: &PositionName, at: Byte| {
            matches!(name, PositionName::Line(_)) && lines.contains(&text.line_of(at))
        };
        self.named.retain(|name, at| !waits(name, *at));
    }

    /// Returns all marks, by sign.
    pub fn marks(&self) -> impl Iterator<Item = (char, Byte)> {
        self.named.iter().filter_map(|(name, at)| match name {
            PositionName::Mark(letter) => Some((*letter, *at)),
            _ => None,
        })
    }

    /// Where changes were made, newest last.
    pub fn changes(&self) -> &[Byte] {
        &self.changes
    }

    /// Records the lines of positions that keep their columns.
    fn note_columns(&mut self, before: &Text, changes: &ChangeSet) {
        for (name, at) in self.named.iter().filter(|(name, _)| name.keeps_column()) {
            let start = before.line_start(before.line_of(*at));
            let column = *self.columns.get(name).unwrap_or(&(*at - start));
            let gone = || {
                let end = before.line_start(Line(before.line_of(*at).0 + 1));
                let edit = changes.edits_from(start).next();
                edit.is_some_and(|edit| {
                    edit.text.is_empty() && edit.old.start <= start && end <= edit.old.end
                })
            };
            let line = changes.map(start, Side::After);
            // For a deleted line, the line above it is used.
            let line = if gone() { line.back(1) } else { line };
            let joins = !matches!(name, PositionName::InsertStart | PositionName::EraseStop);
            let joined = joins.then(|| LineJoin::of(before, changes, start)).flatten();
            self.kept_columns.push(KeptColumn { name: *name, line, column, joined });
        }
    }

    /// Restores the positions that keep their columns; `after` is the changed text for which [`Self::map`]
    /// was called.
    pub fn restore_columns(&mut self, after: &Text) {
        for KeptColumn { name, line, column, joined } in std::mem::take(&mut self.kept_columns) {
            let line = after.line_of(joined.map_or(line, |joined| joined.at).min(after.end()));
            let column = joined.map_or(column, |LineJoin { at, bytes_added: more }| {
                (at - after.line_start(line)) + column.saturating_add_signed(more)
            });
            self.set_at_column(name, after, line, column);
        }
    }

    /// Sets a position to a column of a line, in bytes, which it keeps while its line is shorter.
    pub fn set_at_column(&mut self, name: PositionName, text: &Text, line: Line, column: usize) {
        let at = (text.line_start(line) + column).min(text.line_end(line));
        self.named.insert(name, text.grapheme_floor(at));
        if name.keeps_column() {
            self.columns.insert(name, column);
        }
    }

    /// Returns the line and column of a position, in bytes.
    pub fn line_and_column(&self, name: PositionName, text: &Text) -> Option<(Line, usize)> {
        let at = self.get(name)?;
        let line = text.line_of(at);
        let column = self.columns.get(&name).copied().unwrap_or(at - text.line_start(line));
        Some((line, column))
    }

    /// Returns the positions in lines that are about to be moved; lines that a command will visit are
    /// excluded.
    pub fn positions_in_lines(&self, text: &Text, first: Line, last: Line) -> Vec<MovedPosition> {
        let names = self.named.keys().filter(|name| !matches!(name, PositionName::Line(_)));
        let inside = |name: &PositionName| {
            let (line, column) = self.line_and_column(*name, text)?;
            let along = (first..=last).contains(&line);
            along.then(|| MovedPosition { name: *name, line: line.0 - first.0, column })
        };
        names.filter_map(inside).collect()
    }

    /// Moves positions to the moved lines, which start at `first` in the present text.
    pub fn move_with_lines(&mut self, moved: Vec<MovedPosition>, text: &Text, first: Line) {
        for MovedPosition { name, line, column } in moved {
            self.set_at_column(name, text, Line(first.0 + line), column);
        }
    }

    /// Maps every position through a change; `before` is the text without it. A letter is removed when its
    /// whole line is deleted. [`Self::land`] must follow.
    pub fn map(&mut self, before: &Text, changes: &ChangeSet) {
        if self.named.is_empty() && self.changes.is_empty() {
            return;
        }
        self.note_columns(before, changes);
        let gone = |name: &PositionName, at: Byte| {
            let goes = match name {
                PositionName::Mark(letter) => letter.is_ascii_alphabetic() || *letter == '^',
                PositionName::Line(_) => true,
                PositionName::Jump(_)
                | PositionName::InsertStart
                | PositionName::EraseStop
                | PositionName::LeftmostTyped
                | PositionName::Anchor
                | PositionName::Head => false,
            };
            if !goes {
                return false;
            }
            // A line joined to the one before it no longer exists.
            let joined = |edit: crate::text::changes::Edit<'_>| {
                let inside = before.line_start(before.line_of(edit.old.start)) < edit.old.start;
                inside && edit.old.start < at && at <= edit.old.end && !edit.text.contains('\n')
            };
            let line = before.line_of(at);
            let whole = before.line_start(line)..before.line_end(line);
            let near = || changes.edits_from(whole.start).take_while(|edit| edit.old.start <= whole.end);
            if matches!(name, PositionName::Line(_)) && near().any(joined) {
                return true;
            }
            // An edit that ends at the start of an empty line has deleted the lines before it.
            let before_it = |edit: &crate::text::changes::Edit<'_>| {
                let starts = before.line_start(before.line_of(edit.old.start)) == edit.old.start;
                starts && edit.old.end == whole.start
            };
            near().any(|edit| {
                let ending = edit.old.start < whole.start || edit.old.end > whole.end;
                let all = edit.old.start <= whole.start && edit.old.end >= whole.end && ending;
                edit.text.is_empty() && all && !before_it(&edit)
            })
        };
        self.named.retain(|name, at| !gone(name, *at));
        let named = &self.named;
        self.kept_columns.retain(|carried| named.contains_key(&carried.name));
        self.columns.retain(|name, _| named.contains_key(name));
        for (name, at) in &mut self.named {
            // Text typed at the start of the last change belongs to it.
            let side = if matches!(name, PositionName::Mark('[') | PositionName::LeftmostTyped) {
                Side::Before
            } else {
                Side::After
            };
            *at = changes.map(*at, side);
        }
        for at in &mut self.changes {
            *at = changes.map(*at, Side::After);
        }
    }

    /// Records a change of the user; `after` is the changed text.
    pub fn note_change(&mut self, after: &Text, changes: &ChangeSet) {
        let (Some(first), Some(last)) = (changes.edits().next(), changes.last_edit()) else { return };
        let at = if last.text.is_empty() { last.new.start } else { after.prev_grapheme(last.new.end) };
        let line = after.line_of(at);
        if self.changes.last().is_some_and(|last| after.line_of(*last) == line) {
            self.changes.pop();
        }
        self.changes.push(at);
        if self.changes.len() > CHANGES_MAX {
            self.changes.remove(0);
        }
        self.set_mark('.', at);
        self.set_mark('[', first.new.start);
        let end = if last.text.is_empty() { last.new.start } else { at };
        self.set_mark(']', end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::document::Document;
    use crate::text::file_format::format::Format;
    use crate::text::selection::Selection;
    use crate::text::transaction::Transaction;
    use proptest::prelude::*;

    fn edited(text: &str, mark: usize, range: std::ops::Range<usize>, new: &str) -> Option<Byte> {
        let mut document = Document::new(text, Format::default());
        document.positions_mut().set_mark('a', Byte(mark));
        let edit = ChangeSet::replace(text.len(), [(Byte(range.start)..Byte(range.end), new.to_string())]);
        document.apply(Transaction::new(edit), &Selection::cursor(Byte(0)), 0);
        document.positions().mark('a')
    }

    #[test]
    fn marks_move_with_text() {
        assert_eq!(edited("one\ntwö\n", 4, 0..0, "é\n"), Some(Byte(7)));
        assert_eq!(edited("one\ntwo\n", 5, 0..3, ""), Some(Byte(2)));
        assert_eq!(edited("one\ntwo\n", 5, 4..7, ""), Some(Byte(4)), "the line is still there");
    }

    #[test]
    fn mark_is_deleted_with_its_line() {
        assert_eq!(edited("one\ntwo\n", 5, 4..8, ""), None);
        assert_eq!(edited("one\ntwo", 5, 3..7, ""), None);
        assert_eq!(edited("one\ntwo\n", 5, 4..8, "new\n"), Some(Byte(8)), "replaced is not deleted");
    }

    #[test]
    fn change_list_is_by_line_and_bounded() {
        let mut document = Document::new(&"x\n".repeat(300), Format::default());
        let mut insert = |at: usize| {
            let len = document.text().end().0;
            let edit = ChangeSet::replace(len, [(Byte(at)..Byte(at), "é".to_string())]);
            document.apply(Transaction::new(edit), &Selection::cursor(Byte(0)), 0);
            (document.positions().changes().to_vec(), document.positions().mark('.'))
        };
        assert_eq!(insert(0), (vec![Byte(0)], Some(Byte(0))));
        assert_eq!(insert(2), (vec![Byte(2)], Some(Byte(2))), "the same line counts once");
        let all = (0..200).map(|n| insert(6 + n * 4).0).last().unwrap();
        assert_eq!(all.len(), CHANGES_MAX);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(64))]
        #[test]
        fn marks_and_changes_stay_inside_text(
            marks in prop::collection::vec(0usize..40, 1..6),
            edits in prop::collection::vec((0usize..40, 0usize..10, "[a\\n]{0,4}"), 1..12),
        ) {
            let mut document = Document::new(&"ab\ncd\n".repeat(7), Format::default());
            for (n, at) in marks.iter().enumerate() {
                document.positions_mut().set_mark((b'a' + n as u8) as char, Byte(*at));
            }
            for (from, length, new) in edits {
                let len = document.text().end().0;
                let (from, to) = (from.min(len), (from + length).min(len));
                let edit = ChangeSet::replace(len, [(Byte(from)..Byte(to), new)]);
                document.apply(Transaction::new(edit), &Selection::cursor(Byte(0)), 0);
                let end = document.text().end();
                prop_assert!(document.positions().marks().all(|(_, at)| at <= end));
                prop_assert!(document.positions().changes().iter().all(|at| *at <= end));
            }
        }
    }
}
