//! Picker of the locations that a plugin command listed last.

use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::features::files::place_list::PLACES;
use crate::ide::features::plugins::state::PLUGINS;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "plugin-places",
    title: "Plugin results",
    load: |state| RowSource::Rows(state.slots[PLUGINS].locations.1.clone(), Vec::new()),
    ..PLACES
};
