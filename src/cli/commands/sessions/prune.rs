//! `bowline sessions prune`: deletes checkpoints of workspaces that no session refers to.
//!
//! Must not know how checkpoints are stored. Any possible reference keeps a checkpoint: sessions in other
//! folders, in the trash and behind links count, and an unreadable file aborts before anything is deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::base::json::json;

use crate::base::error::Report;
use crate::runtime::Options;
use crate::session::restore::checkpoints::{self, CHECKPOINT};
use crate::session::{Entry, EntryBody};
use crate::workspace::checkpoint::store::PruneResult;
use crate::workspace::checkpoint::{Oid, Store, checkpointer};

/// Referenced checkpoints, by workspace.
type ReferencedStates = BTreeMap<String, BTreeSet<Oid>>;

/// Deletes the objects of all stores that no session refers to, or only counts them.
pub fn prune(options: &Options, dry: bool) -> Result<(String, Value), Report> {
    let base = options.home.checkpoints();
    // Each store is locked before the sessions are read, so that no process records meanwhile.
    let mut stores = Vec::new();
    for entry in fs::read_dir(&base).into_iter().flatten().flatten() {
        let folder = entry.path();
        let Some(workspace) = checkpointer::workspace_of(&folder) else { continue };
        let is_its = checkpointer::store_folder(&base, &workspace) == folder;
        let open = || if dry { Store::open(&folder) } else { Store::open_exclusive(&folder) };
        let store = is_its.then(open);
        let shown = if is_its { workspace.display() } else { folder.display() }.to_string();
        stores.push((shown, workspace, store));
    }
    let named = referenced_states(options)?;
    let (mut lines, mut values) = (Vec::new(), Vec::new());
    for (shown, workspace, store) in stores {
        let roots = named.get(&*workspace.to_string_lossy());
        let roots: Vec<Oid> = roots.into_iter().flatten().copied().collect();
        let done = store.map(|store| store.and_then(|store| store.prune(&roots, dry)));
        let why = match done {
            Some(Ok(PruneResult { objects, bytes, kept })) => {
                lines.push(format!("{shown}: {objects} objects of {bytes} bytes, {kept} stay"));
                values.push(json!({"workspace": shown, "objects": objects, "bytes": bytes, "kept": kept}));
                continue;
            }
            Some(Err(error)) => error.to_string(),
            None => "it does not say which folder it is of; it does after the next work there".to_string(),
        };
        lines.push(format!("{shown}: skipped: {why}"));
        values.push(json!({"workspace": shown, "error": why}));
    }
    if lines.is_empty() {
        lines.push("No checkpoints.".to_string());
    }
    Ok((lines.join("\n"), json!(values)))
}

/// Returns the checkpoints that any known session refers to: in the default folder, in the given one, and in
/// the trash.
fn referenced_states(options: &Options) -> Result<ReferencedStates, Report> {
    let (mut named, mut seen) = (ReferencedStates::new(), BTreeSet::new());
    let folders = [options.home.sessions(), options.session_root()];
    let mut read = folders.iter().try_for_each(|folder| collect_states(folder, true, &mut seen, &mut named));
    read =
        read.and_then(|()| collect_states(&options.home.trash().join("files"), false, &mut seen, &mut named));
    read.map(|()| named).map_err(|(path, error)| {
        let message = format!("a session cannot be read, so nothing is removed: {}", path.display());
        Report::caused(&message, &error).hint("open it once, or put it elsewhere")
    })
}

/// Extensions of files beside sessions that hold no entries: indices, torn tails, hidden branches.
const SIDECAR_EXTENSIONS: [&str; 4] = ["index", "new", "torn", "hidden"];

type UnreadableFile = (PathBuf, io::Error);

/// Returns the checkpoints that the sessions in a folder, or up to `deep` levels below it, refer to. Fails
/// rather than miss one.
fn collect_states(
    folder: &Path,
    deep: bool,
    seen: &mut BTreeSet<PathBuf>,
    named: &mut ReferencedStates,
) -> Result<(), UnreadableFile> {
    let at = |path: &Path| {
        let path = path.to_path_buf();
        move |error| (path, error)
    };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(at(folder))?,
    };
    // Links may form a loop.
    if !seen.insert(fs::canonicalize(folder).map_err(at(folder))?) {
        return Ok(());
    }
    for entry in entries {
        let path = entry.map_err(at(folder))?.path();
        let is_folder = match fs::metadata(&path) {
            // A dangling link.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            metadata => metadata.map_err(at(&path))?.is_dir(),
        };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if is_folder {
            if deep {
                collect_states(&path, deep, seen, named)?;
            }
        } else if name.contains(".jsonl")
            && !path.extension().is_some_and(|ending| SIDECAR_EXTENSIONS.iter().any(|one| ending == *one))
        {
            collect_session_states(&path, named).map_err(at(&path))?;
        }
    }
    Ok(())
}

/// Adds the checkpoints that a session refers to.
fn collect_session_states(path: &Path, named: &mut ReferencedStates) -> io::Result<()> {
    for line in BufReader::new(File::open(path)?).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        if !line.contains(CHECKPOINT) {
            continue;
        }
        let bad = || io::Error::new(io::ErrorKind::InvalidData, "a line of a checkpoint that is none");
        let entry = Entry::parse(&line).map_err(|_| bad())?;
        let is_one =
            matches!(entry.body(), EntryBody::Custom { custom_type, .. } if custom_type == CHECKPOINT);
        if is_one {
            let state = checkpoints::from_entry(&entry).ok_or_else(bad)?;
            let oid = Oid::parse(&state.tree).ok_or_else(bad)?;
            named.entry(state.root).or_default().insert(oid);
        }
    }
    Ok(())
}
