//! Reads folders for the file tree. Must not know how the tree is shown.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::exec::EnvError;
use crate::ide::core::context::{Cx, TaskError};
use crate::ide::core::damage::Part;
use crate::ide::model::file_tree::Entry;
use crate::workspace::list as folders;

/// Reads a folder for the tree. Requested where files may have been added or removed.
pub fn list(cx: &mut Cx<'_>, folder: PathBuf) {
    cx.state.files.file_list.invalidate();
    let (list_folder, with_ignored) = (folder.clone(), cx.state.files.with_ignored);
    cx.tasks.spawn_blocking(
        "files.list",
        move || read(&folder, with_ignored),
        move |cx, entries| {
            // It is read once more otherwise.
            if cx.state.files.with_ignored != with_ignored {
                return;
            }
            match entries
                .unwrap_or_else(|TaskError::Panicked(message)| Err(EnvError::internal(&list_folder, message)))
            {
                Ok(entries) => cx.state.files.set_entries(&list_folder, entries),
                // The folder around it is read, too, where it is missing then.
                Err(error) if is_gone(&error) && list_folder != cx.state.workspace => {}
                Err(error) => cx.state.files.error = Some(error.to_string()),
            }
            cx.state.damage.add(Part::Files);
        },
    );
}

fn is_gone(error: &EnvError) -> bool {
    matches!(error, EnvError::Io { source, .. } if source.kind() == ErrorKind::NotFound)
}

/// Returns the content of a folder, with ignored files or without. Blocking.
fn read(folder: &Path, with_ignored: bool) -> Result<Vec<Entry>, EnvError> {
    let items =
        folders::list(folder).map_err(|source| EnvError::Io { path: folder.to_path_buf(), source })?;
    let entry = |item: folders::Item| Entry {
        name: item.name,
        is_folder: item.kind == folders::ItemKind::Folder,
        is_ignored: item.ignored,
    };
    Ok(items.into_iter().filter(|item| with_ignored || !item.ignored).map(entry).collect())
}
