//! Open texts whose file or folder is moved: they go on at the new path, with their unsaved text and their history. Must not
//! move files.

use std::path::Path;

use crate::base::paths;
use crate::ide::core::context::Cx;
use crate::ide::core::feature::{self, FeatureEvent};
use crate::ide::core::state::State;
use crate::ide::features::files::commands::save_buffer;
use crate::ide::features::files::editorconfig;
use crate::ide::features::files::events::refresh_tree;
use crate::ide::features::files::jobs::{AgentMoves, FILE_JOBS};
use crate::ide::features::files::save::AfterSave;
use crate::ide::model::buffers::{Buffer, BufferId, DiskState};

/// Whether a text belongs to a path, or to one below it.
pub fn is_below(buffer: &Buffer, folder: &Path) -> bool {
    [&buffer.path, &buffer.real].into_iter().flatten().any(|path| path.starts_with(folder))
}

/// Returns the text of a file at or below a path that is being saved, if there is one.
pub fn saving<'s>(state: &'s State, path: &Path) -> Option<&'s Buffer> {
    state.buffers.all().iter().find(|buffer| buffer.is_saving && is_below(buffer, path))
}

/// Returns the open text, if any, without an existing file at the new path of a move: otherwise two texts would belong to
/// one file. (If a file exists there, nothing is moved anyway.)
pub fn conflict<'s>(state: &'s State, from: &Path, to: &Path) -> Option<&'s Buffer> {
    let buffers = &state.buffers;
    let coming = buffers.all().iter().filter_map(|buffer| paths::moved(buffer.path.as_deref()?, from, to));
    let without = |buffer: &&Buffer| buffer.stamp.is_none() || buffer.disk == DiskState::Deleted;
    let there = |path: &Path| buffers.by_path(path).filter(without).filter(|there| !is_below(there, from));
    std::iter::once(to.to_path_buf()).chain(coming).find_map(|path| there(&path))
}

/// Until a move is done no path is certain: the files below must not be checked or saved.
pub fn pause_saves(cx: &mut Cx<'_>, from: &Path) {
    for buffer in cx.state.buffers.all_mut().iter_mut().filter(|buffer| is_below(buffer, from)) {
        buffer.is_saving = true;
    }
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

/// A move is done: open texts belong to the new path, which is `real` with its links resolved.
pub fn follow(cx: &mut Cx<'_>, from: &Path, to: &Path, real: &Path) {
    let is_moved = |buffer: &&Buffer| is_below(buffer, from);
    let moved: Vec<BufferId> =
        cx.state.buffers.all().iter().filter(is_moved).map(|buffer| buffer.id).collect();
    for id in &moved {
        let Some(buffer) = cx.state.buffers.get_mut(*id) else { continue };
        // A text that was opened through a link keeps that name: the link is where it was.
        for (path, there) in [(&mut buffer.real, real), (&mut buffer.path, to)] {
            if let Some(moved) = path.as_deref().and_then(|path| paths::moved(path, from, there)) {
                *path = Some(moved);
            }
        }
        buffer.area.per_view.hunks.invalidate();
        editorconfig::on_opened(cx, *id);
    }
    resume_saves(cx, to);
    if !moved.is_empty() {
        feature::notify(cx, FeatureEvent::TextsMoved);
    }
}

/// The agent is about to move files. Fails with the reason if a job of the user on files runs: its paths would be others then.
/// No other one begins as long as the result is held.
pub fn lock(state: &State) -> Result<AgentMoves, String> {
    let jobs = &state.slots[FILE_JOBS];
    if jobs.is_user_busy() {
        return Err("the user is moving or deleting files; try again in a moment".to_string());
    }
    Ok(jobs.begin_agent_moves())
}

/// The agent is about to move a file or folder. Fails with the reason if a job of the user on files runs, or open texts are in
/// the way.
pub fn begin(cx: &mut Cx<'_>, from: &Path, to: &Path) -> Result<AgentMoves, String> {
    let lock = lock(cx.state)?;
    if let Some(name) = saving(cx.state, from).map(Buffer::name) {
        return Err(format!("{name} is being saved"));
    }
    if let Some(name) = conflict(cx.state, from, to).map(Buffer::name) {
        return Err(format!("{name} is open at {}", to.display()));
    }
    pause_saves(cx, from);
    Ok(lock)
}

/// The agent has moved it to the path `real`, links resolved, or (`None`) could not.
pub fn end(cx: &mut Cx<'_>, from: &Path, to: &Path, real: Option<&Path>) {
    match real {
        Some(real) => {
            follow(cx, from, to, real);
            refresh_tree(cx);
            feature::notify_disk_move(cx, from, to);
        }
        None => resume_saves(cx, from),
    }
    cx.state.damage.add_all();
}
