//! Picker of the lines in all files that match the query; every key restarts the search.

use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::files;
use crate::ide::features::files::place_list::PLACES;
use crate::ide::features::project_search::navigate;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "grep",
    title: "Find in files",
    title_note: Some(files::all_files::ignored_note),
    hints: &[("files.toggle-ignored", "ignored files")],
    placeholder: "Type to search all files",
    load: |state| RowSource::Live(seed(state), navigate::search_picker),
    commands: &["search.toggle-regex", "search.toggle-word", "search.toggle-case", "files.toggle-ignored"],
    ..PLACES
};

/// Returns the initial query: a selected piece of one line.
fn seed(state: &State) -> String {
    let buffer = state.buffers.current();
    let selected =
        buffer.map(|buffer| buffer.area.selected().swap_remove(buffer.area.selection.primary_index()));
    selected.filter(|text| !text.contains('\n')).unwrap_or_default()
}
