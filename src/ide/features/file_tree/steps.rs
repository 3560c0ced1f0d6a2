//! Jobs on files and folders from the tree, and how each is undone. Must not know what else others change with them.

use std::io;
use std::path::{Path, PathBuf};

use crate::base::paths;
use crate::exec::disk::tree;
use crate::ide::core::context::Cx;
use crate::ide::core::slots::Slot;
use crate::ide::core::tree_job::TreeJob;

/// A finished job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeStep {
    /// This was created, and the folder on its way, if there is one.
    Created(PathBuf, Option<PathBuf>),
    /// This was moved: from, to; and the folder on its new way that was created for it, if there is one.
    Moved(PathBuf, PathBuf, Option<PathBuf>),
    /// This was deleted: its path, and its path in the trash folder.
    Deleted(PathBuf, PathBuf),
}

/// What came of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The new path of what was moved, links resolved, or the path of what was deleted in the trash folder.
    pub path: PathBuf,
    /// The first folder that was created on the way.
    pub new_folder: Option<PathBuf>,
}

impl TreeStep {
    /// Returns the step that a finished job is.
    pub fn of(job: &TreeJob, done: &Done) -> Self {
        let folder = done.new_folder.clone();
        match job {
            TreeJob::Create { path, .. } => Self::Created(path.clone(), folder),
            TreeJob::Move { from, to } => Self::Moved(from.clone(), to.clone(), folder),
            TreeJob::Delete(path) => Self::Deleted(path.clone(), done.path.clone()),
        }
    }

    /// Returns where what it is about is now, unless it is deleted.
    pub fn path_after(&self) -> &Path {
        match self {
            Self::Created(path, _) | Self::Moved(_, path, _) | Self::Deleted(path, _) => path,
        }
    }

    /// Returns the job that undoes it.
    pub fn inverse(&self) -> TreeJob {
        match self {
            Self::Created(path, _) => TreeJob::Delete(path.clone()),
            Self::Moved(from, to, _) => TreeJob::Move { from: to.clone(), to: from.clone() },
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
    /// The shown file that was selected last without a command.
    pub followed: Option<PathBuf>,
}

impl TreeSteps {
    /// Returns a state without steps; `state` is the folder of the program's persistent state.
    pub fn new(state: &Path) -> Self {
        Self { trash: state.join("deleted"), undoable: Vec::new(), failed: None, followed: None }
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

/// Runs a job; `step` is the step that it undoes, `deleted` the trash folder. Blocking.
pub fn perform(job: &TreeJob, step: Option<&TreeStep>, deleted: &Path) -> io::Result<Done> {
    let (path, new_folder) = match job {
        TreeJob::Create { path, is_folder } => {
            let new_folder = tree::missing_folder(path);
            tree::create(path, *is_folder)?;
            (path.clone(), new_folder)
        }
        TreeJob::Move { from, to } => {
            let new_folder = tree::missing_folder(to);
            (tree::rename(from, to)?, new_folder)
        }
        TreeJob::Delete(path) => {
            // Content added since was not created by that step.
            if matches!(step, Some(TreeStep::Created(..))) && !tree::is_empty(path)? {
                return Err(no_longer_empty());
            }
            (tree::delete(path, deleted)?, None)
        }
    };
    if let Some(TreeStep::Created(path, Some(folder)) | TreeStep::Moved(_, path, Some(folder))) = step {
        tree::remove_empty_folders(path, folder);
    }
    Ok(Done { path, new_folder })
}

fn no_longer_empty() -> io::Error {
    io::Error::new(io::ErrorKind::DirectoryNotEmpty, "it is no longer empty")
}

/// Fails with the first step that could not be undone, if all of them were undone, the last one first. `texts` are the files
/// whose texts are undone before: what was created for them is empty then. Changes nothing. Blocking.
pub fn check_undo(steps: &[TreeStep], texts: &[PathBuf]) -> Result<(), (TreeStep, io::Error)> {
    let mut before: Vec<TreeJob> = Vec::new();
    for step in steps.iter().rev() {
        let job = step.inverse();
        check_job(&job, &before, texts).map_err(|error| (step.clone(), error))?;
        before.push(job);
    }
    Ok(())
}

fn check_job(job: &TreeJob, before: &[TreeJob], texts: &[PathBuf]) -> io::Result<()> {
    let (TreeJob::Create { path: at, .. } | TreeJob::Move { from: at, .. } | TreeJob::Delete(at)) = job;
    if !exists_after(at, before)? {
        return Err(io::ErrorKind::NotFound.into());
    }
    match job {
        TreeJob::Move { to, .. } if exists_after(to, before)? => Err(io::ErrorKind::AlreadyExists.into()),
        TreeJob::Delete(path) => {
            // Of others the content is different by then.
            let is_touched = before.iter().any(|job| job.paths().any(|other| other.starts_with(path)))
                || texts.iter().any(|text| text.starts_with(path));
            if is_touched || tree::is_empty(path)? { Ok(()) } else { Err(no_longer_empty()) }
        }
        _ => Ok(()),
    }
}

/// Whether something is at a path after jobs were done.
fn exists_after(path: &Path, jobs: &[TreeJob]) -> io::Result<bool> {
    for (n, job) in jobs.iter().enumerate().rev() {
        match job {
            TreeJob::Move { from, to } => {
                if let Some(origin) = paths::moved(path, to, from) {
                    return exists_after(&origin, &jobs[..n]);
                }
                if path.starts_with(from) {
                    return Ok(false);
                }
                // Its folders are created with it.
                if to.starts_with(path) {
                    return Ok(true);
                }
            }
            TreeJob::Delete(gone) if path.starts_with(gone) => return Ok(false),
            TreeJob::Create { path: new, .. } if path == new => return Ok(true),
            TreeJob::Delete(_) | TreeJob::Create { .. } => {}
        }
    }
    tree::exists(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in files {
            tree::create(&root.join(name), false).unwrap();
        }
        (folder, root)
    }

    #[test]
    fn tree_step_undo_removes_the_folders_that_it_created_and_no_others() {
        let (_folder, root) = workspace(&["a", "old/x"]);
        let at = |name: &str| root.join(name);
        tree::rename(&at("old/x"), &at("x")).unwrap();
        let trash = at("trash");
        for (job, folder) in [
            (TreeJob::Move { from: at("a"), to: at("new/deep/a") }, Some(at("new"))),
            (TreeJob::Move { from: at("a"), to: at("old/deep/a") }, Some(at("old/deep"))),
            (TreeJob::Move { from: at("a"), to: at("old/a") }, None),
            (TreeJob::Create { path: at("new/deep/b"), is_folder: true }, Some(at("new"))),
        ] {
            let done = perform(&job, None, &trash).unwrap();
            assert_eq!(done.new_folder, folder);
            let step = TreeStep::of(&job, &done);
            assert!(check_undo(std::slice::from_ref(&step), &[]).is_ok());
            perform(&step.inverse(), Some(&step), &trash).unwrap();
            let there = ["new", "old/deep", "old", "a"].map(|name| at(name).exists());
            assert_eq!(there, [false, false, true, true], "{job:?}");
        }
        // What is in use stays.
        let job = TreeJob::Move { from: at("a"), to: at("new/a") };
        let step = TreeStep::of(&job, &perform(&job, None, &trash).unwrap());
        tree::create(&at("new/other"), false).unwrap();
        perform(&step.inverse(), Some(&step), &trash).unwrap();
        assert!(at("a").exists() && at("new/other").exists());
    }

    #[test]
    fn tree_steps_are_checked_as_if_those_after_them_were_undone() {
        let (_folder, root) = workspace(&["lib/b", "c", "made"]);
        let at = |name: &str| root.join(name);
        let moved = |from: &str, to: &str| TreeStep::Moved(at(from), at(to), None);
        // `a` became `lib`, then `d` went into it; `c` was in a folder that was deleted then and is `lib` in the trash.
        let deleted = || TreeStep::Deleted(at("old"), at("lib"));
        for (steps, expected) in [
            (vec![moved("a", "lib"), moved("d", "lib/b")], Ok(())),
            (vec![moved("old/c", "c"), deleted()], Ok(())),
            (vec![moved("old/b", "c"), deleted()], Err("c")),
            (vec![deleted(), moved("old/c", "c")], Err("old")),
            (vec![moved("a", "lib"), moved("c", "lib/b")], Err("lib/b")),
            (vec![moved("a", "lib/none")], Err("lib/none")),
            (vec![TreeStep::Created(at("made"), None)], Ok(())),
            (vec![TreeStep::Created(at("lib"), None)], Err("lib")),
            (vec![TreeStep::Created(at("lib"), None), moved("d", "lib/b")], Ok(())),
        ] {
            let found = check_undo(&steps, &[]).map_err(|(step, _)| step.path_after().to_path_buf());
            assert_eq!(found, expected.map_err(at), "{steps:?}");
        }
        assert!(check_undo(&[TreeStep::Created(at("lib"), None)], &[at("lib/b")]).is_ok());
    }
}
