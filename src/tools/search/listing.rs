//! Lists folders, some levels deep.
//!
//! Must not know which tool requested it.

use std::path::Path;

use futures::future::BoxFuture;

use crate::exec::{EnvError, Environment, FileKind};

/// An entry with its level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Levels below the folder, from 0.
    pub depth: usize,
    /// Its name.
    pub name: String,
    /// Its type, with links followed.
    pub kind: FileKind,
}

/// Maximum number of entries.
const ENTRIES_MAX: usize = 20_000;

/// Returns the content of a folder down to a depth, case-insensitive, each folder before its content.
pub async fn list_deep(env: &dyn Environment, path: &Path, levels: usize) -> Result<Vec<Entry>, EnvError> {
    let mut all = Vec::new();
    add(env, path, levels, 0, &mut all).await?;
    Ok(all)
}

fn add<'a>(
    env: &'a dyn Environment,
    path: &'a Path,
    levels: usize,
    depth: usize,
    all: &'a mut Vec<Entry>,
) -> BoxFuture<'a, Result<(), EnvError>> {
    Box::pin(async move {
        let mut entries = env.list(path).await?;
        entries.sort_by_cached_key(|entry| (entry.name.to_lowercase(), entry.name.clone()));
        for entry in entries {
            if all.len() >= ENTRIES_MAX {
                break;
            }
            let below = entry.path_in(path);
            let folder = entry.kind == FileKind::Folder && entry.name != ".git";
            all.push(Entry { depth, name: entry.name, kind: entry.kind });
            if folder && depth + 1 < levels {
                // An unreadable folder counts as empty.
                match add(env, &below, levels, depth + 1, all).await {
                    Ok(()) | Err(EnvError::Denied(_) | EnvError::NotFound(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    })
}

/// Why a folder was not listed, for the model.
pub fn list_error(shown: &str, error: &EnvError) -> String {
    match error {
        EnvError::NotFound(_) => format!("Cannot list {shown}: no such folder."),
        _ => format!("Cannot list {error}."),
    }
}
