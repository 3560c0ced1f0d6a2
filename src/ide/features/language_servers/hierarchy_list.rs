//! List of a call or type hierarchy: what is related to one function or type.

use crate::ide::core::layers::picker::{Location, Pick, PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::features::files::open::go_to_all;
use crate::ide::features::files::place_list::{self, PLACES};
use crate::ide::features::language_servers::hierarchy::RelatedRow;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;

/// Callers, callees, supertypes or subtypes.
pub const PICKER: PickerSpec = PickerSpec {
    id: "language-server-hierarchy",
    title: "Hierarchy",
    title_note: Some(|state| state.slots[LANGUAGE_SERVERS].hierarchy.title()),
    fills_detail: true,
    hints: &[("lsp.hierarchy-next", "next"), ("lsp.hierarchy-back", "back")],
    commands: &["lsp.hierarchy-next", "lsp.hierarchy-back"],
    preview: Some(|_, pick| place(pick).map(PreviewTarget::from)),
    load: |state| RowSource::Rows(state.slots[LANGUAGE_SERVERS].hierarchy.rows(), Vec::new()),
    accept: |cx, pick, _| {
        if let Some(place) = place(pick) {
            place_list::go_to(cx, place);
        }
    },
    accept_many: Some(|cx, marked| {
        let places = marked.iter().filter_map(place);
        go_to_all(cx, places.map(|at| (at.path.clone(), Some((at.line, at.column)))).collect());
    }),
    ..PLACES
};

fn place(pick: &Pick) -> Option<&Location> {
    pick.get::<RelatedRow>().map(|row| &row.place)
}
