//! Creates, moves and deletes files and folders from the tree: starts the tasks, and updates open files. Must
//! not access the disk.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::feature::{self, JobStep, Prepared};
use crate::ide::core::panes::Focus;
use crate::ide::core::tree_job::TreeJob;
use crate::ide::editor::commands::panes;
use crate::ide::features::file_tree::git_status;
use crate::ide::features::file_tree::steps::{self, Done, TREE_STEPS, TreeStep, Undoable};
use crate::ide::features::files;
use crate::ide::features::files::jobs::FILE_JOBS;
use crate::ide::features::files::list::list;
use crate::ide::features::files::moved;
use crate::ide::model::buffers::{Buffer, BufferId};

/// Why a job cannot be done now.
enum Refusal {
    /// It can be in a moment.
    Later(String),
    Conflict(String),
}

impl Refusal {
    fn show(self, cx: &mut Cx<'_>) {
        match self {
            Self::Later(reason) => cx.state.set_status(reason),
            Self::Conflict(reason) => cx.state.set_error(reason),
        }
    }
}

/// Starts a job once the features were asked about it; `step` is the step that it undoes.
pub fn start_job(cx: &mut Cx<'_>, job: TreeJob, step: Option<TreeStep>) {
    if cx.state.slots[FILE_JOBS].is_busy() {
        return cx.state.set_status("File changes are running already");
    }
    if let Err(refusal) = check(cx, &job, step.as_ref()) {
        cx.state.slots[TREE_STEPS].undoable.extend(step.map(Undoable::Job));
        return refusal.show(cx);
    }
    // What is undone was asked about before.
    if step.is_some() {
        return begin(cx, job, step, None);
    }
    cx.state.slots[FILE_JOBS].is_tree_running = true;
    let done = job.clone();
    let mut rest: Option<JobStep> = Some(Box::new(move |cx, prepared| go_on(cx, done, prepared)));
    for feature in cx.state.catalog.features {
        rest = rest.and_then(|rest| (feature.before_job)(cx, &job, rest));
    }
    if let Some(rest) = rest {
        rest(cx, Prepared::Go { problem: None });
    }
}

/// Goes on with a job after the features were asked about it.
fn go_on(cx: &mut Cx<'_>, job: TreeJob, prepared: Prepared) {
    cx.state.slots[FILE_JOBS].is_tree_running = false;
    match prepared {
        // Texts may have been opened or saved meanwhile.
        Prepared::Go { problem } => match check(cx, &job, None) {
            Ok(()) => begin(cx, job, None, problem),
            Err(refusal) => refusal.show(cx),
        },
        Prepared::Done => open_created(cx, &job),
        Prepared::Canceled => {}
    }
}

/// Fails if open texts are in the way of a job.
fn check(cx: &Cx<'_>, job: &TreeJob, step: Option<&TreeStep>) -> Result<(), Refusal> {
    if let TreeJob::Move { from, .. } | TreeJob::Delete(from) = job
        && let Some(name) = moved::saving(cx.state, from).map(Buffer::name)
    {
        return Err(Refusal::Later(format!("{name} is being saved; try again")));
    }
    // Restoring a deleted file reconnects the text that stayed open.
    let restores = matches!(step, Some(TreeStep::Deleted(..)));
    if let TreeJob::Move { from, to } = job
        && let Some(name) = moved::conflict(cx.state, from, to).filter(|_| !restores).map(Buffer::name)
    {
        let reason = format!("{name} is open at that path: close it or save it elsewhere");
        return Err(Refusal::Conflict(reason));
    }
    Ok(())
}

/// Starts the task of a job. `problem` is what the user should know once it is done.
fn begin(cx: &mut Cx<'_>, job: TreeJob, step: Option<TreeStep>, problem: Option<String>) {
    if let TreeJob::Move { from, .. } = &job {
        moved::pause_saves(cx, from);
    }
    cx.state.slots[FILE_JOBS].is_tree_running = true;
    let deleted = cx.state.slots[TREE_STEPS].trash.clone();
    let (what, undo_of) = (job.clone(), step.clone());
    let work = move || steps::perform(&what, undo_of.as_ref(), &deleted);
    cx.tasks.spawn_blocking("file_tree.change", work, move |cx, result| {
        on_done(cx, &job, step, result.unwrap_or_else(|error| Err(io::Error::other(error))));
        if let Some(problem) = problem {
            let done = std::mem::take(&mut cx.state.status.message);
            cx.state.set_error(format!("{done}. {problem}"));
        }
    });
}

/// Opens a new file, and shows it.
fn open_created(cx: &mut Cx<'_>, job: &TreeJob) {
    if let TreeJob::Create { path, is_folder: false } = job {
        cx.state.note_jump();
        files::open::open(cx, path.clone(), None);
        panes::focus(cx, Focus::Editor);
    }
}

/// Undoes the last step.
pub fn undo(cx: &mut Cx<'_>) {
    if cx.state.slots[FILE_JOBS].is_busy() {
        return cx.state.set_status("File changes are running already");
    }
    match cx.state.slots[TREE_STEPS].undoable.pop() {
        Some(Undoable::Job(step)) => start_job(cx, step.inverse(), Some(step)),
        Some(together @ Undoable::Together { number, undo }) => {
            // The feature that undoes it takes it away.
            cx.state.slots[TREE_STEPS].undoable.push(together);
            undo(cx, number);
        }
        None => cx.state.set_status("No file operation to undo"),
    }
}

/// Handles the end of a job.
fn on_done(cx: &mut Cx<'_>, job: &TreeJob, of: Option<TreeStep>, result: io::Result<Done>) {
    cx.state.slots[FILE_JOBS].is_tree_running = false;
    let done = match result {
        Ok(done) => done,
        Err(error) => return on_failed(cx, job, of, &error),
    };
    let step = TreeStep::of(job, &done);
    let what = job_message(cx, job);
    cx.state.slots[TREE_STEPS].failed = None;
    if of.is_some() {
        cx.state.set_status(format!("Undone: {what}"));
    } else {
        let key = cx
            .state
            .keymap
            .keys_for(crate::ide::core::keys::keymap::KeyContext::Files, "files.undo")
            .unwrap_or_default();
        cx.state.set_status(format!("Done: {what}. Undo: {key} in the tree"));
        cx.state.slots[TREE_STEPS].push(Undoable::Job(step));
    }
    update_open_files(cx, job, &done.path, of.is_none());
    files::events::refresh_tree(cx);
    cx.state.damage.add_all();
}

/// Handles the failure of a job.
fn on_failed(cx: &mut Cx<'_>, job: &TreeJob, of: Option<TreeStep>, error: &io::Error) {
    let reason = match error.kind() {
        ErrorKind::AlreadyExists => "a file is there already".to_string(),
        _ => error.to_string(),
    };
    if let TreeJob::Move { from, .. } = job {
        moved::resume_saves(cx, from);
    }
    let what = job_message(cx, job);
    let note = of.is_some_and(|step| !keep_for_retry(cx, step, error.kind()));
    let note = if note { "; step skipped" } else { "" };
    cx.state.set_error(format!("Not done: {what}: {reason}{note}"));
}

/// Keeps a step whose undo failed, to be tried once more; returns whether that makes sense.
fn keep_for_retry(cx: &mut Cx<'_>, step: TreeStep, error: ErrorKind) -> bool {
    let steps = &mut cx.state.slots[TREE_STEPS];
    let is_kept = steps.may_retry(&step, error);
    if is_kept {
        steps.undoable.push(Undoable::Job(step));
    }
    is_kept
}

/// Returns the message that describes a finished job.
fn job_message(cx: &Cx<'_>, job: &TreeJob) -> String {
    let shown = |path: &Path| cx.state.display_path(path);
    match job {
        TreeJob::Create { path, is_folder: true } => format!("created folder {}", shown(path)),
        TreeJob::Create { path, is_folder: false } => format!("created {}", shown(path)),
        TreeJob::Move { to, .. } => format!("moved to {}", shown(to)),
        TreeJob::Delete(path) => format!("deleted {}", shown(path)),
    }
}

/// Updates open files and the tree after a job; a new file is opened if `opens`.
pub fn update_open_files(cx: &mut Cx<'_>, job: &TreeJob, new_path: &Path, opens: bool) {
    match job {
        TreeJob::Create { path, .. } => {
            // Every expanded folder is read again below.
            reveal(cx, path);
            if opens {
                open_created(cx, job);
            }
        }
        TreeJob::Move { from, to } => {
            reveal(cx, to);
            moved::follow(cx, from, to, new_path);
        }
        TreeJob::Delete(path) => {
            // Unsaved text stays open; other files can be restored from the trash.
            let closing = cx
                .state
                .buffers
                .all()
                .iter()
                .filter(|buffer| moved::is_below(buffer, path) && !buffer.is_unsaved());
            let closing: Vec<BufferId> = closing.map(|buffer| buffer.id).collect();
            for id in closing {
                cx.state.close_buffer(id);
            }
        }
    }
    git_status::invalidate(cx);
    feature::notify_job(cx, job, new_path);
}

/// Expands the tree down to a path, which is selected once it is read. Returns the folders that were not read yet.
fn reveal(cx: &mut Cx<'_>, path: &Path) -> Vec<PathBuf> {
    let root = cx.state.workspace.clone();
    let folders = path.ancestors().skip(1).filter(|folder| folder.starts_with(&root));
    let unread = folders.filter(|folder| cx.state.files.unfold(folder)).map(PathBuf::from).collect();
    cx.state.files.select_when_loaded(path);
    unread
}

/// Selects a file in the tree; reads the folders that lead to it. Returns whether it is in the workspace.
pub fn reveal_file(cx: &mut Cx<'_>, path: &Path) -> bool {
    if !path.starts_with(&cx.state.workspace) {
        return false;
    }
    let mut unread = reveal(cx, path);
    let is_selected = cx.state.files.current().is_some_and(|row| row.path == path);
    if unread.is_empty() && !is_selected {
        // It was created after its folder was read.
        unread.extend(path.parent().map(PathBuf::from));
    }
    for folder in unread {
        list(cx, folder);
    }
    cx.state.damage.add(Part::Files);
    true
}

/// Selects the shown file once it is another one, if the user wants that and sees the tree.
pub fn follow_shown_file(cx: &mut Cx<'_>) {
    let is_wanted = cx.state.display.tree_follow && cx.state.areas.files.is_some();
    let shown = cx.state.buffers.current().and_then(|buffer| buffer.path.clone()).filter(|_| is_wanted);
    let Some(path) = shown.filter(|path| cx.state.slots[TREE_STEPS].followed.as_ref() != Some(path)) else {
        return;
    };
    cx.state.slots[TREE_STEPS].followed = Some(path.clone());
    // With the keys in the tree, its selection is the user's.
    if cx.state.panes.focus != Focus::Files {
        reveal_file(cx, &path);
    }
}
