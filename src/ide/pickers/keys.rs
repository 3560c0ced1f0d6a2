//! The keys of this place, to be looked through and run.

use super::row::{Load, Row};
use crate::ide::effect::Effect;
use crate::ide::input::find;
use crate::ide::state::State;
use crate::ide::state::overlay::{Pick, PickRow};

/// The table's row.
pub const PICKER: Row = Row {
    id: "keys",
    title: "keys of this place",
    footer: "Enter run",
    load: |state| Load::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| {
        if let Pick::Command(id) = pick {
            cx.effects.push(Effect::Run(id));
        }
    },
};

fn rows(state: &State) -> Vec<PickRow> {
    let places = state.place_below().chain().iter();
    let keys = places.flat_map(|place| state.keymap.rows(*place).into_iter().map(move |row| (place, row)));
    let row = |(place, (keys, id)): (&crate::ide::keys::Place, (String, String))| {
        let command = find(&id)?;
        let text = format!("{keys:<18} {}", command.title);
        Some(PickRow { text, detail: place.name().to_string(), pick: Pick::Command(command.id) })
    };
    keys.filter_map(row).collect()
}
