//! List of the definitions or references that servers answered.

use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::features::files::place_list::PLACES;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;

/// Definitions, references and their like.
pub const PICKER: PickerSpec = PickerSpec {
    id: "language-server-locations",
    title: "Go to location",
    title_note: Some(|state| Some(state.slots[LANGUAGE_SERVERS].locations.0)),
    load: |state| RowSource::Rows(state.slots[LANGUAGE_SERVERS].locations.1.clone(), Vec::new()),
    ..PLACES
};
