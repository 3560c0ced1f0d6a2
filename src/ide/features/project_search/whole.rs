//! Applies a step over many files as a whole or not at all, with files that are created, renamed or deleted before their
//! texts change. It is undone like a list's step. Open texts are changed on the event loop, after everything on the disk
//! has succeeded; if anything fails, what was done is undone. Must not know who wants the step.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::ready;
use futures::{StreamExt, stream};

use crate::base::paths;
use crate::exec::Environment;
use crate::ide::core::context::{Cx, TaskError};
use crate::ide::core::state::State;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::core::tree_job::TreeJob;
use crate::ide::features::file_tree::events::update_open_files;
use crate::ide::features::file_tree::git_status;
use crate::ide::features::file_tree::steps::{self, Done, TREE_STEPS, TreeStep};
use crate::ide::features::files::commands::save_buffer;
use crate::ide::features::files::events::refresh_tree;
use crate::ide::features::files::jobs::FILE_JOBS;
use crate::ide::features::files::moved::{self, is_below};
use crate::ide::features::files::save::AfterSave;
use crate::ide::features::project_search::apply::{changed_file, push_applied};
use crate::ide::features::project_search::job::{FilePlan, Target};
use crate::ide::features::project_search::steps::{REPLACEMENTS, RunningStep};
use crate::ide::features::project_search::tasks;
use crate::ide::model::buffers::{Buffer, BufferId, DiskState};
use crate::text::transaction::Transaction;

/// A step that is applied as a whole or not at all.
#[derive(Debug, Default)]
pub struct WholeStep {
    /// Files and folders to create, rename and delete first, in order.
    pub operations: Vec<TreeJob>,
    /// Texts to change then, at their paths after the operations.
    pub files: Vec<FilePlan>,
}

/// Called once it is applied, or with the reason why nothing was changed.
type Then = Box<dyn FnOnce(&mut Cx<'_>, Result<(), String>) + Send>;

/// What was done on the disk.
#[derive(Default)]
struct Performed {
    /// The operations, each with the path that came of it.
    operations: Vec<(TreeJob, Done)>,
    /// The changes that undo what was written.
    inverses: Vec<FilePlan>,
}

/// Applies a step; the user can undo it as one.
pub fn apply(
    cx: &mut Cx<'_>,
    step: WholeStep,
    done: impl FnOnce(&mut Cx<'_>, Result<(), String>) + Send + 'static,
) {
    let done: Then = Box::new(done);
    if cx.state.slots[REPLACEMENTS].is_busy() || cx.state.slots[FILE_JOBS].is_busy() {
        return done(cx, Err("file changes are running already".to_string()));
    }
    if let Err(reason) = check(cx.state, &step) {
        return done(cx, Err(reason));
    }
    let is_closed = |file: &&FilePlan| matches!(file.target, Target::Closed(..));
    let closed: Vec<FilePlan> = step.files.iter().filter(is_closed).cloned().collect();
    if closed.is_empty() && step.operations.is_empty() {
        edit_open_texts(cx, &step, &Performed::default());
        return done(cx, Ok(()));
    }
    cx.state.slots[REPLACEMENTS].running = Some(RunningStep::default());
    cx.state.slots[FILE_JOBS].is_together_running = !step.operations.is_empty();
    pause_saves(cx, &step.operations);
    let (env, trash) = (cx.env.clone(), cx.state.slots[TREE_STEPS].trash.clone());
    let operations = step.operations.clone();
    let work = async move { perform(&env, &trash, operations, closed).await };
    cx.tasks.spawn("project_search.apply-whole", work, move |cx, result| {
        let result = result.unwrap_or_else(|error| Err(error.to_string()));
        match result.map(|performed| (check_texts(cx.state, &step), performed)) {
            Ok((Ok(()), performed)) => {
                cx.state.slots[REPLACEMENTS].running = None;
                cx.state.slots[FILE_JOBS].is_together_running = false;
                edit_open_texts(cx, &step, &performed);
                done(cx, Ok(()));
            }
            // The user has typed meanwhile.
            Ok((Err(reason), performed)) => undo_performed(cx, step, performed, reason, done),
            Err(reason) => {
                end(cx, &step);
                done(cx, Err(reason));
            }
        }
    });
}

/// Until the operations are done no path of a moved file is certain: the file must not be checked or saved.
fn pause_saves(cx: &mut Cx<'_>, operations: &[TreeJob]) {
    for operation in operations {
        let TreeJob::Move { from, .. } = operation else { continue };
        moved::pause_saves(cx, from);
    }
}

/// Ends a step that has changed nothing.
fn end(cx: &mut Cx<'_>, step: &WholeStep) {
    cx.state.slots[REPLACEMENTS].running = None;
    cx.state.slots[FILE_JOBS].is_together_running = false;
    for operation in &step.operations {
        if let TreeJob::Move { from, .. } = operation {
            moved::resume_saves(cx, from);
        }
    }
    cx.state.damage.add_all();
}

/// Undoes what was done on the disk, because an open text cannot be changed.
fn undo_performed(cx: &mut Cx<'_>, step: WholeStep, performed: Performed, reason: String, done: Then) {
    let (env, trash) = (cx.env.clone(), cx.state.slots[TREE_STEPS].trash.clone());
    let work = async move { roll_back(&env, &trash, performed).await };
    cx.tasks.spawn("project_search.roll-back", work, move |cx, problems| {
        end(cx, &step);
        let problems = problems.unwrap_or_else(|error| vec![error.to_string()]);
        done(cx, Err(with_problems(reason, &problems)));
    });
}

fn with_problems(reason: String, problems: &[String]) -> String {
    if problems.is_empty() { reason } else { format!("{reason}; not undone: {}", problems.join(", ")) }
}

/// Returns the path that a file has before the operations.
pub fn path_before(path: &Path, operations: &[TreeJob]) -> PathBuf {
    operations.iter().rev().fold(path.to_path_buf(), |path, operation| match operation {
        TreeJob::Move { from, to } => paths::moved(&path, to, from).unwrap_or(path),
        _ => path,
    })
}

/// Fails with the reason why a step cannot be applied now.
fn check(state: &State, step: &WholeStep) -> Result<(), String> {
    check_texts(state, step)?;
    for file in &step.files {
        let is_closed = matches!(file.target, Target::Closed(..));
        let before = path_before(&file.path, &step.operations);
        if is_closed && state.buffers.by_path(&before).is_some() {
            return Err(format!("{} was opened meanwhile", file.name));
        }
    }
    let buffers = state.buffers.all();
    for operation in &step.operations {
        let conflict = match operation {
            TreeJob::Move { from, to } => {
                let saving = buffers.iter().find(|buffer| buffer.is_saving && is_below(buffer, from));
                let there = buffers.iter().find(|buffer| is_below(buffer, to));
                let saving = saving.map(|buffer| format!("{} is being saved", buffer.name()));
                saving.or_else(|| there.map(|buffer| format!("{} is open at the new path", buffer.name())))
            }
            TreeJob::Create { path, .. } => {
                let there = buffers.iter().find(|buffer| is_below(buffer, path));
                there.map(|buffer| format!("{} is open already", buffer.name()))
            }
            TreeJob::Delete(path) => {
                let mut unsaved = state.buffers.unsaved().filter(|buffer| is_below(buffer, path));
                unsaved.next().map(|buffer| format!("{} has unsaved changes", buffer.name()))
            }
        };
        if let Some(conflict) = conflict {
            return Err(conflict);
        }
    }
    Ok(())
}

/// Fails if an open text is not as it was when the step was computed.
fn check_texts(state: &State, step: &WholeStep) -> Result<(), String> {
    for file in &step.files {
        let Target::Open(id, version) = file.target else { continue };
        let buffer = state.buffers.all().iter().find(|buffer| buffer.id == id);
        let Some(buffer) = buffer.filter(|buffer| buffer.area.document.version() == version) else {
            return Err(format!("the text has changed: {}", file.name));
        };
        if let Some(reason) = buffer.read_only() {
            return Err(format!("{}: {reason}", file.name));
        }
    }
    Ok(())
}

/// Changes the open texts, and keeps the step to be undone.
fn edit_open_texts(cx: &mut Cx<'_>, step: &WholeStep, performed: &Performed) {
    let now_ms = cx.now_ms;
    let (mut files, mut saves) = (Vec::new(), Vec::new());
    for file in &step.files {
        let revision = match file.target {
            Target::Open(id, _) => cx.state.buffers.get_mut(id).map(|buffer| {
                if !step.operations.is_empty() && is_saved(buffer) {
                    saves.push(id);
                }
                buffer.area.document.seal();
                buffer.area.apply_external(Transaction::new(file.changes.clone()), now_ms);
                buffer.area.document.seal();
                (id, buffer.area.document.history().current())
            }),
            Target::Closed(..) => None,
        };
        files.push(changed_file(file, revision));
    }
    let operations: Vec<TreeStep> =
        performed.operations.iter().map(|(job, done)| TreeStep::of(job, done)).collect();
    update_files(cx, &performed.operations);
    git_status::invalidate(cx);
    push_applied(cx, None, files, operations);
    save_all(cx, saves);
    cx.state.damage.add_all();
}

/// Whether a text is what its file is, as far as is known.
pub fn is_saved(buffer: &Buffer) -> bool {
    !buffer.is_unsaved() && buffer.stamp.is_some() && buffer.disk == DiskState::Same
}

/// Saves open files that were saved before a step. Files on the disk fit together only with them: what reads the disk, such as
/// a server or a compiler, would find a file that is gone.
pub fn save_all(cx: &mut Cx<'_>, saves: Vec<BufferId>) {
    for id in saves {
        save_buffer(cx, id, AfterSave::Quiet, false);
    }
}

/// Updates open files and the tree after operations on files.
fn update_files(cx: &mut Cx<'_>, operations: &[(TreeJob, Done)]) {
    for (job, done) in operations {
        update_open_files(cx, job, &done.path, false);
    }
    if !operations.is_empty() {
        refresh_tree(cx);
    }
}

/// Performs operations and writes files. After a failure all of it is undone.
async fn perform(
    env: &Arc<dyn Environment>,
    trash: &Path,
    operations: Vec<TreeJob>,
    files: Vec<FilePlan>,
) -> Result<Performed, String> {
    let mut performed = Performed::default();
    match perform_all(env, trash, operations, files, &mut performed).await {
        Ok(()) => Ok(performed),
        Err(reason) => {
            let problems = roll_back(env, trash, performed).await;
            Err(with_problems(reason, &problems))
        }
    }
}

async fn perform_all(
    env: &Arc<dyn Environment>,
    trash: &Path,
    operations: Vec<TreeJob>,
    files: Vec<FilePlan>,
    performed: &mut Performed,
) -> Result<(), String> {
    for job in operations {
        let done = run_job(&job, None, trash).await.map_err(|error| job_problem(&job, &error))?;
        performed.operations.push((job, done));
    }
    let has_failed = AtomicBool::new(false);
    // After a failure no further one is begun; those that are under way are done.
    let files = stream::iter(files).take_while(|_| ready(!has_failed.load(Ordering::Relaxed)));
    let mut writes = files.map(|file| write_closed(env, file)).buffer_unordered(tasks::WRITES_AT_ONCE);
    let mut result = Ok(());
    while let Some(written) = writes.next().await {
        match written {
            Ok(inverse) => performed.inverses.extend(inverse),
            Err(reason) => {
                has_failed.store(true, Ordering::Relaxed);
                result = result.and(Err(reason));
            }
        }
    }
    result
}

/// Writes a file that is not open; returns the change that undoes it.
async fn write_closed(env: &Arc<dyn Environment>, file: FilePlan) -> Result<Option<FilePlan>, String> {
    let Target::Closed(_, format) = file.target else { return Ok(None) };
    let name = file.name.clone();
    let inverse = FilePlan { changes: file.changes.invert(&file.before), ..file.clone() };
    let mut after = file.before.clone();
    file.changes.apply(&mut after);
    let stamp = tasks::write(&**env, file).await.map_err(|error| format!("{name}: {error}"))?;
    Ok(Some(FilePlan { before: after, target: Target::Closed(stamp, format), ..inverse }))
}

async fn run_job(job: &TreeJob, of: Option<TreeStep>, trash: &Path) -> io::Result<Done> {
    let (work, trash) = (job.clone(), trash.to_path_buf());
    on_thread(move || steps::perform(&work, of.as_ref(), &trash)).await
}

/// Returns the message about a job that has failed.
fn job_problem(job: &TreeJob, error: &io::Error) -> String {
    let (TreeJob::Create { path, .. } | TreeJob::Move { to: path, .. } | TreeJob::Delete(path)) = job;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    format!("{name}: {error}")
}

/// Undoes what was done on the disk; returns messages about what could not be undone.
async fn roll_back(env: &Arc<dyn Environment>, trash: &Path, performed: Performed) -> Vec<String> {
    let mut problems = Vec::new();
    for file in performed.inverses.into_iter().rev() {
        let name = file.name.clone();
        if let Err(error) = tasks::write(&**env, file).await {
            problems.push(format!("{name}: {error}"));
        }
    }
    let steps = performed.operations.iter().map(|(job, done)| TreeStep::of(job, done)).collect();
    problems.extend(undo_steps(trash, steps).await.problems);
    problems
}

/// What came of the undo of operations.
#[derive(Default)]
struct Undone {
    /// The jobs that were done, each with the path that came of it.
    done: Vec<(TreeJob, Done)>,
    /// The steps that could not be undone, the last one first, and why.
    failed: Vec<(TreeStep, ErrorKind)>,
    /// Messages about these.
    problems: Vec<String>,
}

/// Undoes operations, the last one first.
async fn undo_steps(trash: &Path, steps: Vec<TreeStep>) -> Undone {
    let mut undone = Undone::default();
    for step in steps.into_iter().rev() {
        let job = step.inverse();
        match run_job(&job, Some(step.clone()), trash).await {
            Ok(done) => undone.done.push((job, done)),
            Err(error) => {
                undone.problems.push(job_problem(&job, &error));
                undone.failed.push((step, error.kind()));
            }
        }
    }
    undone
}

/// Checks whether the operations of a step can be undone, before its texts are; then calls `then`. If one cannot, nothing is
/// undone at first, and when the user tries once more, what can be is.
pub fn check_undo(
    cx: &mut Cx<'_>,
    operations: Vec<TreeStep>,
    texts: Vec<PathBuf>,
    then: impl FnOnce(&mut Cx<'_>) + Send + 'static,
) {
    cx.state.slots[REPLACEMENTS].running = Some(RunningStep::default());
    cx.state.slots[FILE_JOBS].is_together_running = true;
    let work = move || steps::check_undo(&operations, &texts);
    cx.tasks.spawn_blocking("project_search.check-undo", work, move |cx, result| {
        cx.state.slots[REPLACEMENTS].running = None;
        cx.state.slots[FILE_JOBS].is_together_running = false;
        cx.state.damage.add_all();
        match result {
            Ok(Ok(())) => then(cx),
            Ok(Err((step, error))) => {
                let known = &mut cx.state.slots[TREE_STEPS].failed;
                if known.as_ref() == Some(&step) {
                    return then(cx);
                }
                *known = Some(step.clone());
                let problem = job_problem(&step.inverse(), &error);
                cx.state.set_error(format!("Not undone: {problem}. Undo again to undo the rest"));
            }
            Err(error) => cx.state.set_error(format!("Not undone: {error}")),
        }
    });
}

/// Undoes the operations of a step whose texts were undone; saves open files after that.
pub fn undo_operations(cx: &mut Cx<'_>, operations: Vec<TreeStep>, saves: Vec<BufferId>) {
    let jobs: Vec<TreeJob> = operations.iter().rev().map(TreeStep::inverse).collect();
    cx.state.slots[REPLACEMENTS].running = Some(RunningStep::default());
    cx.state.slots[FILE_JOBS].is_together_running = true;
    pause_saves(cx, &jobs);
    let trash = cx.state.slots[TREE_STEPS].trash.clone();
    let all = operations.clone();
    let work = async move { undo_steps(&trash, operations).await };
    cx.tasks.spawn("project_search.undo-operations", work, move |cx, result| {
        // Which of them were undone before a panic is checked when that is tried again.
        let failed = |error: TaskError| Undone {
            failed: all.into_iter().rev().map(|step| (step, ErrorKind::Other)).collect(),
            problems: vec![error.to_string()],
            ..Undone::default()
        };
        let undone = result.unwrap_or_else(failed);
        // Saves that were requested meanwhile are for the paths after it.
        update_files(cx, &undone.done);
        end(cx, &WholeStep { operations: jobs, files: Vec::new() });
        save_all(cx, saves);
        if undone.problems.is_empty() {
            cx.state.slots[TREE_STEPS].failed = None;
        } else {
            keep_failed(cx, undone.failed, &undone.problems);
        }
        cx.state.damage.add_all();
    });
}

/// Keeps the operations that could not be undone as a step, to be tried once more if that makes sense.
fn keep_failed(cx: &mut Cx<'_>, failed: Vec<(TreeStep, ErrorKind)>, problems: &[String]) {
    let first = failed.iter().find(|(_, kind)| !steps::is_hopeless(*kind));
    let is_kept = first.is_some_and(|(step, kind)| cx.state.slots[TREE_STEPS].may_retry(step, *kind));
    let note = if is_kept { "" } else { "; step skipped" };
    cx.state.set_error(format!("Not undone: {}{note}", problems.join(", ")));
    if is_kept {
        let operations = failed.into_iter().rev().map(|(step, _)| step).collect();
        push_applied(cx, None, Vec::new(), operations);
    }
}
