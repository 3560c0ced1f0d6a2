//! Other names of a file with hard links: a hard link must not give access to a guarded or denied file.
//!
//! Must not know the verdict.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use globset::GlobMatcher;

use super::policy::START_FILES;
use super::rules::protected_paths::ProtectedPaths;
use crate::base::names;
use crate::exec::FileKind;
use crate::tools::contract::context::Context;

/// Maximum folder entries that are read. In a larger workspace only links among the first are found.
const ENTRIES_MAX: usize = 20_000;
/// Folders whose files are guarded, below the workspace and the home folder, including subfolders.
const GUARDED: [&str; 3] = [".git/hooks", ".git", ".bowline"];

/// Returns the guarded and denied files that are identical to the one at `path`, which has several names.
/// Searches files of rules only if there are any.
pub(in crate::tools) async fn guarded_aliases(
    cx: &Context,
    path: &Path,
    barriers: &[ProtectedPaths],
) -> Vec<PathBuf> {
    let Ok(Some(id)) = cx.env.hard_link(path).await else { return Vec::new() };
    let mut found = Vec::new();
    for candidate in guarded(cx).await {
        if candidate != path && cx.env.hard_link(&candidate).await.is_ok_and(|other| other == Some(id)) {
            found.push(candidate);
        }
    }
    if barriers.is_empty() {
        return found;
    }
    let (mut folders, mut seen) = (vec![cx.env.root().to_path_buf()], 0);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = cx.env.list(&folder).await else { continue };
        for entry in entries {
            seen += 1;
            if seen > ENTRIES_MAX {
                tracing::warn!("too many files to look for every hard link of {}", path.display());
                return found;
            }
            let candidate = entry.path_in(&folder);
            match entry.kind {
                // A link to a folder is followed once, as the folder itself.
                FileKind::Folder => {
                    if cx.env.resolve(&candidate).await.is_ok_and(|real| real == candidate) {
                        folders.push(candidate);
                    }
                }
                FileKind::File
                    if candidate != path && barriers.iter().any(|barrier| barrier.contains(&candidate)) =>
                {
                    if cx.env.hard_link(&candidate).await.is_ok_and(|other| other == Some(id)) {
                        found.push(candidate);
                    }
                }
                FileKind::File | FileKind::Other => {}
            }
        }
    }
    found
}

/// Whether one of the files has several names.
pub(super) async fn any_hard_linked(cx: &Context, files: &[PathBuf]) -> bool {
    for file in files {
        if cx.env.hard_link(file).await.is_ok_and(|id| id.is_some()) {
            return true;
        }
    }
    false
}

/// Whether paths below a folder lead to one of the files through links: those whose names match these
/// patterns, or all. If there is too much to read, it is assumed.
pub(super) async fn links_lead_to(
    cx: &Context,
    folder: &Path,
    patterns: Option<&[GlobMatcher]>,
    files: &[PathBuf],
) -> bool {
    let Ok(real) = cx.env.resolve(folder).await else { return false };
    let (mut folders, mut known, mut seen) = (vec![(real.clone(), 0)], HashSet::from([real]), 0);
    while let Some((folder, depth)) = folders.pop() {
        if patterns.is_none() && files.iter().any(|file| file.starts_with(&folder)) {
            return true;
        }
        let name = patterns.map(|patterns| patterns.get(depth));
        if matches!(name, Some(None)) {
            continue;
        }
        let Ok(entries) = cx.env.list(&folder).await else { continue };
        for entry in entries {
            seen += 1;
            if seen > ENTRIES_MAX {
                return true;
            }
            if name.flatten().is_some_and(|name| !name.is_match(names::parse(&entry.name))) {
                continue;
            }
            // A link that leads nowhere leads to no file.
            let Ok(real) = cx.env.resolve(&entry.path_in(&folder)).await else { continue };
            if files.contains(&real) {
                return true;
            }
            // With a limit, a folder is visited at every depth at which it is found.
            if entry.kind == FileKind::Folder && (known.insert(real.clone()) || patterns.is_some()) {
                folders.push((real, depth + 1));
            }
        }
    }
    false
}

/// Returns the existing configuration files.
async fn guarded(cx: &Context) -> Vec<PathBuf> {
    let home = cx.env.home().map(Path::to_path_buf);
    let mut folders: Vec<PathBuf> = cx.shared.own_folders.clone();
    folders.extend(GUARDED.iter().map(|name| cx.env.root().join(name)));
    let mut files: Vec<PathBuf> = Vec::new();
    for place in START_FILES.iter().filter_map(|name| Some(home.as_ref()?.join(name))) {
        match cx.env.stat(&place).await.map(|info| info.kind) {
            Ok(FileKind::File) => files.push(place),
            Ok(FileKind::Folder) => folders.push(place),
            _ => {}
        }
    }
    for folder in folders {
        let Ok(entries) = cx.env.list(&folder).await else { continue };
        let named = entries.into_iter().filter(|entry| entry.kind == FileKind::File);
        files.extend(named.map(|entry| entry.path_in(&folder)));
    }
    files
}
