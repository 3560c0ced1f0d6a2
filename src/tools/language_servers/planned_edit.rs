//! A change of files that was worked out before its call is approved: the tool that then makes it, as a whole or not at all.
//!
//! Must not know who worked it out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::draft::{DraftFile, DraftedChange};
use crate::base::{names, paths};
use crate::exec::{EnvError, Environment, FileData, MoveLock, Stamp};
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
    /// The change.
    pub change: Arc<DraftedChange>,
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
        if self.change.files.values().all(is_edit) { Kind::Edit } else { Kind::Patch }
    }

    fn snippet(&self) -> &'static str {
        ""
    }

    fn targets(&self, _args: &Value) -> Vec<String> {
        self.change.files.keys().map(|path| self.name(path)).collect()
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        let (change, headline, note) = (self.change.clone(), self.headline.clone(), self.note.clone());
        let root = self.root.clone();
        // In a task of its own: a call that is cancelled must not leave half of it.
        let work = tokio::spawn(async move {
            match apply(&call, &change).await {
                Ok(()) => outcome(&headline, &note, &change.files, &root),
                Err(message) => Outcome::error(message),
            }
        });
        async move { work.await.unwrap_or_else(|error| Outcome::error(format!("It failed inside: {error}."))) }.boxed()
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
async fn apply(call: &Invocation, change: &DraftedChange) -> Result<(), String> {
    let unchanged = |error: String| format!("{error}. Nothing was changed.");
    let files = &change.files;
    let locks = lock_all(call, files).await.map_err(unchanged)?;
    let mut was_known = BTreeMap::new();
    for (path, file) in files {
        let stamp = stamp_now(&*call.env, path).await.map_err(unchanged)?;
        if stamp != expected(file) {
            return Err(unchanged(format!("{} has changed meanwhile", path.display())));
        }
        let real = &locks[path].real;
        was_known.insert(path, call.shared.files.read_state(real, &stamp) == ReadState::Unchanged);
    }
    if call.cancel.is_cancelled() {
        return Err(unchanged("Interrupted".to_string()));
    }
    // Held until the change is made or taken back: a job of the user between two moves would leave half of it.
    let _moves = if change.moves.is_empty() {
        MoveLock::default()
    } else {
        let locked = call.env.lock_moves().await;
        locked.map_err(|error| unchanged(format!("Cannot move files: {error}")))?
    };
    // From here on it is done to its end.
    let mut work = Work { env: &*call.env, change, moved: Vec::new(), done: Vec::new() };
    if let Err(error) = work.perform().await {
        let left = work.undo().await;
        return Err(left.map_or_else(|| unchanged(error.clone()), |left| format!("{error}. {left}")));
    }
    for (path, file) in files {
        let real = &locks[path].real;
        let origin = file.moved_from.as_ref().unwrap_or(path);
        let stamp = work.stamp_of(path);
        match stamp {
            // Where the model has not seen the rest of the file, it still has not.
            Some(stamp) if was_known.get(origin).copied().unwrap_or_default() => {
                call.shared.files.note_seen_real(real.clone(), stamp);
            }
            Some(_) => {}
            None => call.shared.files.forget(real),
        }
    }
    Ok(())
}

/// A change while it is made.
struct Work<'c> {
    env: &'c dyn Environment,
    change: &'c DraftedChange,
    /// The moves that were made.
    moved: Vec<&'c (PathBuf, PathBuf)>,
    /// The files that were written, with their stamps, or removed.
    done: Vec<(&'c PathBuf, Option<Stamp>)>,
}

impl<'c> Work<'c> {
    /// Returns what is at a path after the moves that were made.
    fn present(&self, path: &Path) -> Option<&'c FileData> {
        if self.moved.is_empty() {
            return self.change.files.get(path).and_then(|file| file.before.as_ref());
        }
        self.change.after_moves(path)
    }

    /// Moves, then writes, then removes: so no content is only in memory.
    async fn perform(&mut self) -> Result<(), String> {
        for one in &self.change.moves {
            match self.env.rename(&one.0, &one.1, false).await {
                Ok(_) => self.moved.push(one),
                // Then contents are written anew.
                Err(error) if error.is_unsupported() && self.moved.is_empty() => break,
                Err(error) => return Err(format!("Cannot move {error}")),
            }
        }
        let mut order: Vec<(&PathBuf, &DraftFile)> = self.change.files.iter().collect();
        order.sort_by_key(|(_, file)| file.after.is_none());
        for (path, file) in order {
            let present = self.present(path);
            if present.map(|data| &data.bytes) == file.after.as_ref() {
                continue;
            }
            let stamp = present.map_or_else(Stamp::missing, |data| data.stamp.clone());
            let stamp = put(self.env, path, file.after.as_ref(), stamp).await?;
            self.done.push((path, stamp));
        }
        Ok(())
    }

    /// Returns the stamp of a file that is there now.
    fn stamp_of(&self, path: &Path) -> Option<Stamp> {
        match self.done.iter().find(|(done, _)| *done == path) {
            Some((_, stamp)) => stamp.clone(),
            None => self.present(path).map(|data| data.stamp.clone()),
        }
    }

    /// Takes back what was done; returns what could not be, if anything.
    async fn undo(&self) -> Option<String> {
        let mut left = Vec::new();
        for (path, stamp) in self.done.iter().rev() {
            // A text that is open in an editor stays there when its file is removed.
            let now = match stamp {
                Some(stamp) => Ok(stamp.clone()),
                None => stamp_now(self.env, path).await,
            };
            let undone = match now {
                Ok(now) => put(self.env, path, self.present(path).map(|data| &data.bytes), now).await,
                Err(error) => Err(error),
            };
            if let Err(error) = undone {
                tracing::warn!(%error, "a change of a file cannot be taken back");
                left.push(path.display().to_string());
            }
        }
        for (from, to) in self.moved.iter().rev() {
            if let Err(error) = self.env.rename(to, from, false).await {
                tracing::warn!(%error, "a move cannot be taken back");
                left.push(to.display().to_string());
            }
        }
        (!left.is_empty()).then(|| format!("These files stay changed: {}.", left.join(", ")))
    }
}

/// Locks the files, by their resolved paths and in that order, so that two calls do not wait for each other.
async fn lock_all<'f>(
    call: &Invocation,
    files: &'f BTreeMap<PathBuf, DraftFile>,
) -> Result<BTreeMap<&'f PathBuf, FileLock>, String> {
    let mut real: BTreeMap<PathBuf, &PathBuf> = BTreeMap::new();
    for path in files.keys() {
        let resolved = call.env.resolve(path).await.unwrap_or_else(|_| path.clone());
        if let Some(other) = real.insert(resolved, path) {
            return Err(format!("{} and {} are one file", other.display(), path.display()));
        }
    }
    let mut locks = BTreeMap::new();
    for path in real.into_values() {
        let lock = call.shared.files.lock_file(&*call.env, path, &call.cancel).await;
        locks.insert(path, lock.ok_or_else(|| "Interrupted".to_string())?);
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

/// Writes or removes a file; returns the stamp of what was written.
async fn put(
    env: &dyn Environment,
    path: &Path,
    content: Option<&Vec<u8>>,
    expected: Stamp,
) -> Result<Option<Stamp>, String> {
    let done = match content {
        Some(bytes) => env.write(path, bytes.clone(), Some(expected)).await.map(Some),
        None => env.remove(path, Some(expected)).await.map(|()| None),
    };
    done.map_err(|error| format!("Cannot write {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::exec::LocalEnvironment;
    use crate::tools::contract::shared::AgentToolState;

    /// A workspace with files, and the change that gives each another text; `None` removes it.
    async fn changed(
        files: &[(&str, &str)],
        change: &[(&str, Option<&str>)],
    ) -> (tempfile::TempDir, Outcome) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, text) in files {
            std::fs::write(root.join(name), text).unwrap();
        }
        let before = |name: &str| {
            let known = files.iter().find(|(known, _)| *known == name);
            known.map(|(_, text)| FileData {
                bytes: text.as_bytes().to_vec(),
                stamp: Stamp::of(text.as_bytes()),
            })
        };
        let planned = change.iter().map(|(name, after)| {
            let after = after.map(|text| text.as_bytes().to_vec());
            (root.join(name), DraftFile { before: before(name), after, ..DraftFile::default() })
        });
        let edit = PlannedEdit {
            spec: ToolSpec::default(),
            headline: "Changed".to_string(),
            note: String::new(),
            change: Arc::new(DraftedChange { files: planned.collect(), moves: Vec::new() }),
            root: root.clone(),
        };
        let env = Arc::new(LocalEnvironment::new(root, []));
        let shared = Arc::new(AgentToolState::new(folder.path().join("artifacts")));
        let outcome = edit.run(Invocation::new(json!({}), env, shared)).await;
        (folder, outcome)
    }

    #[tokio::test]
    async fn planned_edit_that_fails_in_the_middle_is_taken_back() {
        // What is a file by then cannot have another one in it.
        let change = [("a", Some("A")), ("new", Some("N")), ("gone", None), ("new/x", Some("X"))];
        let (folder, outcome) = changed(&[("a", "a"), ("gone", "g")], &change).await;
        let text = crate::llm::model::message::join_text(&outcome.content);
        assert!(outcome.is_error && text.ends_with("Nothing was changed."), "{text}");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).ok();
        assert_eq!(
            (read("a").as_deref(), read("gone").as_deref(), read("new")),
            (Some("a"), Some("g"), None)
        );
    }

    #[tokio::test]
    async fn planned_edit_that_fails_after_a_move_takes_it_back() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("a"), "a").unwrap();
        let data = FileData { bytes: b"a".to_vec(), stamp: Stamp::of(b"a") };
        let old = DraftFile { before: Some(data), ..DraftFile::default() };
        let moved_from = Some(root.join("a"));
        let new = DraftFile { after: Some(b"new".to_vec()), moved_from, ..DraftFile::default() };
        // There is no file that could be removed.
        let none = DraftFile { before: None, after: None, ..DraftFile::default() };
        let run = async |is_failing: bool| {
            let mut files = BTreeMap::from([(root.join("a"), old.clone()), (root.join("b/c"), new.clone())]);
            if is_failing {
                files.insert(root.join("b/c/below"), DraftFile { after: Some(Vec::new()), ..none.clone() });
            }
            let moves = vec![(root.join("a"), root.join("b/c"))];
            let call = Invocation::new(
                json!({}),
                Arc::new(LocalEnvironment::new(root.clone(), [])),
                Arc::new(AgentToolState::new(folder.path().join("artifacts"))),
            );
            apply(&call, &DraftedChange { files, moves }).await
        };
        let text = |name: &str| std::fs::read_to_string(root.join(name)).ok();
        assert!(run(true).await.unwrap_err().ends_with("Nothing was changed."));
        assert_eq!((text("a").as_deref(), text("b/c")), (Some("a"), None));
        run(false).await.unwrap();
        assert_eq!((text("a"), text("b/c").as_deref()), (None, Some("new")));
    }

    #[tokio::test]
    async fn planned_edit_of_two_names_of_one_file_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("a"), "a").unwrap();
        std::os::unix::fs::symlink("a", root.join("link")).unwrap();
        let data = FileData { bytes: b"a".to_vec(), stamp: Stamp::of(b"a") };
        let file = DraftFile { before: Some(data), after: Some(b"b".to_vec()), ..DraftFile::default() };
        let files = BTreeMap::from([(root.join("a"), file.clone()), (root.join("link"), file)]);
        let call = Invocation::new(
            json!({}),
            Arc::new(LocalEnvironment::new(root.clone(), [])),
            Arc::new(AgentToolState::new(folder.path().join("artifacts"))),
        );
        let change = DraftedChange { files, moves: Vec::new() };
        assert!(apply(&call, &change).await.unwrap_err().contains("are one file"));
        assert_eq!(std::fs::read_to_string(root.join("a")).unwrap(), "a");
    }
}
