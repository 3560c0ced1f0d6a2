//! A change of files that was worked out before its call is approved: the tool that then makes it, as a whole or not at all.
//!
//! Must not know who worked it out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::draft::DraftFile;
use crate::base::{names, paths};
use crate::exec::{EnvError, Environment, Stamp};
use crate::llm::model::ToolSpec;
use crate::patch::diff;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::files::changes::{self, ChangedFile};
use crate::tools::files::state::{FileLock, ReadState};

/// The change.
pub struct PlannedEdit {
    /// The tool that was called.
    pub spec: ToolSpec,
    /// What the result says, in front of the list of files.
    pub headline: String,
    /// What the result says behind it; empty for nothing.
    pub note: String,
    /// The files, by path.
    pub files: Arc<BTreeMap<PathBuf, DraftFile>>,
    /// The workspace.
    pub root: PathBuf,
}

impl PlannedEdit {
    fn name(&self, path: &Path) -> String {
        names::display(Path::new(&paths::display(path, &self.root))).into_owned()
    }
}

impl Tool for PlannedEdit {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn class(&self) -> ToolClass {
        ToolClass::Edits
    }

    /// Creating, moving and removing files is more than an edit.
    fn kind(&self) -> Kind {
        let is_edit = |file: &DraftFile| file.before.is_some() && file.after.is_some();
        if self.files.values().all(is_edit) { Kind::Edit } else { Kind::Patch }
    }

    fn snippet(&self) -> &'static str {
        ""
    }

    fn targets(&self, _args: &Value) -> Vec<String> {
        self.files.keys().map(|path| self.name(path)).collect()
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        let (files, headline, note) = (self.files.clone(), self.headline.clone(), self.note.clone());
        let root = self.root.clone();
        async move {
            if let Err(message) = apply(&call, &files).await {
                return Outcome::error(message);
            }
            outcome(&headline, &note, &files, &root)
        }
        .boxed()
    }

    fn call_view(&self, _args: &Value) -> CallView {
        CallView { title: self.headline.clone(), ..CallView::default() }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::files_view(details).unwrap_or_else(|| ResultView::Text(text.to_string()))
    }
}

/// Returns what a result says of a change, with the changed lines in its details.
pub fn outcome(headline: &str, note: &str, files: &BTreeMap<PathBuf, DraftFile>, root: &Path) -> Outcome {
    let changed = changed_files(files, root);
    let lines: Vec<String> = changed.iter().map(ChangedFile::line).collect();
    let note = if note.is_empty() { String::new() } else { format!("\n{note}") };
    let text = format!("{headline}:\n{}{note}", lines.join("\n"));
    Outcome::text(text).details(changes::files_details(&changed))
}

fn changed_files(files: &BTreeMap<PathBuf, DraftFile>, root: &Path) -> Vec<ChangedFile> {
    let name = |path: &Path| names::display(Path::new(&paths::display(path, root))).into_owned();
    let moved: Vec<&PathBuf> = files.values().filter_map(|file| file.moved_from.as_ref()).collect();
    let text = |bytes: Option<&Vec<u8>>| {
        bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
    };
    let shown = files.iter().filter(|(path, file)| file.after.is_some() || !moved.contains(path));
    let shown = shown.map(|(path, file)| {
        let origin = file.moved_from.as_ref();
        let before = origin.and_then(|from| files.get(from)).unwrap_or(file).before.as_ref();
        let title = match (origin, &file.before, &file.after) {
            (Some(from), ..) => format!("M {} -> {}", name(from), name(path)),
            (None, _, None) => format!("D {}", name(path)),
            (None, None, _) => format!("A {}", name(path)),
            (None, Some(_), Some(_)) => format!("M {}", name(path)),
        };
        let diff = diff::lines(&text(before.map(|data| &data.bytes)), &text(file.after.as_ref()));
        ChangedFile { title, path: name(path), diff }
    });
    shown.collect()
}

/// Makes the change, or none of it. The error is for the model.
async fn apply(call: &Invocation, files: &BTreeMap<PathBuf, DraftFile>) -> Result<(), String> {
    let unchanged = |error: String| format!("{error}. Nothing was changed.");
    let env = &*call.env;
    let locks = lock_all(call, files).await.map_err(unchanged)?;
    let mut was_known = Vec::new();
    for (path, file) in files {
        let stamp = stamp_now(env, path).await.map_err(unchanged)?;
        if stamp != expected(file) {
            return Err(unchanged(format!("{} has changed meanwhile", path.display())));
        }
        was_known.push(call.shared.files.read_state(path, &stamp) == ReadState::Unchanged);
    }
    // What is written comes first, so that no content is only in memory.
    let mut order: Vec<(&PathBuf, &DraftFile)> = files.iter().collect();
    order.sort_by_key(|(_, file)| file.after.is_none());
    let mut done = Vec::new();
    for (path, file) in order {
        let made = if call.cancel.is_cancelled() {
            Err("Interrupted".to_string())
        } else {
            put(env, path, file.after.as_ref(), expected(file)).await
        };
        if let Err(error) = made {
            let left = undo(env, &done).await;
            return Err(left.map_or_else(|| unchanged(error.clone()), |left| format!("{error}. {left}")));
        }
        done.push((path, file));
    }
    for ((lock, (path, file)), was_known) in locks.iter().zip(files).zip(was_known) {
        match &file.after {
            // Where the model has not seen the rest of the file, it still has not.
            Some(bytes) if was_known => call.shared.files.note_seen_real(lock.real.clone(), Stamp::of(bytes)),
            Some(_) => {}
            None => call.shared.files.forget(path),
        }
    }
    Ok(())
}

/// Locks the files in a fixed order.
async fn lock_all(call: &Invocation, files: &BTreeMap<PathBuf, DraftFile>) -> Result<Vec<FileLock>, String> {
    let mut locks = Vec::with_capacity(files.len());
    for path in files.keys() {
        let lock = call.shared.files.lock_file(&*call.env, path, &call.cancel).await;
        locks.push(lock.ok_or_else(|| "Interrupted".to_string())?);
    }
    Ok(locks)
}

async fn stamp_now(env: &dyn Environment, path: &Path) -> Result<Stamp, String> {
    match env.read(path).await {
        Ok(data) => Ok(data.stamp),
        Err(EnvError::NotFound(_)) => Ok(Stamp::missing()),
        Err(error) => Err(format!("Cannot read {error}")),
    }
}

fn expected(file: &DraftFile) -> Stamp {
    file.before.as_ref().map_or_else(Stamp::missing, |data| data.stamp.clone())
}

async fn put(
    env: &dyn Environment,
    path: &Path,
    content: Option<&Vec<u8>>,
    expected: Stamp,
) -> Result<(), String> {
    let done = match content {
        Some(bytes) => env.write(path, bytes.clone(), Some(expected)).await.map(drop),
        None => env.remove(path, Some(expected)).await,
    };
    done.map_err(|error| format!("Cannot write {error}"))
}

/// Takes back what was done; returns what could not be, if anything.
async fn undo(env: &dyn Environment, done: &[(&PathBuf, &DraftFile)]) -> Option<String> {
    let mut left = Vec::new();
    for (path, file) in done.iter().rev() {
        let now = file.after.as_ref().map_or_else(Stamp::missing, |bytes| Stamp::of(bytes));
        let before = file.before.as_ref().map(|data| &data.bytes);
        if put(env, path, before, now).await.is_err() {
            left.push(path.display().to_string());
        }
    }
    (!left.is_empty()).then(|| format!("These files stay changed: {}.", left.join(", ")))
}
