//! Picker of the lines in all files that match the query; every key restarts the search.

use crate::ide::core::layers::picker::{Location, Pick};
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::files;
use crate::ide::features::project_search::navigate;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "grep",
    title: "Find in files",
    title_note: Some(files::all_files::ignored_note),
    footer: "Enter go",
    hints: &[("files.toggle-ignored", "ignored files")],
    preview: Some(|_, pick| pick.get::<Location>().map(PreviewTarget::from)),
    placeholder: "Type to search all files",
    load: |state| RowSource::Live(seed(state), navigate::search_picker),
    accept: |cx, pick, _| {
        if let Some(Location { path, line, column }) = pick.get() {
            cx.state.note_jump();
            files::open::open(cx, path.clone(), Some((*line, *column)));
            panes::focus(cx, Focus::Editor);
        }
    },
    accept_many: Some(|cx, marked| {
        let place = |Location { path, line, column }: &Location| (path.clone(), Some((*line, *column)));
        let places = marked.iter().filter_map(Pick::get::<Location>).map(place).collect();
        files::open::go_to_all(cx, places);
    }),
    commands: &["search.toggle-regex", "search.toggle-word", "search.toggle-case", "files.toggle-ignored"],
    ..PickerSpec::EMPTY
};

/// Returns the initial query: a selected piece of one line.
fn seed(state: &State) -> String {
    let buffer = state.buffers.current();
    let selected =
        buffer.map(|buffer| buffer.area.selected().swap_remove(buffer.area.selection.primary_index()));
    selected.filter(|text| !text.contains('\n')).unwrap_or_default()
}
