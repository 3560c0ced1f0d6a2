//! Undo reaches beyond the program: the tree of a file is kept when it is saved or closed, and
//! taken up when the file is opened as it was left.
//!
//! Must not touch the disk; what is to be kept or found is asked for, and `ide::features::undo_store::store` does
//! it.

use crate::ide::core::context::Cx;
use crate::ide::core::effect::Effect;
use crate::ide::core::state::State;
use crate::ide::features::undo_store::store::{Found, UndoJob};
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::text::archive::Unusable;
use crate::text::history::RevisionId;

/// Trees of longer texts are not kept, in bytes: each is read whole to be sure of it.
const TEXT_MAX: usize = 64 << 20;

/// A file was opened: is its tree kept?
pub fn opened(cx: &mut Cx<'_>, id: BufferId) {
    // A text that was edited already is not the one that the file holds.
    let is_as_read =
        |buffer: &&mut Buffer| buffer.stamp.is_some() && buffer.area.document.history().is_empty();
    let Some(buffer) = cx.state.buffers.get_mut(id).filter(is_as_read) else { return };
    let Some(path) = buffer.real_path().map(ToOwned::to_owned) else { return };
    let text = buffer.area.text().clone();
    let is_wanted = cx.state.undo_keeping.is_some() && text.end().0 <= TEXT_MAX;
    cx.effects.extend(is_wanted.then_some(Effect::Undo(UndoJob::Find { buffer: id, path, text })));
}

/// The tree was found, or is of no use.
pub fn found(cx: &mut Cx<'_>, found: Found) {
    let Some(buffer) = cx.state.buffers.get_mut(found.buffer) else { return };
    match found.result {
        Ok(history) => {
            let is_all = buffer.area.document.history().is_empty();
            buffer.area.document.adopt(history);
            // What was kept meanwhile lacks the steps that were adopted.
            buffer.undo_kept = if is_all { kept(&buffer.area.document) } else { None };
        }
        Err(why) => {
            let name = buffer.name();
            if cx.state.status.message.is_empty() {
                cx.state.say(match why {
                    Unusable::OtherText => format!("{name} was changed since; its older undo steps are gone"),
                    other => format!("older undo steps of {name} cannot be used: {other}"),
                });
            }
        }
    }
}

/// What a kept tree is of.
fn kept(document: &crate::text::document::Document) -> Option<(u64, RevisionId)> {
    Some((document.version(), document.saved()?))
}

/// A file was saved, or goes: keeps its tree, unless it is kept already.
pub fn keep(cx: &mut Cx<'_>, id: BufferId) {
    let job = job(cx.state, id);
    cx.effects.extend(job.map(Effect::Undo));
}

/// What keeps everything that is not kept as it is, at the end.
pub fn last(state: &mut State) -> Vec<UndoJob> {
    let ids: Vec<BufferId> = state.buffers.all().iter().map(|buffer| buffer.id).collect();
    ids.into_iter().filter_map(|id| job(state, id)).collect()
}

fn job(state: &mut State, id: BufferId) -> Option<UndoJob> {
    let number = state.undo_keeping.as_mut()?;
    let buffer = state.buffers.get_mut(id)?;
    let document = &buffer.area.document;
    let now = kept(document)?;
    let wanted =
        buffer.stamp.is_some() && !document.history().is_empty() && document.text().end().0 <= TEXT_MAX;
    if !wanted || buffer.undo_kept == Some(now) {
        return None;
    }
    let path = buffer.real_path()?.to_path_buf();
    buffer.undo_kept = Some(now);
    *number += 1;
    let (history, text) = (document.history().clone(), document.text().clone());
    Some(UndoJob::Keep { path, history, text, saved: now.1, number: *number })
}
