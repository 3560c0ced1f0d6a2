//! Creates, moves and deletes files and folders from the tree: starts the tasks, and updates open files. Must
//! not access the disk.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::file_tree::steps::TREE_STEPS;
use crate::ide::features::file_tree::steps::{self, TreeJob, TreeStep};
use crate::ide::features::files;
use crate::ide::features::files::commands::save_buffer;
use crate::ide::features::files::list::list;
use crate::ide::features::files::save::AfterSave;
use crate::ide::features::reopen::state::REOPEN;
use crate::ide::model::buffers::{Buffer, BufferId, DiskState};

/// Maximum number of steps that can be undone.
const STEPS_MAX: usize = 64;

/// Starts a job; `of` is the step that it undoes.
pub fn start_job(cx: &mut Cx<'_>, job: TreeJob, step: Option<TreeStep>) {
    if cx.state.slots[TREE_STEPS].is_busy {
        return cx.state.set_status("File changes are running already");
    }
    if let TreeJob::Move { from, .. } | TreeJob::Delete(from) = &job {
        let saving = cx.state.buffers.all().iter().find(|buffer| buffer.is_saving && is_below(buffer, from));
        if let Some(buffer) = saving {
            let name = buffer.name();
            cx.state.slots[TREE_STEPS].undoable.extend(step);
            return cx.state.set_status(format!("{name} is being saved; try again"));
        }
    }
    // Restoring a deleted file reconnects the text that stayed open.
    let restores = matches!(step, Some(TreeStep::Deleted(..)));
    if let Some(name) = conflicting_buffer(cx, &job).filter(|_| !restores) {
        cx.state.slots[TREE_STEPS].undoable.extend(step);
        return cx.state.set_error(format!("{name} is open at that path: close it or save it elsewhere"));
    }
    if let TreeJob::Move { from, .. } = &job {
        // Until the job is done neither path is certain: the file must not be checked.
        for buffer in cx.state.buffers.all_mut().iter_mut().filter(|buffer| is_below(buffer, from)) {
            buffer.is_saving = true;
        }
    }
    cx.state.slots[TREE_STEPS].is_busy = true;
    let deleted = cx.state.slots[TREE_STEPS].trash.clone();
    let (what, undo_of) = (job.clone(), step.clone());
    let work = move || steps::perform(&what, undo_of.as_ref(), &deleted);
    cx.tasks.spawn_blocking("file_tree.change", work, move |cx, result| {
        on_done(cx, &job, step, result.unwrap_or_else(|error| Err(io::Error::other(error))));
    });
}

/// Returns the open text, if any, without an existing file at the target path of a move: otherwise two texts
/// would belong to one file. (If a file exists there, nothing is moved anyway.)
fn conflicting_buffer(cx: &Cx<'_>, job: &TreeJob) -> Option<String> {
    let TreeJob::Move { from, to } = job else { return None };
    let buffers = &cx.state.buffers;
    let coming = buffers.all().iter().filter_map(|buffer| {
        let below = buffer.path.as_deref()?.strip_prefix(from).ok()?;
        Some(if below.as_os_str().is_empty() { to.clone() } else { to.join(below) })
    });
    let without = |buffer: &&Buffer| buffer.stamp.is_none() || buffer.disk == DiskState::Deleted;
    let there = |path: &Path| buffers.by_path(path).filter(without).filter(|there| !is_below(there, from));
    std::iter::once(to.clone()).chain(coming).find_map(|path| there(&path).map(Buffer::name))
}

fn is_below(buffer: &Buffer, folder: &Path) -> bool {
    buffer.path.as_deref().is_some_and(|path| path.starts_with(folder))
}

/// Undoes the last step.
pub fn undo(cx: &mut Cx<'_>) {
    if cx.state.slots[TREE_STEPS].is_busy {
        return cx.state.set_status("File changes are running already");
    }
    match cx.state.slots[TREE_STEPS].undoable.pop() {
        Some(step) => start_job(cx, step.inverse(), Some(step)),
        None => cx.state.set_status("No file operation to undo"),
    }
}

/// Handles the end of a job.
fn on_done(cx: &mut Cx<'_>, job: &TreeJob, of: Option<TreeStep>, result: io::Result<PathBuf>) {
    cx.state.slots[TREE_STEPS].is_busy = false;
    let new_path = match result {
        Ok(new_path) => new_path,
        Err(error) => return on_failed(cx, job, of, &error),
    };
    let step = job.finished(&new_path);
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
        let steps = &mut cx.state.slots[TREE_STEPS].undoable;
        steps.push(step);
        if steps.len() > STEPS_MAX {
            steps.remove(0);
        }
    }
    update_open_files(cx, job, &new_path, of.is_none());
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
        resume_saves(cx, from);
    }
    let what = job_message(cx, job);
    let note = of.is_some_and(|step| !keep_for_retry(cx, step, error.kind()));
    let note = if note { "; step skipped" } else { "" };
    cx.state.set_error(format!("Not done: {what}: {reason}{note}"));
}

/// Keeps a step whose undo failed, to be tried once more; returns whether that makes sense. Not for what was
/// created and is in use, what no longer exists, and a second failure: these would only block the steps
/// before.
fn keep_for_retry(cx: &mut Cx<'_>, step: TreeStep, error: ErrorKind) -> bool {
    let steps = &mut cx.state.slots[TREE_STEPS];
    let failed = steps.failed.take();
    let hopeless = matches!(error, ErrorKind::DirectoryNotEmpty | ErrorKind::NotFound);
    if hopeless || failed.as_ref() == Some(&step) {
        return false;
    }
    steps.failed = Some(step.clone());
    steps.undoable.push(step);
    true
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
        TreeJob::Create { path, is_folder } => {
            // Every expanded folder is read again below.
            reveal(cx, path);
            if !is_folder && opens {
                cx.state.note_jump();
                files::open::open(cx, path.clone(), None);
                panes::focus(cx, Focus::Editor);
            }
        }
        TreeJob::Move { from, to } => {
            reveal(cx, to);
            let moved: Vec<BufferId> = cx
                .state
                .buffers
                .all()
                .iter()
                .filter(|buffer| is_below(buffer, from))
                .map(|buffer| buffer.id)
                .collect();
            for id in moved {
                let Some(buffer) = cx.state.buffers.get_mut(id) else { continue };
                change_path(buffer, from, to, new_path);
                files::editorconfig::on_opened(cx, id);
            }
            resume_saves(cx, to);
            cx.state.slots[REOPEN].mark_renamed();
        }
        TreeJob::Delete(path) => {
            // Unsaved text stays open; other files can be restored from the trash.
            let closing =
                cx.state.buffers.all().iter().filter(|buffer| is_below(buffer, path) && !buffer.is_unsaved());
            let closing: Vec<BufferId> = closing.map(|buffer| buffer.id).collect();
            for id in closing {
                cx.state.close_buffer(id);
            }
        }
    }
}

/// An open file is at another path.
fn change_path(buffer: &mut Buffer, from: &Path, to: &Path, real: &Path) {
    let Some(below) = buffer.path.as_deref().and_then(|path| path.strip_prefix(from).ok()) else { return };
    let at = |base: &Path| if below.as_os_str().is_empty() { base.to_path_buf() } else { base.join(below) };
    let (path, real): (PathBuf, PathBuf) = (at(to), at(real));
    (buffer.path, buffer.real) = (Some(path), Some(real));
    buffer.area.per_view.hunks.invalidate();
}

/// Allows saving files again after a move, and runs saves requested in the meantime.
pub fn resume_saves(cx: &mut Cx<'_>, at: &Path) {
    let mut buffer_ids = Vec::new();
    for buffer in cx.state.buffers.all_mut().iter_mut().filter(|buffer| is_below(buffer, at)) {
        buffer.is_saving = false;
        if std::mem::take(&mut buffer.is_save_requested) {
            buffer_ids.push(buffer.id);
        }
    }
    for id in buffer_ids {
        save_buffer(cx, id, AfterSave::Stay, false);
    }
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
