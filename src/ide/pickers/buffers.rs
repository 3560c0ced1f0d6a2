//! The open files.

use super::row::{Load, Row};
use crate::ide::state::State;
use crate::ide::state::overlay::{Pick, PickRow};

/// The table's row.
pub const PICKER: Row = Row {
    id: "buffers",
    title: "open files",
    footer: "Enter show",
    load: |state| Load::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| {
        if let Pick::Buffer(id) = pick {
            cx.state.note_jump();
            cx.state.buffers.show(*id);
        }
    },
};

fn rows(state: &State) -> Vec<PickRow> {
    let row = |buffer: &crate::ide::state::buffers::Buffer| PickRow {
        text: buffer.path.as_deref().map_or_else(|| buffer.name(), |path| state.shown(path)),
        detail: if buffer.is_unsaved() { "● unsaved".to_string() } else { String::new() },
        pick: Pick::Buffer(buffer.id),
    };
    state.buffers.all().iter().map(row).collect()
}
