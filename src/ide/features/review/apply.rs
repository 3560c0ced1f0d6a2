//! Rejects hunks and undoes decisions: in an open file by a transaction, which is one step of its undo tree, else by a
//! write of the file in the state that was compared. Files are written one after the other.
//!
//! A file that has changed since is left unchanged: it is marked outdated and compared again.

use std::path::PathBuf;
use std::sync::Arc;

use crate::base::plural::pluralize;
use crate::exec::{EnvError, Environment, Stamp};
use crate::ide::core::context::{Cx, TaskError};
use crate::ide::core::feature::DiskChange;
use crate::ide::features::files;
use crate::ide::features::files::save::{self, AfterSave};
use crate::ide::features::review::file::{Body, Compared, Reverted, ReviewedFile};
use crate::ide::features::review::message::Remark;
use crate::ide::features::review::state::{REVIEW, RemarkId};
use crate::ide::features::review::{compute, events, marks};
use crate::ide::model::buffers::{BufferId, DiskState};
use crate::text::changes::ChangeSet;
use crate::text::transaction::Transaction;
use crate::workspace::checkpoint::Name;

/// A change of a file that waits for its turn.
#[derive(Debug)]
pub enum Job {
    /// Reject the hunks of these keys.
    Reject(Name, Vec<u64>),
    /// Undo a decision.
    Undo(Box<UndoStep>),
}

/// A decision that can be undone.
#[derive(Debug, Clone)]
pub struct UndoStep {
    /// The file.
    pub name: Name,
    /// What was done.
    pub action: Action,
    /// The remarks as they were before.
    pub remarks: Vec<(RemarkId, Option<Remark>)>,
}

/// What a decision did.
#[derive(Debug, Clone)]
pub enum Action {
    /// It accepted these hunks.
    Accepted(Vec<u64>),
    /// It commented.
    Commented,
    /// It changed an open text, which has this version since.
    Edited {
        /// The buffer.
        buffer: BufferId,
        /// The version after the change.
        version: u64,
        /// Whether the text was saved then.
        is_saved: bool,
    },
    /// It wrote or removed a file.
    Written {
        /// The file.
        path: PathBuf,
        /// Its content before; `None` if it did not exist.
        before: Option<Arc<[u8]>>,
        /// Its state since.
        stamp: Stamp,
    },
}

/// Adds a job, and starts it if no other one is running.
pub fn add_job(cx: &mut Cx<'_>, job: Job) {
    cx.state.slots[REVIEW].jobs.push_back(job);
    run_jobs(cx);
}

fn run_jobs(cx: &mut Cx<'_>) {
    while !cx.state.slots[REVIEW].is_writing {
        match cx.state.slots[REVIEW].jobs.pop_front() {
            Some(Job::Reject(name, keys)) => reject(cx, &name, &keys),
            Some(Job::Undo(step)) => undo(cx, *step),
            None => return,
        }
    }
}

fn reject(cx: &mut Cx<'_>, name: &Name, keys: &[u64]) {
    let review = &cx.state.slots[REVIEW];
    let Some(file) = review.index_of(name).map(|at| &review.files[at]) else {
        return refuse_outdated(cx, name, "Not rejected");
    };
    let hunks: Vec<usize> = keys.iter().filter_map(|key| file.keys.iter().position(|k| k == key)).collect();
    if hunks.len() != keys.len() || file.is_outdated {
        return refuse_outdated(cx, name, "Not rejected");
    }
    let (file, reverted) = (file.clone(), file.without(&hunks));
    let content = match &reverted.content {
        Ok(content) => content.clone(),
        Err(error) => return cx.state.set_error(format!("Not rejected: {error}")),
    };
    match (file.compared.clone(), reverted.changes.clone(), content) {
        (Compared::Open(id, version), Some(changes), Some(_)) => {
            edit_buffer(cx, (id, version), (changes, hunks), (file, reverted.file));
        }
        (Compared::Open(id, version), _, content) => {
            let is_same = |cx: &mut Cx<'_>| {
                let buffer = cx.state.buffers.get_mut(id)?;
                let is_same = buffer.area.document.version() == version && !buffer.is_unsaved();
                buffer.stamp.clone().filter(|_| is_same)
            };
            match is_same(cx) {
                Some(stamp) => write(cx, (file, hunks), reverted, content, stamp),
                None => cx.state.set_error(format!("Not rejected: {name} is not saved")),
            }
        }
        (Compared::Disk(stamp), _, content) => {
            if stamp == Stamp::missing() && matches!(file.body, Body::Other(_)) && file.letter != 'D' {
                return cx
                    .state
                    .set_error(format!("Not rejected: {name} is not a regular file, or too large"));
            }
            write(cx, (file, hunks), reverted, content, stamp);
        }
    }
}

/// Marks a file outdated, and compares it again.
fn refuse_outdated(cx: &mut Cx<'_>, name: &Name, what: &str) {
    let review = &mut cx.state.slots[REVIEW];
    if let Some(at) = review.index_of(name) {
        review.files[at].is_outdated = true;
    }
    cx.state.set_error(format!("{what}: {name} has changed since. Comparing again"));
    cx.state.damage.add_all();
    compute::start(cx);
}

fn edit_buffer(
    cx: &mut Cx<'_>,
    (id, version): (BufferId, u64),
    (changes, hunks): (ChangeSet, Vec<usize>),
    (file, left): (ReviewedFile, ReviewedFile),
) {
    let now_ms = cx.now_ms;
    let buffer = cx.state.buffers.get_mut(id).filter(|buffer| buffer.loading.is_none());
    let Some(buffer) = buffer.filter(|buffer| buffer.area.document.version() == version) else {
        return refuse_outdated(cx, &file.name, "Not rejected");
    };
    if buffer.disk != DiskState::Same {
        return cx.state.set_error(format!("Not rejected: {} differs on disk. Reload it first", file.name));
    }
    if let Some(reason) = buffer.read_only() {
        return cx.state.set_error(format!("Not rejected: {reason}"));
    }
    let is_saved = !buffer.is_unsaved();
    let path = buffer.path.clone();
    buffer.area.document.seal();
    buffer.area.apply_external(Transaction::new(changes), now_ms);
    buffer.area.document.seal();
    let version = buffer.area.document.version();
    let left = ReviewedFile { compared: Compared::Open(id, version), ..left };
    on_rejected(cx, (&file, &hunks), left, Action::Edited { buffer: id, version, is_saved });
    // Commands of the agent are to see it; unsaved changes of the user stay unsaved.
    match path.filter(|_| is_saved) {
        Some(path) => save::save_to(cx, id, path, AfterSave::Stay, false),
        None => cx.state.set_status(format!("Rejected in the editor; {} is not saved", file.name)),
    }
}

/// Writes or removes a file in a task.
fn write(
    cx: &mut Cx<'_>,
    (file, hunks): (ReviewedFile, Vec<usize>),
    reverted: Reverted,
    content: Option<Arc<[u8]>>,
    stamp: Stamp,
) {
    cx.state.slots[REVIEW].is_writing = true;
    let (env, path) = (cx.env.clone(), file.path.clone());
    let work = async move { replace(&*env, path, content, stamp, true).await };
    cx.tasks.spawn("review.reject", work, move |cx, written| {
        cx.state.slots[REVIEW].is_writing = false;
        let name = file.name.clone();
        match flatten(&file.path, written) {
            Ok((before, stamp)) => {
                let action = Action::Written { path: file.path.clone(), before, stamp: stamp.clone() };
                let left = ReviewedFile { compared: Compared::Disk(stamp.clone()), ..reverted.file };
                if let Compared::Open(id, _) = file.compared
                    && stamp == Stamp::missing()
                {
                    // The text was as saved, and undoing writes it again. What was typed meanwhile stays.
                    let is_saved = cx.state.buffers.get_mut(id).is_some_and(|buffer| !buffer.is_unsaved());
                    if is_saved {
                        cx.state.close_buffer(id);
                    }
                }
                on_rejected(cx, (&file, &hunks), left, action);
                on_written(cx, &file.path);
            }
            Err(EnvError::Stale(_)) => refuse_outdated(cx, &name, "Not rejected"),
            Err(error) => cx.state.set_error(format!("Not rejected: {error}")),
        }
        run_jobs(cx);
    });
}

type Written = Result<(Option<Arc<[u8]>>, Stamp), EnvError>;

fn flatten(path: &std::path::Path, written: Result<Written, TaskError>) -> Written {
    written.unwrap_or_else(|TaskError::Panicked(message)| Err(EnvError::internal(path, message)))
}

/// Replaces a file in this state; returns its content before, if that is needed, and its new state.
async fn replace(
    env: &dyn Environment,
    path: PathBuf,
    content: Option<Arc<[u8]>>,
    stamp: Stamp,
    reads: bool,
) -> Written {
    let before = if reads && stamp != Stamp::missing() {
        let data = env.read(&path).await.map_err(|error| match error {
            EnvError::NotFound(path) => EnvError::Stale(path),
            error => error,
        })?;
        if data.stamp != stamp {
            return Err(EnvError::Stale(path));
        }
        Some(data.bytes.into())
    } else {
        None
    };
    let stamp = match content {
        Some(bytes) => env.write(&path, bytes.to_vec(), Some(stamp)).await?,
        None if stamp == Stamp::missing() => stamp,
        None => {
            env.remove(&path, Some(stamp)).await?;
            Stamp::missing()
        }
    };
    Ok((before, stamp))
}

/// Shows a file written by the review where it is open or listed.
fn on_written(cx: &mut Cx<'_>, path: &std::path::Path) {
    files::events::on_agent_change(cx, path, DiskChange::Changed);
    files::events::refresh_tree(cx);
    files::disk::check_disk(cx);
}

fn on_rejected(
    cx: &mut Cx<'_>,
    (file, hunks): (&ReviewedFile, &[usize]),
    left: ReviewedFile,
    action: Action,
) {
    let review = &mut cx.state.slots[REVIEW];
    review.writes += 1;
    let mut remarks = Vec::new();
    for hunk in hunks {
        let before = review.remark_on(file, *hunk, |remark| remark.is_rejected = true);
        remarks.push(((file.name.clone(), file.keys[*hunk]), before));
    }
    if let Some(at) = review.index_of(&file.name) {
        if left.keys.is_empty() {
            review.files.remove(at);
        } else {
            review.files[at] = left;
        }
    }
    review.update_totals();
    review.undo.push(UndoStep { name: file.name.clone(), action, remarks });
    let undo = cx.state.keymap.keys_for(cx.state.key_context(), "review.undo");
    let undo = undo.unwrap_or_else(|| cx.state.how_to("review.undo"));
    cx.state.set_status(format!("Rejected {}. Undo: {undo}", pluralize(hunks.len(), "hunk", "hunks")));
    marks::mark_open_files(cx);
    events::on_compared(cx);
    cx.state.damage.add_all();
}

fn undo(cx: &mut Cx<'_>, step: UndoStep) {
    let kept = step.clone();
    let UndoStep { name, action, remarks } = step;
    match action {
        Action::Accepted(keys) => {
            cx.state.slots[REVIEW].set_accepted(&name, &keys, false);
            finish_undo(cx, remarks, "Acceptance undone");
        }
        Action::Commented => finish_undo(cx, remarks, "Comment removed"),
        Action::Edited { buffer: id, version, is_saved } => {
            let buffer = cx.state.buffers.get_mut(id);
            let Some(buffer) = buffer.filter(|buffer| buffer.area.document.version() == version) else {
                return cx
                    .state
                    .set_error(format!("Not undone: {name} was edited since. Undo it in the editor"));
            };
            buffer.area.undo();
            let path = buffer.path.clone().filter(|_| is_saved);
            cx.state.slots[REVIEW].writes += 1;
            finish_undo(cx, remarks, "Rejection undone");
            if let Some(path) = path {
                save::save_to(cx, id, path, AfterSave::Stay, false);
            }
            compute::start(cx);
        }
        Action::Written { path, before, stamp } => {
            cx.state.slots[REVIEW].is_writing = true;
            let (env, file) = (cx.env.clone(), path.clone());
            let work = async move { replace(&*env, file, before, stamp, false).await };
            cx.tasks.spawn("review.undo", work, move |cx, written| {
                cx.state.slots[REVIEW].is_writing = false;
                match flatten(&path, written) {
                    Ok(_) => {
                        cx.state.slots[REVIEW].writes += 1;
                        finish_undo(cx, remarks, "Rejection undone");
                        on_written(cx, &path);
                        compute::start(cx);
                    }
                    Err(error) => {
                        // It holds the only copy of what was there.
                        cx.state.slots[REVIEW].undo.push(kept);
                        match error {
                            EnvError::Stale(_) => refuse_outdated(cx, &name, "Not undone"),
                            error => cx.state.set_error(format!("Not undone: {error}")),
                        }
                    }
                }
                run_jobs(cx);
            });
        }
    }
}

fn finish_undo(cx: &mut Cx<'_>, remarks: Vec<(RemarkId, Option<Remark>)>, message: &str) {
    for (id, before) in remarks {
        cx.state.slots[REVIEW].set_remark(id, before);
    }
    cx.state.set_status(message);
    cx.state.damage.add_all();
}
