//! Picker of the open files.

use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::model::buffers::BufferId;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "buffers",
    title: "Go to open file",
    footer: "Enter show",
    preview: Some(|state, pick| {
        let id = pick.get::<BufferId>()?;
        let buffer = state.buffers.all().iter().find(|buffer| buffer.id == *id)?;
        let line = buffer.area.text().line_of(buffer.area.caret()).0 + 1;
        Some(PreviewTarget::file(buffer.path.clone()?, Some(line)))
    }),
    has_path: |_| true,
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| accept(cx, pick, None),
    accept_at: Some(|cx, pick, at| accept(cx, pick, Some(at))),
    // Files that are open already: the last one is shown, and the others are those before it.
    accept_many: Some(|cx, marked| {
        for id in marked.iter().filter_map(Pick::get::<BufferId>) {
            cx.state.note_jump();
            cx.state.buffers.show(*id);
        }
        panes::focus(cx, Focus::Editor);
    }),
    ..PickerSpec::EMPTY
};

/// Shows the file of a row, at a line and column if they are known.
fn accept(cx: &mut Cx<'_>, pick: &Pick, at: Option<(usize, usize)>) {
    let Some(id) = pick.get::<BufferId>() else { return };
    cx.state.note_jump();
    cx.state.buffers.show(*id);
    let tab_width = cx.state.text_options.tab_width;
    if let (Some(at), Some(buffer)) = (at, cx.state.buffers.get_mut(*id)) {
        buffer.place_cursor(at, tab_width);
    }
    panes::focus(cx, Focus::Editor);
}

/// Returns the rows of the open files.
pub fn rows(state: &State) -> Vec<PickRow> {
    let row = |buffer: &crate::ide::model::buffers::Buffer| PickRow {
        text: buffer.path.as_deref().map_or_else(|| buffer.name(), |path| state.display_path(path)),
        aliases: Vec::new(),
        group: None,
        detail: if buffer.is_unsaved() { "● unsaved".to_string() } else { String::new() },
        pick: Pick::new(buffer.id),
    };
    state.buffers.all().iter().map(row).collect()
}
