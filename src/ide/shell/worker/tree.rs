//! Reads folders for the tree; makes, moves and deletes files for it.

use std::io;
use std::path::{Path, PathBuf};

use crate::base::panics::Panicked;
use crate::exec::{EnvError, tree};
use crate::ide::core::event::Event;
use crate::ide::features::file_tree::steps::{TreeDone, TreeJob, TreeStep};
use crate::ide::features::file_tree::tree::Entry;
use crate::ide::shell::worker::{Worker, internal};
use crate::workspace::list;

impl Worker {
    /// Reads a folder. That is asked for where files may have come or gone.
    pub(super) fn list(&self, folder: PathBuf) {
        self.files.changed();
        let (lost, of) = (internal(&folder), folder.clone());
        let lost = move |why| Event::Listed { folder: of, result: Err(lost(why)) };
        self.blocking(lost, move || list_folder(folder));
    }

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

fn list_folder(folder: PathBuf) -> Event {
    let entries = list::list(&folder).map_err(|source| EnvError::Io { path: folder.clone(), source });
    let result = entries.map(|items| {
        let entry =
            |item: list::Item| Entry { name: item.name, is_folder: item.kind == list::ItemKind::Folder };
        items.into_iter().filter(|item| !item.ignored).map(entry).collect()
    });
    Event::Listed { folder, result }
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
