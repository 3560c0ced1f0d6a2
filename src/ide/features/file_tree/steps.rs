//! Jobs on files and folders from the tree, and how each is undone. Must not know what else others change with them.

use std::io;
use std::path::{Path, PathBuf};

use crate::exec::disk::tree;
use crate::ide::core::context::Cx;
use crate::ide::core::slots::Slot;
use crate::ide::core::tree_job::TreeJob;

/// A finished job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeStep {
    /// This was created.
    Created(PathBuf),
    /// This was moved: from, to.
    Moved(PathBuf, PathBuf),
    /// This was deleted: its path, and its path in the trash folder.
    Deleted(PathBuf, PathBuf),
}

impl TreeStep {
    /// Returns the step that a finished job is; `new_path` is what [`perform`] has returned.
    pub fn of(job: &TreeJob, new_path: &Path) -> Self {
        match job {
            TreeJob::Create { path, .. } => Self::Created(path.clone()),
            TreeJob::Move { from, to } => Self::Moved(from.clone(), to.clone()),
            TreeJob::Delete(path) => Self::Deleted(path.clone(), new_path.to_path_buf()),
        }
    }

    /// Returns where what it is about is now, unless it is deleted.
    pub fn path_after(&self) -> &Path {
        match self {
            Self::Created(path) | Self::Moved(_, path) | Self::Deleted(path, _) => path,
        }
    }

    /// Returns the job that undoes it.
    pub fn inverse(&self) -> TreeJob {
        match self {
            Self::Created(path) => TreeJob::Delete(path.clone()),
            Self::Moved(from, to) => TreeJob::Move { from: to.clone(), to: from.clone() },
            Self::Deleted(path, kept) => TreeJob::Move { from: kept.clone(), to: path.clone() },
        }
    }
}

/// Maximum number of steps that can be undone.
const STEPS_MAX: usize = 64;

/// A step that can be undone from the tree.
#[derive(Debug, Clone)]
pub enum Undoable {
    /// A job of the tree.
    Job(TreeStep),
    /// Jobs that another feature has done together with changes of texts.
    Together {
        /// Its number there.
        number: u64,
        /// Undoes all of it.
        undo: fn(&mut Cx<'_>, u64),
    },
}

/// Slot of the feature's state.
pub const TREE_STEPS: Slot<TreeSteps> = Slot::new();

/// Finished jobs that can be undone.
#[derive(Debug)]
pub struct TreeSteps {
    /// The trash folder for deleted files.
    pub trash: PathBuf,
    /// The steps, the last one at the end.
    pub undoable: Vec<Undoable>,
    /// The step whose undo has just failed.
    pub failed: Option<TreeStep>,
    /// Whether a job of the tree is running.
    pub is_job_running: bool,
    /// Whether another feature applies or undoes jobs together with changes of texts.
    pub is_together_running: bool,
    /// The shown file that was selected last without a command.
    pub followed: Option<PathBuf>,
}

impl TreeSteps {
    /// Returns a state without steps; `state` is the folder of the program's persistent state.
    pub fn new(state: &Path) -> Self {
        Self {
            trash: state.join("deleted"),
            undoable: Vec::new(),
            failed: None,
            is_job_running: false,
            is_together_running: false,
            followed: None,
        }
    }

    /// Whether files and folders are being created, moved or deleted: another job would find other paths than it was meant for.
    pub fn is_busy(&self) -> bool {
        self.is_job_running || self.is_together_running
    }

    /// Keeps a step to be undone.
    pub fn push(&mut self, step: Undoable) {
        self.undoable.push(step);
        if self.undoable.len() > STEPS_MAX {
            self.undoable.remove(0);
        }
    }

    /// Notes that the undo of a step has failed; returns whether it makes sense to try it once more. Not for what was created and
    /// is in use, what no longer exists, and a second failure: these would only block the steps before.
    pub fn may_retry(&mut self, step: &TreeStep, error: io::ErrorKind) -> bool {
        let failed = self.failed.take();
        if is_hopeless(error) || failed.as_ref() == Some(step) {
            return false;
        }
        self.failed = Some(step.clone());
        true
    }

    /// Forgets a step of another feature: it is undone, or cannot be any more.
    pub fn forget_together(&mut self, forgotten: u64) {
        self.undoable
            .retain(|step| !matches!(step, Undoable::Together { number, .. } if *number == forgotten));
    }
}

/// Whether the undo of a step that has failed so cannot succeed later.
pub fn is_hopeless(error: io::ErrorKind) -> bool {
    matches!(error, io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound)
}

/// Runs a job; `of` is the step that it undoes, `deleted` the trash folder. Returns the new path of what was
/// moved, links resolved, or the path of what was deleted in the trash folder. Blocking.
pub fn perform(job: &TreeJob, step: Option<&TreeStep>, deleted: &Path) -> io::Result<PathBuf> {
    match job {
        TreeJob::Create { path, is_folder } => tree::create(path, *is_folder).map(|()| path.clone()),
        TreeJob::Move { from, to } => tree::rename(from, to),
        TreeJob::Delete(path) => {
            // Content added since was not created by that step.
            if matches!(step, Some(TreeStep::Created(_))) && !tree::is_empty(path)? {
                return Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, "it is no longer empty"));
            }
            tree::delete(path, deleted)
        }
    }
}
