//! The files that were closed last, to open them again where the cursor was. Must not know how they are closed.

use std::collections::VecDeque;
use std::path::PathBuf;

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::Cx;
use crate::ide::core::panes::Focus;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::model::buffers::BufferId;

/// Files that are remembered.
const FILES_MAX: usize = 30;

/// Slot of the feature's state.
pub const CLOSED: Slot<ClosedFiles> = Slot::new();

/// The files, the last closed one last, each with its line and column from 1.
#[derive(Debug, Default)]
pub struct ClosedFiles(VecDeque<(PathBuf, (usize, usize))>);

/// Remembers a file that is about to be closed.
pub fn note(state: &mut State, id: BufferId) {
    let tab_width = state.text_options.tab_width;
    let Some(buffer) = state.buffers.all().iter().find(|buffer| buffer.id == id) else { return };
    let Some(path) = buffer.path.clone() else { return };
    let (line, column) = buffer.cursor(tab_width);
    let files = &mut state.slots[CLOSED].0;
    files.retain(|(known, _)| *known != path);
    files.push_back((path, (line.0 + 1, column.0 + 1)));
    if files.len() > FILES_MAX {
        files.pop_front();
    }
}

/// A closed file is remembered that is not open again.
pub fn has_closed(state: &State) -> Result<(), Reason> {
    let is_closed = |(path, _): &(PathBuf, _)| state.buffers.by_path(path).is_none();
    condition::require(state.slots[CLOSED].0.iter().any(is_closed), Reason::new("No closed file"))
}

/// Opens the file that was closed last.
pub fn reopen(cx: &mut Cx<'_>) {
    while let Some((path, at)) = cx.state.slots[CLOSED].0.pop_back() {
        if cx.state.buffers.by_path(&path).is_none() {
            cx.state.note_jump();
            (cx.state.catalog.open_file)(cx, path, Some(at));
            return panes::focus(cx, Focus::Editor);
        }
    }
}
