//! Document: rope, format, undo tree and marks of one open text, kept in sync. It is changed only by
//! transactions. Must not know files or views; a view's selection is passed as an argument.

use super::changes::ChangeSet;
use super::rope::Text;
use super::selection::Selection;
use super::transaction::{Author, PreparedChange, Transaction, belongs_to};
use crate::text::anchors::marks::{ReviewMark, ReviewMarks};
use crate::text::anchors::named_positions::NamedPositions;
use crate::text::file_format::encoding::UnencodableChar;
use crate::text::file_format::format::{self, Format};
use crate::text::operations::edit::{IndentKind, detect_indents};
use crate::text::undo::change_journal::{ChangeJournal, JournalSteps};
use crate::text::undo::history::{Commit, Formats, History, Revision, RevisionId, UndoStep};
use crate::text::undo::rebase::{RebaseConflict, rebase, trim};

/// A document.
#[derive(Debug, Default)]
pub struct Document {
    text: Text,
    format: Format,
    history: History,
    marks: ReviewMarks,
    positions: NamedPositions,
    version: u64,
    saved: Option<RevisionId>,
    /// For each listener the changes since its last call of [`Self::take_changes`]; `None` before it listens.
    change_logs: [Option<Vec<ChangeRecord>>; LISTENERS],
    /// Changes since the last call of [`Self::steps`]; `None` before the first one, and after too many.
    journal: Option<ChangeJournal>,
    /// The indentation style when the text was read, or last changed by something other than the user's
    /// editing.
    initial_indents: Option<IndentKind>,
}

/// An applied change, for observers of the text.
#[derive(Debug, Clone)]
pub struct ChangeRecord {
    /// The change.
    pub changes: ChangeSet,
    reverse: ReverseStep,
}

/// How to return to the text before a change.
#[derive(Debug, Clone)]
enum ReverseStep {
    /// That text, if it was exchanged.
    Text(Text),
    /// The inverse change, if the text was changed in place. Keeping the old text would make every edit copy
    /// the parts that it touches.
    Changes(ChangeSet),
}

impl ChangeRecord {
    /// Returns the texts before each of some changes, the last of which led to `now`. Slow for many.
    pub fn texts_before(past: &[Self], now: &Text) -> Vec<Text> {
        let mut at = now.clone();
        let before = |past: &Self| {
            match &past.reverse {
                ReverseStep::Text(text) => at = text.clone(),
                ReverseStep::Changes(changes) => changes.apply(&mut at),
            }
            at.clone()
        };
        let mut texts: Vec<Text> = past.iter().rev().map(before).collect();
        texts.reverse();
        texts
    }
}

/// Number of listeners that a document can have.
const LISTENERS: usize = 2;

/// Who collects the changes of a document independently of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listener(usize);

impl Listener {
    /// All of them; their users agree on who is which.
    pub const ALL: [Self; LISTENERS] = [Self(0), Self(1)];
}

/// Maximum number of changes kept for a listener that does not collect them.
const CHANGE_LOG_MAX: usize = 512;

/// The result of a change: other views map their positions through `changes`.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The change.
    pub changes: ChangeSet,
    /// The new selection of the requesting view.
    pub selection: Selection,
}

impl Document {
    /// A document of this text, unmodified.
    pub fn new(text: &str, format: Format) -> Self {
        Self::from_text(Text::from(text), format)
    }

    /// A document of a text that was read already, unmodified.
    pub fn from_text(text: Text, format: Format) -> Self {
        let began = detect_indents(&text, None);
        Self { text, format, initial_indents: began, saved: Some(RevisionId::default()), ..Self::default() }
    }

    /// Replaces the text of a file that is still loading, whose beginning is unchanged.
    pub fn extend_loaded(&mut self, text: Text) {
        debug_assert!(self.history.is_empty() && text.end() >= self.text.end(), "a text only grows");
        self.text = text;
        self.initial_indents = detect_indents(&self.text, None);
        self.version += 1;
    }

    /// Returns the same document as the successor of one with this version.
    #[must_use]
    pub fn with_version_after(self, version: u64) -> Self {
        Self { version: version + 1, ..self }
    }

    /// The empty document of a file that does not exist yet, unmodified.
    pub fn default_file() -> Self {
        Self::new("", Format::default())
    }

    /// Creates an unmodified document from a file's bytes. Never fails: see [`format`].
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (text, format) = format::decode(bytes);
        Self::new(&text, format)
    }

    /// Returns the text; cloning it is a cheap snapshot.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Returns the indentation style. If lines were indented from the start, the user's edits do not change
    /// it: deleting the last indented line does not make it another kind of file.
    pub fn indents(&self) -> Option<IndentKind> {
        self.initial_indents.or_else(|| detect_indents(&self.text, None))
    }

    /// Returns the file format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Sets the file format, independent of undo; see [`Transaction::format`] for a format that belongs to a
    /// text.
    pub fn set_format(&mut self, format: Format) {
        self.format = format;
    }

    /// Returns the agent's unreviewed edits.
    pub fn marks(&self) -> &ReviewMarks {
        &self.marks
    }

    /// Clears the unreviewed edits: they were reviewed.
    pub fn clear_marks(&mut self) {
        self.marks.clear();
    }

    /// Replaces the marks.
    pub fn set_marks(&mut self, marks: Vec<ReviewMark>) {
        self.marks.set(marks);
    }

    /// Returns the user's marks and other remembered positions.
    pub fn positions(&self) -> &NamedPositions {
        &self.positions
    }

    /// Returns the remembered positions, mutable.
    pub fn positions_mut(&mut self) -> &mut NamedPositions {
        &mut self.positions
    }

    /// Starts a group: every edit of the user joins one undo step, until [`Self::ungroup`].
    pub fn group(&mut self) {
        self.history.group();
    }

    /// Ends the group.
    pub fn ungroup(&mut self) {
        self.history.ungroup();
    }

    /// Returns a counter of all changes, including undo and redo; equal versions mean equal text.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The undo tree.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Whether the text differs from the file.
    pub fn is_modified(&self) -> bool {
        self.saved != Some(self.history.current())
    }

    /// Returns the revision whose text is in the file, if there is one.
    pub fn saved(&self) -> Option<RevisionId> {
        self.saved
    }

    /// Adopts the undo tree of an earlier run, whose current revision is the text as opened. Later edits are
    /// put on top of it and keep their ids.
    pub fn adopt(&mut self, older: History) {
        self.history.graft(older);
    }

    /// Marks the present text as saved.
    pub fn mark_saved(&mut self) {
        self.mark_saved_at(self.history.current());
    }

    /// Marks a revision as saved; typing may have continued since.
    pub fn mark_saved_at(&mut self, revision: RevisionId) {
        self.saved = Some(revision);
        // The next edit must not join a revision that is on disk.
        self.history.seal();
    }

    /// Marks the text as modified whatever the undo tree says: the file changed or is gone.
    pub fn mark_unsaved(&mut self) {
        self.saved = None;
        self.history.seal();
    }

    /// Ends a burst of typing.
    pub fn seal(&mut self) {
        self.history.seal();
    }

    /// The bytes to save.
    pub fn bytes(&self) -> Result<Vec<u8>, UnencodableChar> {
        format::encode(self.text.chunks_from(super::position::Byte(0)), self.format)
    }

    /// Applies an edit. `selection` is that of the requesting view, `now_ms` milliseconds since the epoch.
    /// `None` when the edit changes nothing.
    pub fn apply(&mut self, edit: Transaction, selection: &Selection, now_ms: u64) -> Option<Applied> {
        let format = edit.format.unwrap_or(self.format);
        let before = std::mem::replace(&mut self.format, format);
        if edit.changes.is_identity() {
            return None;
        }
        let formats = (before != format).then_some(Formats { before, after: format });
        let after = edit.selection.unwrap_or_else(|| selection.map(&edit.changes));
        let extensive = edit.changes.is_extensive();
        let ready =
            edit.prepared.or_else(|| extensive.then(|| PreparedChange::new(&edit.changes, &self.text)));
        let kept = extensive.then(|| self.text.clone());
        let backward = match ready {
            Some(PreparedChange { after, backward }) => {
                self.replace_text(&edit.changes, after);
                backward
            }
            None => self.change(&edit.changes),
        };
        if matches!(edit.author, Author::User | Author::Plugin(_)) {
            self.positions.note_change(&self.text, &edit.changes);
        }
        self.update_indents(&edit.author);
        match &edit.author {
            Author::Agent(by) => self.marks.add(&edit.changes, by),
            Author::Revert(by) => self.marks.remove(by),
            Author::User | Author::External | Author::Formatter | Author::Plugin(_) => {}
        }
        self.history.commit(Commit {
            forward: edit.changes.clone(),
            backward,
            before: kept,
            after: self.text.clone(),
            formats,
            selection_before: selection.clone(),
            selection_after: after.clone(),
            author: edit.author,
            grouping: edit.grouping,
            time_ms: now_ms,
        });
        Some(Applied { changes: edit.changes, selection: after })
    }

    /// Undoes the last step.
    pub fn undo(&mut self) -> Option<Applied> {
        let step = self.history.undo()?;
        self.step(&step);
        self.update_indents(&step.author);
        if let Author::Agent(by) = &step.author {
            self.marks.remove(by);
        }
        Some(Applied { changes: step.changes, selection: step.selection })
    }

    /// Redoes the last undone step.
    pub fn redo(&mut self) -> Option<Applied> {
        let step = self.history.redo()?;
        self.step(&step);
        self.update_indents(&step.author);
        if let Author::Agent(by) = &step.author {
            self.marks.add(&step.changes, by);
        }
        Some(Applied { changes: step.changes, selection: step.selection })
    }

    /// Moves to a revision of the undo tree, over all steps between. `None` when it is the current one.
    pub fn travel(&mut self, revision: RevisionId) -> Option<Applied> {
        let mut whole: Option<ChangeSet> = None;
        let mut selection = None;
        for (back, step) in self.history.travel(revision) {
            self.step(&step);
            self.update_indents(&step.author);
            match &step.author {
                Author::Agent(by) if back => self.marks.remove(by),
                Author::Agent(by) => self.marks.add(&step.changes, by),
                Author::Revert(by) if !back => self.marks.remove(by),
                Author::User
                | Author::Revert(_)
                | Author::External
                | Author::Formatter
                | Author::Plugin(_) => {}
            }
            whole = Some(match whole {
                Some(whole) => whole.compose(&step.changes),
                None => step.changes,
            });
            selection = Some(step.selection);
        }
        Some(Applied { changes: whole?, selection: selection? })
    }

    /// Whether the agent has ever edited the text, be it taken back since.
    pub fn was_edited_by_agent(&self) -> bool {
        let mut revisions = self.history.newest_first().filter_map(|(id, _)| self.history.revision(id));
        revisions.any(|revision| matches!(revision.author, Author::Agent(_)))
    }

    /// Returns the agent's edits on the path to the present text that were not reverted, newest first.
    pub fn agent_edits(&self) -> impl Iterator<Item = &str> {
        let mut reverted: Vec<&str> = Vec::new();
        self.history.path().filter_map(move |revision| match &revision.author {
            Author::Revert(by) => {
                reverted.push(by);
                None
            }
            Author::Agent(edit) if !reverted.iter().any(|by| belongs_to(edit, by)) => Some(edit.as_str()),
            _ => None,
        })
    }

    /// Returns the edit that reverts some of the agent's edits on the path to the present text, keeping all
    /// others: `by` names an edit or a turn. `None` when there are none, or nothing of them is left; refused
    /// if a later edit touched the same text.
    pub fn revert_agent_edits(&self, by: &str) -> Option<Result<Transaction, RebaseConflict>> {
        let edits_of_agent: Vec<&str> = self.agent_edits().filter(|edit| belongs_to(edit, by)).collect();
        let theirs = |revision: &Revision| match &revision.author {
            Author::Agent(edit) => edits_of_agent.contains(&edit.as_str()),
            _ => false,
        };
        let oldest = self.history.path().filter(|revision| theirs(revision)).last()?.id;
        // The change from the text after the visited revision to the desired text, and the path there from
        // the present text.
        let mut later = ChangeSet::identity(self.text.end().0);
        let mut whole = later.clone();
        let mut before = self.text.clone();
        for revision in self.history.path() {
            revision.backward.apply(&mut before);
            let is_agent_edit = matches!(revision.author, Author::Agent(_));
            later = if theirs(revision) {
                let moved = match rebase(&revision.backward, &later) {
                    Ok(moved) => moved,
                    Err(overlap) => return Some(Err(overlap)),
                };
                let cancelled = revision.forward.clone().compose(&later).compose(&moved);
                whole = whole.compose(&moved);
                // Text that was deleted and restored is not a change that an older edit could conflict with.
                trim(&cancelled, &before)
            } else if is_agent_edit {
                trim(&revision.forward.clone().compose(&later), &before)
            } else {
                revision.forward.clone().compose(&later)
            };
            if revision.id == oldest {
                break;
            }
        }
        if whole.is_identity() {
            return None;
        }
        Some(Ok(Transaction::new(whole).with_author(Author::Revert(by.to_string()))))
    }

    /// Starts keeping every change for a listener.
    pub fn record_changes(&mut self, listener: Listener) {
        self.change_logs[listener.0] = Some(Vec::new());
    }

    /// Stops keeping changes for a listener.
    pub fn drop_changes(&mut self, listener: Listener) {
        self.change_logs[listener.0] = None;
    }

    /// Returns the changes since the listener's last call; `None` when they were not kept: it did not listen, or
    /// there were too many.
    pub fn take_changes(&mut self, listener: Listener) -> Option<Vec<ChangeRecord>> {
        self.change_logs[listener.0].as_mut().map(std::mem::take)
    }

    /// Returns the changes since the last call; `None` when they were not kept. From now on they are.
    pub fn take_journal_steps(&mut self) -> Option<JournalSteps> {
        let trail = self.journal.replace(ChangeJournal::new(self.version));
        trail.map(|trail| trail.into_steps(self.version, &self.text))
    }

    /// Whether [`Self::steps`] has anything to return.
    pub fn has_journal_steps(&self) -> bool {
        self.journal.is_some()
    }

    fn step(&mut self, step: &UndoStep) {
        let after = step.text.clone().unwrap_or_else(|| {
            let mut after = self.text.clone();
            step.changes.apply(&mut after);
            after
        });
        self.replace_text(&step.changes, after);
        self.format = step.format.unwrap_or(self.format);
    }

    /// A formatter, an agent or another program may have reindented the whole text.
    fn update_indents(&mut self, author: &Author) {
        if !matches!(author, Author::User) {
            self.initial_indents = detect_indents(&self.text, self.initial_indents);
        }
    }

    /// Replaces the text by the result of a change.
    fn replace_text(&mut self, changes: &ChangeSet, after: Text) {
        debug_assert_eq!(changes.len_after(), after.end().0, "a change makes the text that it says");
        self.update_followers(changes, |text| ReverseStep::Text(text.clone()));
        self.text = after;
        self.positions.restore_columns(&self.text);
    }

    /// Applies a change in place, which copies nothing unless the text is shared. Returns the inverse.
    fn change(&mut self, changes: &ChangeSet) -> ChangeSet {
        let backward = changes.invert(&self.text);
        self.update_followers(changes, |_| ReverseStep::Changes(backward.clone()));
        changes.apply(&mut self.text);
        self.positions.restore_columns(&self.text);
        backward
    }

    /// Maps everything that follows the text, which is still the text before the change.
    fn update_followers(&mut self, changes: &ChangeSet, back: impl FnOnce(&Text) -> ReverseStep) {
        assert_eq!(changes.len_before(), self.text.end().0, "a change is of the text as it is");
        if self.change_logs.iter().any(Option::is_some) {
            let record = ChangeRecord { changes: changes.clone(), reverse: back(&self.text) };
            for kept in &mut self.change_logs {
                match kept {
                    Some(log) if log.len() >= CHANGE_LOG_MAX => *kept = None,
                    Some(log) => log.push(record.clone()),
                    None => {}
                }
            }
        }
        self.journal = self.journal.take().and_then(|mut trail| trail.push(changes).then_some(trail));
        self.positions.map(&self.text, changes);
        self.marks.map(changes);
        self.version += 1;
    }
}

#[cfg(test)]
mod tests;
