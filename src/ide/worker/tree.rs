//! Makes, moves and deletes files for the tree.

use std::io;
use std::path::{Path, PathBuf};

use super::Worker;
use crate::base::panics::Panicked;
use crate::exec::tree;
use crate::ide::event::Event;
use crate::ide::state::tree_steps::{TreeDone, TreeJob, TreeStep};

impl Worker {
    /// Does one thing to files.
    pub(super) fn tree(&self, job: TreeJob, of: Option<TreeStep>) {
        let deleted = self.deleted.clone();
        let (lost_job, lost_of) = (job.clone(), of.clone());
        let lost = move |why: Panicked| {
            let result = Err(io::Error::other(why));
            Event::Tree(Box::new(TreeDone { job: lost_job, of: lost_of, result }))
        };
        self.blocking(lost, move || {
            let result = perform(&job, of.as_ref(), deleted.as_deref());
            Event::Tree(Box::new(TreeDone { job, of, result }))
        });
    }
}

fn perform(job: &TreeJob, of: Option<&TreeStep>, deleted: Option<&Path>) -> io::Result<PathBuf> {
    match job {
        TreeJob::Create { path, is_folder } => tree::create(path, *is_folder).map(|()| path.clone()),
        TreeJob::Move { from, to } => tree::rename(from, to),
        TreeJob::Delete(path) => {
            // What was put in since was not made by that step.
            if matches!(of, Some(TreeStep::Created(_))) && !tree::is_empty(path)? {
                return Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, "it is no longer empty"));
            }
            let kept = deleted.ok_or_else(|| io::Error::other("there is no folder to keep it in"))?;
            tree::delete(path, kept)
        }
    }
}
