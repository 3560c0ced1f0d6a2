//! What the edit of a server does to files: every part is checked here, on a task, before anything is changed. Must not
//! know who wants it, nor how it is applied.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::paths;
use crate::base::plural::pluralize;
use crate::base::width::visible;
use crate::exec::{Environment, FileKind, Stamp};
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::core::tree_job::TreeJob;
use crate::ide::features::project_search::job::{FilePlan, OpenText, Target};
use crate::ide::features::project_search::tasks;
use crate::ide::features::project_search::whole::{self, WholeStep};
use crate::ide::model::buffers::BufferId;
use crate::lsp::answers::edits::{self, EditError, EditStep, TextEdit};
use crate::lsp::client::edits::{ServerEdit, Versions};
use crate::lsp::position::Encoding;
use crate::patch::diff;
use crate::text::changes::ChangeSet;
use crate::text::file_format::format::{Format, with_ending};
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::undo::rebase::trim;

/// Maximum number of changed lines that the preview shows.
const PREVIEW_MAX: usize = 400;

/// A checked edit.
#[derive(Debug, Default)]
pub struct EditPlan {
    /// What is to be done.
    pub step: WholeStep,
    /// Lines of the preview.
    pub preview: Vec<String>,
    /// Number of changed places.
    pub places: usize,
}

/// Edits of one server in a text.
#[derive(Clone)]
struct ServerEdits {
    /// Its number among the servers that are asked.
    server: usize,
    /// The unit of its columns.
    encoding: Encoding,
    edits: Vec<TextEdit>,
}

/// What a text gets: where, and the new text.
type Replaced<'a> = Vec<(Range<usize>, &'a str)>;

/// Returns the changes that edits of a server make to a text, with its line ending.
///
/// # Errors
///
/// Edits that are not about this text.
pub fn changes(
    text: &Text,
    edits: &[TextEdit],
    encoding: Encoding,
    ending: &str,
) -> Result<(ChangeSet, usize), EditError> {
    Ok(change_set(text, edits::checked(edits, text, encoding)?, ending))
}

fn change_set(text: &Text, found: Replaced<'_>, ending: &str) -> (ChangeSet, usize) {
    let count = found.len();
    let replaced =
        found.into_iter().map(|(range, new)| (Byte(range.start)..Byte(range.end), with_ending(new, ending)));
    (trim(&ChangeSet::replace(text.end().0, replaced), text), count)
}

/// Returns what the edits of several servers replace in a text, in its order. What two of them do alike is done once; texts of
/// two of them at one place have no order.
fn combined<'a>(text: &Text, all: &'a [ServerEdits]) -> Result<Replaced<'a>, EditError> {
    let mut found = Vec::new();
    let mut known: Vec<Replaced<'_>> = Vec::new();
    for ServerEdits { server, encoding, edits } in all {
        let of_one = edits::checked(edits, text, *encoding)?;
        if known.contains(&of_one) {
            continue;
        }
        known.push(of_one.clone());
        found.extend(of_one.into_iter().map(|(range, new)| (range, new, *server)));
    }
    found.sort_by_key(|(range, _, server)| (range.start, range.end, *server));
    found.dedup_by(|(range, new, server), (before, old, of)| range == before && new == old && server != of);
    for pair in found.windows(2) {
        let ((before, _, of), (range, _, server)) = (&pair[0], &pair[1]);
        if range.start < before.end || range.start == before.start && of != server {
            return Err(EditError::Overlap(text.line_of(Byte(range.start)).0 as u32 + 1));
        }
    }
    Ok(found.into_iter().map(|(range, new, _)| (range, new)).collect())
}

/// A file that changes.
#[derive(Clone)]
struct ChangingFile {
    /// Its path after the operations so far.
    path: PathBuf,
    before: Text,
    ending: &'static str,
    target: Target,
    /// By server.
    edits: Vec<ServerEdits>,
}

impl ChangingFile {
    /// Adds edits; all of one server are about the same text.
    fn add(&mut self, new: ServerEdits) {
        match self.edits.last_mut().filter(|last| last.server == new.server) {
            Some(last) => last.edits.extend(new.edits),
            None => self.edits.push(new),
        }
    }

    fn is_changed_by(&self, server: usize) -> bool {
        self.edits.last().is_some_and(|last| last.server == server)
    }
}

/// What the steps so far do.
#[derive(Clone, Default)]
struct Planned {
    operations: Vec<TreeJob>,
    files: Vec<ChangingFile>,
    /// Paths that would exist, and paths that would not any more.
    present: BTreeSet<PathBuf>,
    absent: BTreeSet<PathBuf>,
}

/// Checks the steps of edits in order, as if each had been done.
pub struct Planner {
    env: Arc<dyn Environment>,
    workspace: PathBuf,
    open: Vec<OpenText>,
    /// The server whose edit is added, by its number, with the versions that it knows.
    server: usize,
    versions: Versions,
    encoding: Encoding,
    planned: Planned,
}

/// Checks an edit. `open` are the open files.
///
/// # Errors
///
/// The reason why it is refused, in a few words for the user.
pub async fn plan(
    env: Arc<dyn Environment>,
    workspace: PathBuf,
    open: Vec<OpenText>,
    edit: ServerEdit,
) -> Result<EditPlan, String> {
    let mut planner = Planner::new(env, workspace, open);
    planner.add_edit(0, edit).await?;
    planner.finish().await
}

/// What is done with a job on files.
pub struct JobPlan {
    /// The job, and the edits that fit together.
    pub plan: EditPlan,
    /// The servers whose edits these are, by name.
    pub servers: Vec<String>,
    /// The servers whose edits are left out, and why.
    pub left_out: Vec<(String, String)>,
}

/// Checks edits of several servers, by name, and a job that is done after them, as one step. An edit that is refused or that
/// does not fit to those before is left out as a whole.
///
/// # Errors
///
/// The reason why the job cannot be done together with the edits.
pub async fn plan_job(
    env: Arc<dyn Environment>,
    workspace: PathBuf,
    open: Vec<OpenText>,
    edits: Vec<(String, ServerEdit)>,
    job: TreeJob,
) -> Result<JobPlan, String> {
    let mut planner = Planner::new(env, workspace, open);
    let (mut servers, mut left_out) = (Vec::new(), Vec::new());
    for (number, (server, edit)) in edits.into_iter().enumerate() {
        let before = planner.planned.clone();
        let added = match planner.add_edit(number, edit).await {
            Ok(()) => planner.check_texts().await,
            refused => refused,
        };
        match added {
            Ok(()) => servers.push(server),
            Err(reason) => {
                planner.planned = before;
                left_out.push((server, reason));
            }
        }
    }
    planner.add_job(job).await?;
    Ok(JobPlan { plan: planner.finish().await?, servers, left_out })
}

impl Planner {
    fn new(env: Arc<dyn Environment>, workspace: PathBuf, open: Vec<OpenText>) -> Self {
        let (versions, encoding) = (Versions::new(), Encoding::default());
        Self { env, workspace, open, server: 0, versions, encoding, planned: Planned::default() }
    }

    async fn add_edit(&mut self, server: usize, edit: ServerEdit) -> Result<(), String> {
        (self.server, self.versions, self.encoding) = (server, edit.versions, edit.encoding);
        for step in edit.edit.steps {
            self.add(step).await?;
        }
        Ok(())
    }

    /// Fails if the edits of a text do not fit together.
    async fn check_texts(&self) -> Result<(), String> {
        let (files, workspace) = (self.planned.files.clone(), self.workspace.clone());
        let check = move || {
            files.iter().try_for_each(|file| match combined(&file.before, &file.edits) {
                Ok(_) => Ok(()),
                Err(error) => Err(format!("{error}: {}", visible(&paths::display(&file.path, &workspace)))),
            })
        };
        on_thread(check).await
    }

    fn name(&self, path: &Path) -> String {
        visible(&paths::display(path, &self.workspace)).into_owned()
    }

    async fn add(&mut self, step: EditStep) -> Result<(), String> {
        match step {
            EditStep::Text(edits) => self.change(edits.path, edits.edits).await,
            EditStep::Create { path, overwrite, ignore_existing } => {
                self.create(path, overwrite, ignore_existing).await
            }
            EditStep::Rename { from, to, overwrite, ignore_existing } => {
                self.rename(from, to, overwrite, ignore_existing).await
            }
            EditStep::Delete { path, recursive, ignore_missing } => {
                self.delete(path, recursive, ignore_missing).await
            }
        }
    }

    async fn add_job(&mut self, job: TreeJob) -> Result<(), String> {
        match job {
            TreeJob::Create { path, is_folder: false } => self.create(path, false, false).await,
            TreeJob::Create { path, is_folder: true } => {
                self.check_in_workspace(&path).await?;
                if self.exists(&path).await? {
                    return Err(format!("{} exists already", self.name(&path)));
                }
                self.planned.operations.push(TreeJob::Create { path, is_folder: true });
                Ok(())
            }
            TreeJob::Move { from, to } => self.rename(from, to, false, false).await,
            TreeJob::Delete(path) => self.delete(path, true, false).await,
        }
    }

    /// Adds edits of a text. All edits of one text are about the text as it is now.
    async fn change(&mut self, path: PathBuf, edits: Vec<TextEdit>) -> Result<(), String> {
        let (server, encoding) = (self.server, self.encoding);
        let edits = ServerEdits { server, encoding, edits };
        let known = self.planned.files.iter().position(|file| file.path == path);
        if let Some(file) =
            known.map(|at| &mut self.planned.files[at]).filter(|file| file.is_changed_by(server))
        {
            file.add(edits);
            return Ok(());
        }
        let name = self.name(&path);
        if known.is_none() && self.is_absent(&path) {
            return Err(format!("{name} is gone"));
        }
        let before = self.path_before(&path);
        let resolved = self.env.resolve(&before).await.unwrap_or_else(|_| before.clone());
        let is_it = |open: &&OpenText| open.path == before || open.real.as_ref() == Some(&resolved);
        let open = self.open.iter().find(is_it);
        match open {
            Some(open) => self.check_open(open, &before, &name)?,
            None if known.is_none() => self.check_in_workspace(&before).await?,
            None => {}
        }
        if let Some(at) = known {
            self.planned.files[at].add(edits);
            return Ok(());
        }
        let open_ending = open.map(|open| open.ending);
        let read = tasks::current_text(&*self.env, &before, &self.open).await;
        let (text, ending, target) = read.map_err(|reason| format!("{name}: {reason}"))?;
        // Two names of one file.
        let same = |file: &&mut ChangingFile| match (&file.target, &target) {
            (Target::Open(a, _), Target::Open(b, _)) => a == b,
            _ => false,
        };
        if let Some(file) = self.planned.files.iter_mut().find(same) {
            file.add(edits);
            return Ok(());
        }
        let ending = open_ending.unwrap_or(ending);
        self.planned.files.push(ChangingFile { path, before: text, ending, target, edits: vec![edits] });
        Ok(())
    }

    /// Fails if the server does not know an open text as it is.
    fn check_open(&self, open: &OpenText, path: &PathBuf, name: &str) -> Result<(), String> {
        let paths = [Some(path), open.real.as_ref(), Some(&open.path)];
        match paths.into_iter().flatten().find_map(|path| self.versions.get(path)) {
            Some(known) if *known != open.version => Err(format!("the text has changed: {name}")),
            None if open.is_unsaved => Err(format!("{name} has changes that the server does not know")),
            _ => Ok(()),
        }
    }

    async fn create(&mut self, path: PathBuf, overwrite: bool, ignore: bool) -> Result<(), String> {
        self.check_in_workspace(&path).await?;
        if self.exists(&path).await? {
            if overwrite {
                self.note_deleted(&path);
            } else if ignore {
                return Ok(());
            } else {
                return Err(format!("{} exists already", self.name(&path)));
            }
        }
        self.planned.operations.push(TreeJob::Create { path: path.clone(), is_folder: false });
        self.planned.absent.remove(&path);
        self.planned.present.insert(path.clone());
        let target = Target::Closed(Stamp::of(&[]), Format::default());
        let (before, edits) = (Text::default(), Vec::new());
        self.planned.files.push(ChangingFile { path, before, ending: "\n", target, edits });
        Ok(())
    }

    async fn rename(
        &mut self,
        from: PathBuf,
        to: PathBuf,
        overwrite: bool,
        ignore: bool,
    ) -> Result<(), String> {
        self.check_in_workspace(&from).await?;
        self.check_in_workspace(&to).await?;
        if !self.exists(&from).await? {
            return Err(format!("{} is gone", self.name(&from)));
        }
        if from == to {
            return Ok(());
        }
        if self.exists(&to).await? {
            if overwrite {
                self.note_deleted(&to);
            } else if ignore {
                return Ok(());
            } else {
                return Err(format!("{} exists already", self.name(&to)));
            }
        }
        for file in &mut self.planned.files {
            if let Some(path) = paths::moved(&file.path, &from, &to) {
                file.path = path;
            }
        }
        self.planned.present.remove(&from);
        self.planned.absent.insert(from.clone());
        self.planned.absent.remove(&to);
        self.planned.present.insert(to.clone());
        self.planned.operations.push(TreeJob::Move { from, to });
        Ok(())
    }

    async fn delete(&mut self, path: PathBuf, recursive: bool, ignore: bool) -> Result<(), String> {
        self.check_in_workspace(&path).await?;
        if !self.exists(&path).await? {
            return if ignore { Ok(()) } else { Err(format!("{} is gone", self.name(&path))) };
        }
        let before = self.path_before(&path);
        let stat = self.env.stat(&before).await;
        if !recursive && stat.is_ok_and(|stat| stat.kind == FileKind::Folder) {
            let entries = self.env.list(&before).await.map_err(|error| error.to_string())?;
            if !entries.is_empty() {
                return Err(format!("the folder {} is not empty", self.name(&path)));
            }
        }
        self.note_deleted(&path);
        Ok(())
    }

    /// Notes that a path is deleted, with what would have changed in it.
    fn note_deleted(&mut self, path: &Path) {
        self.planned.files.retain(|file| !file.path.starts_with(path));
        self.planned.present.retain(|known| !known.starts_with(path));
        self.planned.absent.insert(path.to_path_buf());
        self.planned.operations.push(TreeJob::Delete(path.to_path_buf()));
    }

    /// Returns the path that a file has now.
    fn path_before(&self, path: &Path) -> PathBuf {
        whole::path_before(path, &self.planned.operations)
    }

    fn is_absent(&self, path: &Path) -> bool {
        let depth = |set: &BTreeSet<PathBuf>| {
            let above = path.ancestors().find(|above| set.contains(*above));
            above.map_or(0, |above| above.components().count())
        };
        depth(&self.planned.absent) > depth(&self.planned.present)
    }

    /// Whether a path would exist after the operations so far.
    async fn exists(&self, path: &Path) -> Result<bool, String> {
        if self.planned.present.contains(path) {
            return Ok(true);
        }
        if self.is_absent(path) {
            return Ok(false);
        }
        let found = self.env.exists(&self.path_before(path)).await;
        found.map_err(|error| format!("{}: {error}", self.name(path)))
    }

    /// Fails for a path that is not below the workspace, with all links resolved, now and before the operations so far: a
    /// folder that is renamed may have links.
    async fn check_in_workspace(&self, path: &Path) -> Result<(), String> {
        let failed = |error: crate::exec::EnvError| error.to_string();
        let root = self.env.resolve(&self.workspace).await.map_err(failed)?;
        for path in [path, &self.path_before(path)] {
            let real = self.env.resolve(path).await.map_err(failed)?;
            if !real.starts_with(&root) || real == root {
                return Err(format!("{} is outside of this folder", self.name(path)));
            }
        }
        Ok(())
    }

    /// Computes the changes of the texts.
    async fn finish(self) -> Result<EditPlan, String> {
        let workspace = self.workspace;
        let (files, operations) = (self.planned.files, self.planned.operations);
        // Those that are saved with what is done to files.
        let saved =
            self.open.iter().filter(|open| !operations.is_empty() && !open.is_unsaved && !open.is_new);
        let saved: BTreeSet<BufferId> = saved.map(|open| open.id).collect();
        let planned = on_thread(move || {
            let mut plan = EditPlan::default();
            for operation in &operations {
                plan.preview.push(operation_line(operation, &workspace));
            }
            for file in files {
                let name = visible(&paths::display(&file.path, &workspace)).into_owned();
                let found =
                    combined(&file.before, &file.edits).map_err(|error| format!("{error}: {name}"))?;
                let (changes, edit_count) = change_set(&file.before, found, file.ending);
                if changes.is_identity() {
                    continue;
                }
                plan.places += edit_count;
                plan.step.files.push(FilePlan {
                    path: file.path,
                    name,
                    before: file.before,
                    changes,
                    edit_count,
                    row_updates: Vec::new(),
                    target: file.target,
                });
            }
            plan.step.operations = operations;
            let texts = preview_texts(&plan.step.files, &saved);
            plan.preview.extend(texts);
            Ok::<_, String>(plan)
        });
        let mut plan = planned.await?;
        for file in std::mem::take(&mut plan.step.files) {
            let name = file.name.clone();
            let file = tasks::check_encoding(file).await.map_err(|reason| format!("{name}: {reason}"))?;
            plan.step.files.push(file);
        }
        Ok(plan)
    }
}

/// Returns what a job does, in a few words.
pub fn operation_line(operation: &TreeJob, workspace: &Path) -> String {
    let name = |path: &Path| visible(&paths::display(path, workspace)).into_owned();
    match operation {
        TreeJob::Create { path, .. } => format!("Create {}", name(path)),
        TreeJob::Move { from, to } => format!("Rename {} to {}", name(from), name(to)),
        TreeJob::Delete(path) => format!("Delete {}", name(path)),
    }
}

/// Returns the lines that change, file by file.
fn preview_texts(files: &[FilePlan], saved: &BTreeSet<BufferId>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut left = PREVIEW_MAX;
    for file in files {
        let open = match &file.target {
            Target::Open(id, _) if saved.contains(id) => " (open, is saved)",
            Target::Open(..) => " (open, stays unsaved)",
            Target::Closed(..) => "",
        };
        lines.push(format!("{}: {}{open}", file.name, pluralize(file.edit_count, "place", "places")));
        let mut after = file.before.clone();
        file.changes.apply(&mut after);
        let compared = diff::lines(&file.before.to_string(), &after.to_string());
        for row in compared.rows.iter().flatten().filter(|row| row.sign != ' ') {
            if left == 0 {
                break;
            }
            left -= 1;
            let text = row.text.replace('\t', "    ");
            lines.push(format!("{} {:>4} {}", row.sign, row.number, visible(text.trim_end_matches('\r'))));
        }
    }
    if left == 0 {
        lines.push("…".to_string());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::LocalEnvironment;
    use crate::lsp::answers::edits::{FileEdits, WorkspaceEdit};
    use crate::lsp::position::{self, Position};

    fn workspace() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (name, text) in [("a", "a\n"), ("b", "b\n"), ("sub/c", "c\n")] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), text).unwrap();
        }
        (folder, root)
    }

    fn insert(path: PathBuf, text: &str) -> EditStep {
        let range = position::Range { start: Position::new(0, 0), end: Position::new(0, 0) };
        let edits = vec![TextEdit { range, text: text.to_string() }];
        EditStep::Text(FileEdits { path, version: None, edits })
    }

    fn create(path: PathBuf, overwrite: bool, ignore_existing: bool) -> EditStep {
        EditStep::Create { path, overwrite, ignore_existing }
    }

    fn rename(from: PathBuf, to: PathBuf, overwrite: bool, ignore_existing: bool) -> EditStep {
        EditStep::Rename { from, to, overwrite, ignore_existing }
    }

    /// The operations, and the new texts by path below the root.
    type Planned = (Vec<TreeJob>, Vec<(String, String)>);

    async fn planned(root: &Path, steps: Vec<EditStep>) -> Result<Planned, String> {
        let env = Arc::new(LocalEnvironment::new(root.to_path_buf(), std::iter::empty()));
        let (edit, versions) = (WorkspaceEdit { steps }, Versions::new());
        let edit = ServerEdit { edit, versions, encoding: Encoding::Utf8 };
        let plan = plan(env, root.to_path_buf(), Vec::new(), edit).await?;
        let texts = plan.step.files.into_iter().map(|file| {
            let mut after = file.before;
            file.changes.apply(&mut after);
            let path = file.path.strip_prefix(root).unwrap().display().to_string();
            (path, after.to_string())
        });
        Ok((plan.step.operations, texts.collect()))
    }

    fn text(path: &str, text: &str) -> (String, String) {
        (path.to_string(), text.to_string())
    }

    #[tokio::test]
    async fn edit_plan_follows_renamed_files_and_folders() {
        let (_folder, root) = workspace();
        let at = |name: &str| root.join(name);
        let steps = vec![
            insert(at("sub/c"), "1"),
            rename(at("sub"), at("new"), false, false),
            insert(at("new/c"), "2"),
            rename(at("a"), at("x"), false, false),
            insert(at("x"), "3"),
        ];
        let (operations, texts) = planned(&root, steps).await.unwrap();
        let moved = |from: &str, to: &str| TreeJob::Move { from: at(from), to: at(to) };
        assert_eq!(operations, [moved("sub", "new"), moved("a", "x")]);
        assert_eq!(texts, [text("new/c", "12c\n"), text("x", "3a\n")]);
        let gone = planned(&root, vec![rename(at("a"), at("x"), false, false), insert(at("a"), "x")]).await;
        assert_eq!(gone, Err("a is gone".to_string()));
    }

    #[tokio::test]
    async fn edit_plan_options_decide_about_files_that_exist() {
        let (_folder, root) = workspace();
        let at = |name: &str| root.join(name);
        let made = TreeJob::Create { path: at("a"), is_folder: false };
        let both = [TreeJob::Delete(at("a")), made];
        let steps = vec![insert(at("a"), "lost"), create(at("a"), true, true), insert(at("a"), "x")];
        let (operations, texts) = planned(&root, steps).await.unwrap();
        assert_eq!((&operations[..], texts), (&both[..], vec![text("a", "x")]), "overwriting wins");
        let over = [TreeJob::Delete(at("b")), TreeJob::Move { from: at("a"), to: at("b") }];
        let (operations, _) = planned(&root, vec![rename(at("a"), at("b"), true, false)]).await.unwrap();
        assert_eq!(operations, over);
        let kept = vec![create(at("a"), false, true), rename(at("a"), at("b"), false, true)];
        assert_eq!(planned(&root, kept).await.unwrap(), (Vec::new(), Vec::new()));
        let missing = |ignore_missing: bool| {
            vec![EditStep::Delete { path: at("none"), recursive: false, ignore_missing }]
        };
        assert_eq!(planned(&root, missing(true)).await.unwrap().0, []);
        for (steps, expected) in [
            (missing(false), "none is gone"),
            (vec![create(at("a"), false, false)], "a exists already"),
            (vec![rename(at("a"), at("b"), false, false)], "b exists already"),
            (vec![rename(at("none"), at("x"), false, false)], "none is gone"),
        ] {
            assert_eq!(planned(&root, steps).await, Err(expected.to_string()));
        }
        let twice = vec![create(at("n"), false, false), create(at("n"), false, false)];
        assert_eq!(planned(&root, twice).await, Err("n exists already".to_string()));
    }

    #[tokio::test]
    async fn edit_plan_stays_in_the_workspace() {
        let (_folder, root) = workspace();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("link")).unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("sub/link")).unwrap();
        std::fs::write(outside.path().join("x"), "x\n").unwrap();
        for steps in [
            vec![insert(root.join("link/x"), "1")],
            vec![create(root.join("link/y"), false, false)],
            vec![rename(root.join("a"), root.join("link/y"), false, false)],
            vec![
                rename(root.join("sub"), root.join("new"), false, false),
                create(root.join("new/link/y"), false, false),
            ],
            vec![EditStep::Delete { path: root.clone(), recursive: true, ignore_missing: false }],
        ] {
            let refused = planned(&root, steps).await.unwrap_err();
            assert!(refused.ends_with("is outside of this folder"), "{refused}");
        }
    }

    #[test]
    fn edit_plan_new_text_gets_the_line_endings_of_the_file() {
        let range = position::Range { start: Position::new(0, 1), end: Position::new(1, 0) };
        let edits = [TextEdit { range, text: "\nx\r\n".to_string() }];
        for (before, ending, expected) in [("a\r\nb", "\r\n", "a\r\nx\r\nb"), ("a\nb", "\n", "a\nx\nb")] {
            let mut text = Text::from(before);
            let (made, count) = changes(&text, &edits, Encoding::Utf16, ending).unwrap();
            made.apply(&mut text);
            assert_eq!((text.to_string().as_str(), count), (expected, 1));
        }
    }
}
