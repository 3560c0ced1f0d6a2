//! Undo tree: all edits as revisions with parents. Undo and redo move along it without discarding anything.
//! Must not access the text.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::text::changes::ChangeSet;
use crate::text::file_format::format::Format;
use crate::text::rope::Text;
use crate::text::selection::Selection;
use crate::text::transaction::{Author, Grouping};

/// Pause after which typing starts a new undo step, in milliseconds.
const BURST_PAUSE_MS: u64 = 1_000;
/// Maximum bytes of stored texts, which make undo of a change with many edits a mere exchange.
const TEXTS_MAX: usize = 256 << 20;

/// Identifies a revision as long as its document is open, wherever it is in the tree. Own revisions count up
/// from 0, the text as opened; revisions adopted from an earlier run count down from -1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RevisionId(i64);

impl std::fmt::Display for RevisionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A step of the tree.
#[derive(Debug, Clone)]
pub struct Revision {
    /// Its id.
    pub id: RevisionId,
    /// The position of its parent.
    pub(in crate::text) parent: usize,
    /// The position of the child that redo goes to: the newest one.
    pub(in crate::text) redo: Option<usize>,
    /// Its change.
    pub forward: ChangeSet,
    /// What takes it back.
    pub backward: ChangeSet,
    pub(in crate::text) selection_before: Selection,
    pub(in crate::text) selection_after: Selection,
    pub(in crate::text) formats: Option<Formats>,
    /// The author.
    pub author: Author,
    /// The time of its last edit, in milliseconds since the epoch.
    pub time_ms: u64,
    pub(in crate::text) grouping: Grouping,
    /// The texts around a step with many edits, while they are stored.
    pub(in crate::text) texts: Option<Texts>,
}

/// The texts before and after a step. They share storage, and the later one is the document's own until the
/// next step.
#[derive(Debug, Clone)]
pub(in crate::text) struct Texts {
    pub(in crate::text) before: Text,
    pub(in crate::text) after: Text,
}

/// The text's formats before and after a step that changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Formats {
    /// The old format.
    pub before: Format,
    /// The new format.
    pub after: Format,
}

/// The change that undo or redo applies, and the resulting selection.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoStep {
    /// The change.
    pub changes: ChangeSet,
    /// The selection afterwards.
    pub selection: Selection,
    /// The author of the edit.
    pub author: Author,
    /// The new format, if the step changes it.
    pub format: Option<Format>,
    /// The new text, if it is stored.
    pub text: Option<Text>,
}

/// The undo tree of one document. Clones share the revisions, so a snapshot for a task is cheap.
///
/// Callers refer to revisions by id. Internally they are referred to by position, oldest first, with the root
/// at 0: positions change when an older tree is adopted.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Without the root, which has no change: position `n` is at `n - 1`.
    revisions: Vec<Arc<Revision>>,
    root: RevisionId,
    current: usize,
    root_redo: Option<usize>,
    /// Revisions committed since the document was opened.
    commits: i64,
    /// Revisions adopted from earlier runs.
    adopted: i64,
    /// Whether the next edit must start a new step.
    sealed: bool,
    /// While edits are grouped: the number of revisions at the start of the group.
    group: Option<usize>,
}

/// An edit to record.
#[derive(Debug)]
pub struct Commit {
    /// The change.
    pub forward: ChangeSet,
    /// What takes it back.
    pub backward: ChangeSet,
    /// The text before, for a step with many edits.
    pub before: Option<Text>,
    /// The text after. It is stored only for such a step: holding a text makes the next edit copy what it
    /// touches.
    pub after: Text,
    /// The selection before.
    pub selection_before: Selection,
    /// The selection after.
    pub selection_after: Selection,
    /// The formats, if the edit changes it.
    pub formats: Option<Formats>,
    /// The author.
    pub author: Author,
    /// How it joins the last edit.
    pub grouping: Grouping,
    /// When, in milliseconds since the epoch.
    pub time_ms: u64,
}

impl History {
    /// The revision that the document is at.
    pub fn current(&self) -> RevisionId {
        self.id_at(self.current)
    }

    /// Returns the root: the oldest text that undo reaches.
    pub fn root(&self) -> RevisionId {
        self.root
    }

    /// Returns the number of revisions, including the root.
    pub fn len(&self) -> usize {
        self.revisions.len() + 1
    }

    /// Whether there were no edits.
    pub fn is_empty(&self) -> bool {
        self.revisions.is_empty()
    }

    /// Returns the number of revisions committed since the document was opened, without adopted ones.
    pub fn commits(&self) -> i64 {
        self.commits
    }

    /// Returns all revisions with their parents, newest first. The root is last and has no parent.
    pub fn newest_first(&self) -> impl Iterator<Item = (RevisionId, Option<RevisionId>)> {
        let own = self.revisions.iter().rev().map(|known| (known.id, Some(self.id_at(known.parent))));
        own.chain(std::iter::once((self.root, None)))
    }

    /// Creates a tree from revisions without the root, at the position `current`. Positions are their ids,
    /// too.
    pub(in crate::text) fn from_revisions(
        mut revisions: Vec<Arc<Revision>>,
        current: usize,
        root_redo: Option<usize>,
    ) -> Self {
        for (id, revision) in (1..).zip(&mut revisions) {
            Arc::make_mut(revision).id = RevisionId(id);
        }
        let commits = revisions.len() as i64;
        Self { revisions, current, root_redo, commits, sealed: true, ..Self::default() }
    }

    /// Grafts this tree onto an older one, whose current revision is the text of this one's root. The ids of
    /// this tree stay valid: that of its root refers to the older tree's current revision from now on.
    pub fn graft(&mut self, older: Self) {
        let (base, at) = (older.revisions.len(), older.current);
        let moved = |position: usize| if position == 0 { at } else { position + base };
        let (own, own_root) = (std::mem::take(&mut self.revisions), self.root);
        let own_redo = std::mem::replace(&mut self.root_redo, older.root_redo);
        self.revisions = older.revisions;
        self.root = self.adopted_id();
        for position in 1..=base {
            let id = self.adopted_id();
            Arc::make_mut(&mut self.revisions[position - 1]).id = id;
        }
        self.set_id(at, own_root);
        self.revisions.extend(own.into_iter().map(|mut revision| {
            let kept = Arc::make_mut(&mut revision);
            (kept.parent, kept.redo) = (moved(kept.parent), kept.redo.map(moved));
            revision
        }));
        if let Some(child) = own_redo {
            self.set_redo(at, moved(child));
        }
        self.sealed |= self.current == 0;
        self.current = moved(self.current);
        self.group = self.group.map(|before| before + base);
    }

    fn adopted_id(&mut self) -> RevisionId {
        self.adopted += 1;
        RevisionId(-self.adopted)
    }

    fn set_id(&mut self, position: usize, id: RevisionId) {
        match position.checked_sub(1) {
            None => self.root = id,
            Some(at) => Arc::make_mut(&mut self.revisions[at]).id = id,
        }
    }

    fn id_at(&self, position: usize) -> RevisionId {
        self.at(position).map_or(self.root, |revision| revision.id)
    }

    /// Returns the position of a revision; `None` when the tree lacks it.
    pub(in crate::text) fn position(&self, id: RevisionId) -> Option<usize> {
        if id == self.root {
            return Some(0);
        }
        self.revisions.iter().rposition(|revision| revision.id == id).map(|at| at + 1)
    }

    /// Returns the revision at a position; `None` for the root.
    pub(in crate::text) fn at(&self, position: usize) -> Option<&Revision> {
        self.revisions.get(position.checked_sub(1)?).map(Arc::as_ref)
    }

    /// Ends a burst: the next edit is a separate step.
    pub fn seal(&mut self) {
        self.sealed = true;
    }

    /// Lets every following edit join the first of them, until [`Self::ungroup`].
    pub fn group(&mut self) {
        self.group = Some(self.revisions.len());
    }

    /// Ends that.
    pub fn ungroup(&mut self) {
        self.group = None;
        self.sealed = true;
    }

    /// Records an edit and makes it the current revision.
    pub fn commit(&mut self, edit: Commit) {
        if (self.continues_burst(&edit) || self.continues_group(&edit) || self.joins(&edit))
            && let Some(last) = self.revisions.last_mut()
        {
            let last = Arc::make_mut(last);
            last.forward = std::mem::take(&mut last.forward).compose(&edit.forward);
            last.backward = edit.backward.compose(&last.backward);
            last.selection_after = edit.selection_after;
            last.time_ms = edit.time_ms;
            if let Some(texts) = &mut last.texts {
                texts.after = edit.after;
            }
            return;
        }
        self.sealed = false;
        let texts = edit.before.map(|before| Texts { before, after: edit.after });
        let kept = texts.is_some();
        self.commits += 1;
        self.revisions.push(Arc::new(Revision {
            id: RevisionId(self.commits),
            parent: self.current,
            redo: None,
            texts,
            forward: edit.forward,
            backward: edit.backward,
            selection_before: edit.selection_before,
            selection_after: edit.selection_after,
            formats: edit.formats,
            author: edit.author,
            time_ms: edit.time_ms,
            grouping: edit.grouping,
        }));
        let new = self.revisions.len();
        self.set_redo(self.current, new);
        self.current = new;
        if kept {
            self.drop_texts();
        }
    }

    /// Drops the oldest stored texts above the limit.
    fn drop_texts(&mut self) {
        let mut bytes = 0;
        for revision in self.revisions.iter_mut().rev().filter(|revision| revision.texts.is_some()) {
            bytes += revision.texts.as_ref().map_or(0, |texts| texts.before.end().0);
            if bytes > TEXTS_MAX {
                Arc::make_mut(revision).texts = None;
            }
        }
    }

    /// Whether an edit continues a burst: same author, same kind, same position, within the pause.
    fn continues_burst(&self, edit: &Commit) -> bool {
        let Some(last) = self.revisions.last() else { return false };
        self.group.is_none()
            && !self.sealed
            && self.current == self.revisions.len()
            && edit.grouping != Grouping::Separate
            && edit.grouping == last.grouping
            && edit.author == last.author
            && edit.formats.is_none()
            && edit.selection_before == last.selection_after
            && edit.time_ms.saturating_sub(last.time_ms) <= BURST_PAUSE_MS
    }

    /// Whether an edit belongs to the last one, whatever lies between them.
    fn joins(&self, edit: &Commit) -> bool {
        edit.grouping == Grouping::Joined
            && self.current == self.revisions.len()
            && edit.formats.is_none()
            && self.revisions.last().is_some_and(|last| last.author == edit.author && last.formats.is_none())
    }

    fn continues_group(&self, edit: &Commit) -> bool {
        let newest = self.revisions.len();
        let begun = self.group.is_some_and(|before| newest > before) && self.current == newest;
        begun
            && edit.formats.is_none()
            && self.revisions.last().is_some_and(|last| last.author == edit.author && last.formats.is_none())
    }

    fn set_redo(&mut self, revision: usize, child: usize) {
        match revision.checked_sub(1) {
            None => self.root_redo = Some(child),
            Some(at) => Arc::make_mut(&mut self.revisions[at]).redo = Some(child),
        }
    }

    /// Moves one step towards the root.
    pub fn undo(&mut self) -> Option<UndoStep> {
        let revision = &self.revisions[self.current.checked_sub(1)?];
        let step = UndoStep {
            changes: revision.backward.clone(),
            selection: revision.selection_before.clone(),
            author: revision.author.clone(),
            format: revision.formats.map(|formats| formats.before),
            text: revision.texts.as_ref().map(|texts| texts.before.clone()),
        };
        self.current = revision.parent;
        self.sealed = true;
        Some(step)
    }

    /// Moves one step along the newest branch.
    pub fn redo(&mut self) -> Option<UndoStep> {
        let next = match self.current.checked_sub(1) {
            None => self.root_redo?,
            Some(at) => self.revisions[at].redo?,
        };
        let revision = &self.revisions[next - 1];
        self.current = next;
        self.sealed = true;
        Some(UndoStep {
            changes: revision.forward.clone(),
            selection: revision.selection_after.clone(),
            author: revision.author.clone(),
            format: revision.formats.map(|formats| formats.after),
            text: revision.texts.as_ref().map(|texts| texts.after.clone()),
        })
    }

    /// Returns a revision; `None` for the root, which has no step.
    pub fn revision(&self, id: RevisionId) -> Option<&Revision> {
        self.at(self.position(id)?)
    }

    /// Returns the steps from the current revision to another one: back (marked) to their common ancestor,
    /// then forward. Redo follows this branch from now on. Linear in the number of steps. Empty for an
    /// unknown revision.
    pub fn travel(&mut self, target: RevisionId) -> Vec<(bool, UndoStep)> {
        let Some(target) = self.position(target) else { return Vec::new() };
        let mut ahead = Vec::new();
        let (mut from, mut to) = (self.current, target);
        // A parent is older than its children, so the newer of the two steps back.
        while from != to {
            if from > to {
                from = self.parent(from);
            } else {
                ahead.push(to);
                to = self.parent(to);
            }
        }
        let mut steps = Vec::new();
        while self.current != from {
            steps.extend(self.undo().map(|step| (true, step)));
        }
        for next in ahead.into_iter().rev() {
            self.set_redo(self.current, next);
            steps.extend(self.redo().map(|step| (false, step)));
        }
        steps
    }

    /// Returns the changes from the present text to that of a revision, in order; `None` when the tree lacks
    /// it.
    pub fn path_to(&self, target: RevisionId) -> Option<Vec<ChangeSet>> {
        let (mut from, mut to) = (self.current, self.position(target)?);
        let (mut path, mut ahead) = (Vec::new(), Vec::new());
        while from != to {
            if from > to {
                path.extend(self.at(from).map(|revision| revision.backward.clone()));
                from = self.parent(from);
            } else {
                ahead.extend(self.at(to).map(|revision| revision.forward.clone()));
                to = self.parent(to);
            }
        }
        path.extend(ahead.into_iter().rev());
        Some(path)
    }

    fn parent(&self, position: usize) -> usize {
        self.at(position).map_or(0, |revision| revision.parent)
    }

    /// The revision that was the newest at a time, in milliseconds since the epoch.
    pub fn at_time(&self, time_ms: u64) -> RevisionId {
        // Clocks may be set back, so the list is not necessarily sorted.
        let at = self.revisions.iter().rposition(|revision| revision.time_ms <= time_ms);
        self.id_at(at.map_or(0, |at| at + 1))
    }

    /// Returns the revisions between the root and the current one, newest first.
    pub fn path(&self) -> impl Iterator<Item = &Revision> {
        std::iter::successors(self.last(), |revision| self.at(revision.parent))
    }

    /// Returns the cursor before the step that redo would make.
    pub fn next_start(&self) -> Option<crate::text::position::Byte> {
        let next = match self.current.checked_sub(1) {
            None => self.root_redo?,
            Some(at) => self.revisions[at].redo?,
        };
        Some(self.at(next)?.selection_before.primary().head)
    }

    /// The current revision's step, unless the document is at the root.
    pub fn last(&self) -> Option<&Revision> {
        self.at(self.current)
    }
}
