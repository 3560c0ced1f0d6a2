//! Picker of the locations that a plugin command listed last.

use crate::ide::core::layers::picker::Location;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::files;
use crate::ide::features::plugins::state::PLUGINS;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "plugin-places",
    title: "Plugin results",
    footer: "Enter go",
    preview: Some(|_, pick| pick.get::<Location>().map(PreviewTarget::from)),
    load: |state| RowSource::Rows(state.slots[PLUGINS].locations.1.clone(), Vec::new()),
    accept: |cx, pick, _| {
        if let Some(Location { path, line, column }) = pick.get() {
            cx.state.note_jump();
            files::open::open(cx, path.clone(), Some((*line, *column)));
            panes::focus(cx, Focus::Editor);
        }
    },
    ..PickerSpec::EMPTY
};
