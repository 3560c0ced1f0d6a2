//! What lists of places in files have in common: the place is shown beside the list, and opened. Must not know what
//! found the places.

use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{Location, Pick, PickerSpec};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::files::open::{go_to_all, open};

/// A list whose rows are [`Location`]s, which rows of the table complete.
pub const PLACES: PickerSpec = PickerSpec {
    footer: "Enter go",
    preview: Some(|_, pick| pick.get::<Location>().map(PreviewTarget::from)),
    accept: |cx, pick, _| {
        if let Some(place) = pick.get() {
            go_to(cx, place);
        }
    },
    accept_many: Some(|cx, marked| {
        let place = |Location { path, line, column }: &Location| (path.clone(), Some((*line, *column)));
        let places = marked.iter().filter_map(Pick::get::<Location>).map(place).collect();
        go_to_all(cx, places);
    }),
    ..PickerSpec::EMPTY
};

/// Goes to a place in a file, from which "Go back" returns.
pub fn go_to(cx: &mut Cx<'_>, Location { path, line, column }: &Location) {
    cx.state.note_jump();
    open(cx, path.clone(), Some((*line, *column)));
    panes::focus(cx, Focus::Editor);
}
