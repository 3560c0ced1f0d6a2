//! The undo tree: every edit that was ever made, as revisions with parents. Undo and redo move
//! along it and throw nothing away. Must not look into the text that it is about.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::changes::ChangeSet;
use super::format::Format;
use super::rope::Text;
use super::selection::Selection;
use super::transaction::{Author, Grouping};

/// Typing that pauses longer than this begins a new undo step, in milliseconds.
const BURST_PAUSE_MS: u64 = 1_000;
/// Bytes of texts that are kept so that taking back a change of many places is an exchange.
const TEXTS_MAX: usize = 256 << 20;

/// One step of the tree.
#[derive(Debug, Clone)]
pub struct Revision {
    /// The revision that it was made from.
    pub parent: usize,
    /// The child that redo goes to: the newest one.
    pub(super) redo: Option<usize>,
    /// What it did.
    pub forward: ChangeSet,
    /// What takes it back.
    pub backward: ChangeSet,
    pub(super) selection_before: Selection,
    pub(super) selection_after: Selection,
    pub(super) formats: Option<Formats>,
    /// Who made it.
    pub author: Author,
    /// When its last edit was made, in milliseconds since the epoch.
    pub time_ms: u64,
    pub(super) grouping: Grouping,
    /// The texts around a step that changes many places, as long as they are kept.
    pub(super) texts: Option<Texts>,
}

/// The texts before and after a step. They share what they have in common, and the later one is
/// the document's own until the next step.
#[derive(Debug, Clone)]
pub(super) struct Texts {
    pub(super) before: Text,
    pub(super) after: Text,
}

/// The text's formats before and after a step that changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Formats {
    /// The one before.
    pub before: Format,
    /// The one after.
    pub after: Format,
}

/// What an undo or redo has to apply, and the selection afterwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The change.
    pub changes: ChangeSet,
    /// The selection afterwards.
    pub selection: Selection,
    /// Who made the edit that comes or goes.
    pub author: Author,
    /// The format afterwards, where the step changes it.
    pub format: Option<Format>,
    /// The text afterwards, where it was kept.
    pub text: Option<Text>,
}

/// The undo tree of one document. Revision 0 is the document as it was opened. A clone shares the
/// revisions, so that a snapshot for a task is cheap.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Without the root, which has no change: revision `n` is at `n - 1`.
    revisions: Vec<Arc<Revision>>,
    current: usize,
    root_redo: Option<usize>,
    /// Whether the next edit must begin a step of its own.
    sealed: bool,
    /// While edits are grouped: how many revisions there were when that began.
    group: Option<usize>,
}

/// One edit to be remembered.
#[derive(Debug)]
pub struct Commit {
    /// What was done.
    pub forward: ChangeSet,
    /// What takes it back.
    pub backward: ChangeSet,
    /// The text before, of a step that changes many places.
    pub before: Option<Text>,
    /// The text after. Nobody keeps it but beside such a step: who holds a text makes the next
    /// edit copy what it touches.
    pub after: Text,
    /// The selection before.
    pub selection_before: Selection,
    /// The selection after.
    pub selection_after: Selection,
    /// The formats, where the edit changes it.
    pub formats: Option<Formats>,
    /// Who.
    pub author: Author,
    /// How it joins the last edit.
    pub grouping: Grouping,
    /// When, in milliseconds since the epoch.
    pub time_ms: u64,
}

impl History {
    /// The revision that the document is at; 0 is the opened document.
    pub fn current(&self) -> usize {
        self.current
    }

    /// How many revisions there are, the root included.
    pub fn len(&self) -> usize {
        self.revisions.len() + 1
    }

    /// Whether nothing was ever edited.
    pub fn is_empty(&self) -> bool {
        self.revisions.is_empty()
    }

    /// A tree of these revisions, the root left out, at the revision `current`.
    pub(super) fn of(revisions: Vec<Arc<Revision>>, current: usize, root_redo: Option<usize>) -> Self {
        Self { revisions, current, root_redo, sealed: true, group: None }
    }

    /// Puts this tree under an older one, whose current revision is what this one's root is.
    /// Returns where a revision of this one is afterwards.
    pub fn put_on(&mut self, older: Self) -> impl Fn(usize) -> usize + use<> {
        let (base, at) = (older.revisions.len(), older.current);
        let place = move |revision: usize| if revision == 0 { at } else { revision + base };
        let own = std::mem::replace(self, older);
        self.revisions.extend(own.revisions.into_iter().map(|mut revision| {
            let moved = Arc::make_mut(&mut revision);
            (moved.parent, moved.redo) = (place(moved.parent), moved.redo.map(place));
            revision
        }));
        if let Some(child) = own.root_redo {
            self.set_redo(at, place(child));
        }
        (self.current, self.sealed) = (place(own.current), own.sealed || own.current == 0);
        place
    }

    /// Ends a burst: the next edit is a step of its own.
    pub fn seal(&mut self) {
        self.sealed = true;
    }

    /// Lets every edit that follows join the first of them, until [`Self::ungroup`].
    pub fn group(&mut self) {
        self.group = Some(self.revisions.len());
    }

    /// Ends that.
    pub fn ungroup(&mut self) {
        self.group = None;
        self.sealed = true;
    }

    /// Remembers an edit and makes it the current revision.
    pub fn commit(&mut self, edit: Commit) {
        if (self.continues_burst(&edit) || self.continues_group(&edit))
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
        self.revisions.push(Arc::new(Revision {
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

    /// Forgets the oldest of the texts that are kept, when they become too much.
    fn drop_texts(&mut self) {
        let mut bytes = 0;
        for revision in self.revisions.iter_mut().rev().filter(|revision| revision.texts.is_some()) {
            bytes += revision.texts.as_ref().map_or(0, |texts| texts.before.end().0);
            if bytes > TEXTS_MAX {
                Arc::make_mut(revision).texts = None;
            }
        }
    }

    /// A burst goes on when the same person does the same kind of edit at the same place, soon.
    fn continues_burst(&self, edit: &Commit) -> bool {
        let Some(last) = self.revisions.last() else { return false };
        self.group.is_none()
            && !self.sealed
            && self.current == self.revisions.len()
            && edit.grouping != Grouping::Own
            && edit.grouping == last.grouping
            && edit.author == last.author
            && edit.formats.is_none()
            && edit.selection_before == last.selection_after
            && edit.time_ms.saturating_sub(last.time_ms) <= BURST_PAUSE_MS
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

    /// Goes one step towards the root.
    pub fn undo(&mut self) -> Option<Step> {
        let revision = &self.revisions[self.current.checked_sub(1)?];
        let step = Step {
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

    /// Goes one step along the newest branch.
    pub fn redo(&mut self) -> Option<Step> {
        let next = match self.current.checked_sub(1) {
            None => self.root_redo?,
            Some(at) => self.revisions[at].redo?,
        };
        let revision = &self.revisions[next - 1];
        self.current = next;
        self.sealed = true;
        Some(Step {
            changes: revision.forward.clone(),
            selection: revision.selection_after.clone(),
            author: revision.author.clone(),
            format: revision.formats.map(|formats| formats.after),
            text: revision.texts.as_ref().map(|texts| texts.after.clone()),
        })
    }

    /// A revision; the root has no step and is none.
    pub fn revision(&self, number: usize) -> Option<&Revision> {
        self.revisions.get(number.checked_sub(1)?).map(Arc::as_ref)
    }

    /// The steps from the current revision to another one: back (marked so) to where their
    /// branches part, then forward. Redo follows this branch from now on. Costs what lies between them.
    pub fn travel(&mut self, target: usize) -> Vec<(bool, Step)> {
        let target = target.min(self.revisions.len());
        let mut ahead = Vec::new();
        let (mut from, mut to) = (self.current, target);
        // A parent is older than its children, so the newer one of the two has to step back.
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

    /// What leads from the text as it is to that of a revision, in order.
    pub fn way(&self, target: usize) -> Vec<ChangeSet> {
        let (mut from, mut to) = (self.current, target.min(self.revisions.len()));
        let (mut way, mut ahead) = (Vec::new(), Vec::new());
        while from != to {
            if from > to {
                way.extend(self.revision(from).map(|revision| revision.backward.clone()));
                from = self.parent(from);
            } else {
                ahead.extend(self.revision(to).map(|revision| revision.forward.clone()));
                to = self.parent(to);
            }
        }
        way.extend(ahead.into_iter().rev());
        way
    }

    fn parent(&self, revision: usize) -> usize {
        self.revision(revision).map_or(0, |revision| revision.parent)
    }

    /// The revision that was the newest at a time, in milliseconds since the epoch.
    pub fn at_time(&self, time_ms: u64) -> usize {
        // Clocks may be set back, so the list is not searched as if it were sorted.
        self.revisions.iter().rposition(|revision| revision.time_ms <= time_ms).map_or(0, |at| at + 1)
    }

    /// The revisions between the root and the current one, newest first.
    pub fn path(&self) -> impl Iterator<Item = (usize, &Revision)> {
        let mut at = self.current;
        std::iter::from_fn(move || {
            let revision = self.revision(at)?;
            let number = std::mem::replace(&mut at, revision.parent);
            Some((number, revision))
        })
    }

    /// Where the cursor was before the step that redo would make.
    pub fn next_start(&self) -> Option<super::position::Byte> {
        let next = match self.current.checked_sub(1) {
            None => self.root_redo?,
            Some(at) => self.revisions[at].redo?,
        };
        Some(self.revision(next)?.selection_before.primary().head)
    }

    /// The current revision's step, unless the document is as it was opened.
    pub fn last(&self) -> Option<&Revision> {
        self.revision(self.current)
    }
}
