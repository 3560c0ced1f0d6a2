//! Reads folders for the tree.

use std::path::PathBuf;

use crate::exec::EnvError;
use crate::ide::core::event::Event;
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
