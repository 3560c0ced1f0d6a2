//! One open text: rope, format, undo tree and marks, kept in step. The only way to change it
//! is a transaction. Must not know files or views; a view's selection comes in as an argument.

use super::changes::ChangeSet;
use super::rope::Text;
use super::selection::Selection;
use super::transaction::{Author, PreparedChange, Transaction, belongs_to};
use crate::text::anchors::marks::ReviewMarks;
use crate::text::anchors::named_positions::NamedPositions;
use crate::text::file_format::encoding::UnencodableChar;
use crate::text::file_format::format::{self, Format};
use crate::text::operations::edit::{IndentKind, detect_indents};
use crate::text::undo::change_journal::{ChangeJournal, JournalSteps};
use crate::text::undo::history::{Commit, Formats, History, Revision, RevisionId, UndoStep};
use crate::text::undo::rebase::{RebaseConflict, rebase, trim};

/// An open text.
#[derive(Debug, Default)]
pub struct Document {
    text: Text,
    format: Format,
    history: History,
    marks: ReviewMarks,
    positions: NamedPositions,
    version: u64,
    saved: Option<RevisionId>,
    /// What changed since somebody who listens has asked; `None` while nobody does.
    change_log: Option<Vec<ChangeRecord>>,
    /// What changed since the last call of [`Self::steps`]; `None` before, and after too much.
    journal: Option<ChangeJournal>,
    /// What the text was indented by when it was read, or when something else than the user's editing changed it last.
    initial_indents: Option<IndentKind>,
}

/// A change that was made, for those who follow the text.
#[derive(Debug, Clone)]
pub struct ChangeRecord {
    /// The change.
    pub changes: ChangeSet,
    reverse: ReverseStep,
}

/// What leads back to the text before a change.
#[derive(Debug, Clone)]
enum ReverseStep {
    /// That text, where it was exchanged for another one.
    Text(Text),
    /// A change, where it was changed in place. To keep the text for somebody who may ask would make
    /// every edit copy the parts of it that it touches.
    Changes(ChangeSet),
}

impl ChangeRecord {
    /// The texts before each of some changes, the last of which led to `now`. Takes time for many.
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

/// Changes that are kept for somebody who does not ask.
const CHANGE_LOG_MAX: usize = 512;

/// What a document did: other views map their positions through `changes`.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The change.
    pub changes: ChangeSet,
    /// The selection afterwards, for the view that asked.
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

    /// More of a text was read that nobody may edit yet; it begins as it was.
    pub fn extend_loaded(&mut self, text: Text) {
        debug_assert!(self.history.is_empty() && text.end() >= self.text.end(), "a text only grows");
        self.text = text;
        self.initial_indents = detect_indents(&self.text, None);
        self.version += 1;
    }

    /// The same document in the place of one that had this version.
    #[must_use]
    pub fn with_version_after(self, version: u64) -> Self {
        Self { version: version + 1, ..self }
    }

    /// The empty document of a file that does not exist yet, unmodified.
    pub fn default_file() -> Self {
        Self::new("", Format::default())
    }

    /// A document of a file's bytes, unmodified. Never fails: see [`format`].
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (text, format) = format::decode(bytes);
        Self::new(&text, format)
    }

    /// The text; cloning it is a free snapshot.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// What lines are indented by. Where lines were indented from the beginning the user's edits change nothing about
    /// it: a file whose last indented line goes is still the same file.
    pub fn indents(&self) -> Option<IndentKind> {
        self.initial_indents.or_else(|| detect_indents(&self.text, None))
    }

    /// What the file is like beside its text.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The file is like this now, whatever is undone; see [`Transaction::format`] for a format
    /// that belongs to a text.
    pub fn set_format(&mut self, format: Format) {
        self.format = format;
    }

    /// Places that the agent wrote and the user has not reviewed.
    pub fn marks(&self) -> &ReviewMarks {
        &self.marks
    }

    /// Forgets those places: they are reviewed.
    pub fn clear_marks(&mut self) {
        self.marks.clear();
    }

    /// Marks that the user set, and places where something happened.
    pub fn positions(&self) -> &NamedPositions {
        &self.positions
    }

    /// The same, to set.
    pub fn positions_mut(&mut self) -> &mut NamedPositions {
        &mut self.positions
    }

    /// From now on every edit by the user joins one undo step, until [`Self::ungroup`].
    pub fn group(&mut self) {
        self.history.group();
    }

    /// The next edit is a step of its own again.
    pub fn ungroup(&mut self) {
        self.history.ungroup();
    }

    /// Counts every change, undo and redo included; equal versions mean equal text.
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

    /// The revision whose text is in the file, if there is one.
    pub fn saved(&self) -> Option<RevisionId> {
        self.saved
    }

    /// Adopts the undo tree of an earlier run, whose current revision is the text as it was
    /// opened. What was edited since stands on top of it, under the same ids.
    pub fn adopt(&mut self, older: History) {
        self.history.graft(older);
    }

    /// The text as it stands is in the file.
    pub fn mark_saved(&mut self) {
        self.mark_saved_at(self.history.current());
    }

    /// The text of this revision is in the file; typing may have gone on since.
    pub fn mark_saved_at(&mut self, revision: RevisionId) {
        self.saved = Some(revision);
        // The next edit must not join a revision that is on disk.
        self.history.seal();
    }

    /// The text differs from the file whatever the undo tree says: the file changed or is gone.
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

    /// Makes an edit. `selection` is the asking view's, `now_ms` milliseconds since the epoch.
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

    /// Takes the last step back.
    pub fn undo(&mut self) -> Option<Applied> {
        let step = self.history.undo()?;
        self.step(&step);
        self.update_indents(&step.author);
        if let Author::Agent(by) = &step.author {
            self.marks.remove(by);
        }
        Some(Applied { changes: step.changes, selection: step.selection })
    }

    /// Makes the step again that was taken back last.
    pub fn redo(&mut self) -> Option<Applied> {
        let step = self.history.redo()?;
        self.step(&step);
        self.update_indents(&step.author);
        if let Author::Agent(by) = &step.author {
            self.marks.add(&step.changes, by);
        }
        Some(Applied { changes: step.changes, selection: step.selection })
    }

    /// Goes to a revision of the undo tree, over as many steps as lie between. `None` when the
    /// text is there already.
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

    /// The agent's edits on the way to the text as it is that were not taken back alone, newest
    /// first.
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

    /// What would take back some of the agent's edits on the way to the text as it is, all else
    /// left: those that `by` names, one or a turn. `None` when there is nothing of the kind, or
    /// nothing is left of it; refused where a later edit touched the same text.
    pub fn revert_agent_edits(&self, by: &str) -> Option<Result<Transaction, RebaseConflict>> {
        let wanted: Vec<&str> = self.agent_edits().filter(|edit| belongs_to(edit, by)).collect();
        let theirs = |revision: &Revision| match &revision.author {
            Author::Agent(edit) => wanted.contains(&edit.as_str()),
            _ => false,
        };
        let oldest = self.history.path().filter(|revision| theirs(revision)).last()?.id;
        // From the text after the revision that is looked at to the text that is wanted, and how
        // one gets there from the text as it is.
        let mut later = ChangeSet::identity(self.text.end().0);
        let mut whole = later.clone();
        let mut before = self.text.clone();
        for revision in self.history.path() {
            revision.backward.apply(&mut before);
            let taken_back = matches!(revision.author, Author::Agent(_));
            later = if theirs(revision) {
                let moved = match rebase(&revision.backward, &later) {
                    Ok(moved) => moved,
                    Err(overlap) => return Some(Err(overlap)),
                };
                let cancelled = revision.forward.clone().compose(&later).compose(&moved);
                whole = whole.compose(&moved);
                // What was deleted and came back is no change that an older edit could meet.
                trim(&cancelled, &before)
            } else if taken_back {
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

    /// Keeps every change from now on for [`Self::heard`].
    pub fn record_changes(&mut self) {
        self.change_log = Some(Vec::new());
    }

    /// The changes since the last call; `None` when they were not kept: nobody listened, or so
    /// long ago that there were too many.
    pub fn take_changes(&mut self) -> Option<Vec<ChangeRecord>> {
        self.change_log.as_mut().map(std::mem::take)
    }

    /// What led here since the last call; `None` when that was not remembered. From now on it is.
    pub fn take_journal_steps(&mut self) -> Option<JournalSteps> {
        let trail = self.journal.replace(ChangeJournal::new(self.version));
        trail.map(|trail| trail.into_steps(self.version, &self.text))
    }

    /// Whether [`Self::steps`] has something to give.
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

    /// A formatter, an agent or another program may have indented the whole text anew.
    fn update_indents(&mut self, author: &Author) {
        if !matches!(author, Author::User) {
            self.initial_indents = detect_indents(&self.text, self.initial_indents);
        }
    }

    /// Puts the text that a change leads to in the place of the text.
    fn replace_text(&mut self, changes: &ChangeSet, after: Text) {
        debug_assert_eq!(changes.len_after(), after.end().0, "a change makes the text that it says");
        self.update_followers(changes, |text| ReverseStep::Text(text.clone()));
        self.text = after;
        self.positions.restore_columns(&self.text);
    }

    /// Makes a change in the text itself, of which nothing is copied unless somebody else holds it.
    /// Gives what takes it back.
    fn change(&mut self, changes: &ChangeSet) -> ChangeSet {
        let backward = changes.invert(&self.text);
        self.update_followers(changes, |_| ReverseStep::Changes(backward.clone()));
        changes.apply(&mut self.text);
        self.positions.restore_columns(&self.text);
        backward
    }

    /// Takes everything along that follows the text, which is still as it was before the change.
    fn update_followers(&mut self, changes: &ChangeSet, back: impl FnOnce(&Text) -> ReverseStep) {
        assert_eq!(changes.len_before(), self.text.end().0, "a change is of the text as it is");
        match &mut self.change_log {
            Some(heard) if heard.len() >= CHANGE_LOG_MAX => self.change_log = None,
            Some(heard) => heard.push(ChangeRecord { changes: changes.clone(), reverse: back(&self.text) }),
            None => {}
        }
        self.journal = self.journal.take().and_then(|mut trail| trail.push(changes).then_some(trail));
        self.positions.map(&self.text, changes);
        self.marks.map(changes);
        self.version += 1;
    }
}

#[cfg(test)]
mod tests;
