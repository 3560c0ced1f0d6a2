//! List of the definitions or references that servers answered.

use crate::ide::core::layers::picker::{Location, Pick, PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::files::open::{go_to_all, open};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;

/// A list of places that are opened.
pub const PLACES: PickerSpec = PickerSpec {
    footer: "Enter go",
    preview: Some(|_, pick| pick.get::<Location>().map(PreviewTarget::from)),
    has_places: true,
    accept: |cx, pick, _| {
        if let Some(Location { path, line, column }) = pick.get() {
            cx.state.note_jump();
            open(cx, path.clone(), Some((*line, *column)));
            panes::focus(cx, Focus::Editor);
        }
    },
    accept_many: Some(|cx, marked| {
        let place = |Location { path, line, column }: &Location| (path.clone(), Some((*line, *column)));
        let places = marked.iter().filter_map(Pick::get::<Location>).map(place).collect();
        go_to_all(cx, places);
    }),
    ..PickerSpec::EMPTY
};

/// Definitions, references and their like.
pub const PICKER: PickerSpec = PickerSpec {
    id: "language-server-locations",
    title: "Go to location",
    title_note: Some(|state| Some(state.slots[LANGUAGE_SERVERS].locations.0)),
    load: |state| RowSource::Rows(state.slots[LANGUAGE_SERVERS].locations.1.clone(), Vec::new()),
    ..PLACES
};
