//! State of the review: the changed files, the user's decisions about their hunks, and what the model is to learn
//! of them. Must not know how files are compared or written, nor how the review is drawn.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;

use crate::base::error::Report;
use crate::base::plural::pluralize;
use crate::ide::core::slots::Slot;
use crate::ide::features::review::apply::{Job, UndoStep};
use crate::ide::features::review::file::{Body, ReviewedFile};
use crate::ide::features::review::message::{HunkText, Remark};
use crate::runtime::restore::changes::ChangeScope;
use crate::workspace::checkpoint::Name;

/// Slot of the feature's state.
pub const REVIEW: Slot<Review> = Slot::new();

/// What is known of the changes.
#[derive(Debug, Default)]
pub enum Progress {
    /// They were never asked for.
    #[default]
    Unknown,
    /// They are in [`Review::files`].
    Done,
    /// They are not available.
    Failed(Report),
}

/// The state.
#[derive(Debug, Default)]
pub struct Review {
    /// The changed files, sorted by path.
    pub files: Vec<ReviewedFile>,
    /// The part of the conversation whose changes they are.
    pub found: Option<ChangeScope>,
    /// The part that the user chose while the review is open; else the narrowest one with changes.
    pub chosen: Option<ChangeScope>,
    /// What is known.
    pub progress: Progress,
    /// Whether a comparison is running.
    pub is_running: bool,
    /// Whether another one must follow it.
    pub is_stale: bool,
    /// Number of changes of files by the review itself: a comparison that ran meanwhile is outdated.
    pub writes: u64,
    /// What the model is to learn.
    pub remarks: Vec<(RemarkId, Remark)>,
    /// Decisions that can be undone, the last one at the end.
    pub undo: Vec<UndoStep>,
    /// Changes of files that wait for the one that is being written.
    pub jobs: VecDeque<Job>,
    /// Whether a file is being written.
    pub is_writing: bool,
    /// Whether an open file was compared as it is on disk, since its text lags behind.
    pub has_unbound: bool,
    accepted: HashMap<Name, HashSet<u64>>,
    totals: Totals,
    letters: HashMap<Name, char>,
}

/// Identifies the hunk of a remark: its file and key.
pub type RemarkId = (Name, u64);

/// Numbers over the hunks without a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Files with such hunks.
    pub files: usize,
    /// Added lines.
    pub added: usize,
    /// Removed lines.
    pub removed: usize,
}

/// A decision about a hunk that is still in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// None.
    Open,
    /// The user accepted it.
    Accepted,
}

impl Review {
    /// Returns the decision about a hunk.
    pub fn decision(&self, name: &Name, key: u64) -> Decision {
        match self.accepted.get(name) {
            Some(keys) if keys.contains(&key) => Decision::Accepted,
            _ => Decision::Open,
        }
    }

    /// Returns whether a file has hunks without a decision.
    pub fn is_open(&self, file: &ReviewedFile) -> bool {
        file.keys.iter().any(|key| self.decision(&file.name, *key) == Decision::Open)
    }

    /// Returns the totals over hunks without a decision.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Accepts hunks of a file, or takes that back; returns those whose decision changed.
    pub fn set_accepted(&mut self, name: &Name, keys: &[u64], is_accepted: bool) -> Vec<u64> {
        let known = self.accepted.entry(name.clone()).or_default();
        let mut changed = keys.to_vec();
        changed.retain(|key| if is_accepted { known.insert(*key) } else { known.remove(key) });
        self.update_totals();
        changed
    }

    /// Computes the totals again, after [`Self::files`] changed.
    pub fn update_totals(&mut self) {
        let (mut totals, mut letters) = (Totals::default(), HashMap::new());
        for file in self.files.iter().filter(|file| self.is_open(file)) {
            let (added, removed) = file.counts(|key| self.decision(&file.name, key) == Decision::Open);
            totals.files += 1;
            totals.added += added;
            totals.removed += removed;
            letters.insert(file.name.clone(), file.letter);
        }
        (self.totals, self.letters) = (totals, letters);
    }

    /// Replaces the files by newly compared ones.
    pub fn set_files(&mut self, scope: ChangeScope, files: Vec<ReviewedFile>) {
        (self.files, self.found, self.progress) = (files, Some(scope), Progress::Done);
        for ((name, key), remark) in &mut self.remarks {
            let file = self.files.iter().find(|file| file.name == *name);
            let is_there = file.is_some_and(|file| file.keys.contains(key));
            // A rejected hunk is back when it was undone in the editor, or made again.
            remark.is_rejected &= !is_there;
            remark.is_outdated = !is_there && !remark.is_rejected;
        }
        self.remarks.retain(|(_, remark)| remark.is_rejected || remark.comment.is_some());
        self.update_totals();
    }

    /// Returns the file of a name.
    pub fn index_of(&self, name: &Name) -> Option<usize> {
        self.files.iter().position(|file| file.name == *name)
    }

    /// Returns the file at an absolute path, with links resolved.
    pub fn file_at(&self, path: &Path) -> Option<&ReviewedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Returns the remark about a hunk.
    pub fn remark(&self, name: &Name, key: u64) -> Option<&Remark> {
        self.remarks.iter().find(|((of, k), _)| of == name && *k == key).map(|(_, remark)| remark)
    }

    /// Changes the remark about a hunk; one that says nothing is removed. Returns the one before.
    pub fn remark_on(
        &mut self,
        file: &ReviewedFile,
        hunk: usize,
        change: impl FnOnce(&mut Remark),
    ) -> Option<Remark> {
        let key = file.keys.get(hunk).copied()?;
        let before = self.remark(&file.name, key).cloned();
        let new = || Remark {
            path: file.name.to_string(),
            hunk: hunk_text(file, hunk),
            is_rejected: false,
            comment: None,
            is_outdated: false,
        };
        let mut remark = before.clone().unwrap_or_else(new);
        change(&mut remark);
        self.set_remark((file.name.clone(), key), Some(remark));
        before
    }

    /// Replaces the remark about a hunk.
    pub fn set_remark(&mut self, id: RemarkId, remark: Option<Remark>) {
        let at = self.remarks.iter().position(|(known, _)| *known == id);
        let remark = remark.filter(|remark| remark.is_rejected || remark.comment.is_some());
        match (at, remark) {
            (Some(at), Some(remark)) => self.remarks[at].1 = remark,
            (Some(at), None) => drop(self.remarks.remove(at)),
            (None, Some(remark)) => {
                // Beside those of the same file.
                let after = self.remarks.iter().rposition(|((name, _), _)| *name == id.0);
                self.remarks.insert(after.map_or(self.remarks.len(), |at| at + 1), (id, remark));
            }
            (None, None) => {}
        }
    }

    /// Returns the status letters of the files with hunks without a decision.
    pub fn letters(&self) -> &HashMap<Name, char> {
        &self.letters
    }
}

impl Totals {
    /// Returns them for the status line: `3 files +6 −4`.
    pub fn text(self) -> String {
        let files = pluralize(self.files, "file", "files");
        if self.added + self.removed == 0 {
            files
        } else {
            format!("{files} +{} −{}", self.added, self.removed)
        }
    }
}

fn hunk_text(file: &ReviewedFile, hunk: usize) -> HunkText {
    match &file.body {
        Body::Other(reason) => HunkText { other: Some(reason), ..HunkText::default() },
        Body::Text(pair) => match pair.runs.get(hunk) {
            Some(run) => {
                let (old, new) = pair.lines(run);
                HunkText { old_start: run.old.start + 1, new_start: run.new.start + 1, old, new, other: None }
            }
            None => HunkText::default(),
        },
    }
}
