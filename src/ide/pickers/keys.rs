//! The keys of this place, to be looked through and run.

use super::row::{Load, Row};
use crate::ide::effect::Effect;
use crate::ide::input::find;
use crate::ide::plugins;
use crate::ide::state::State;
use crate::ide::state::overlay::{Pick, PickRow};

/// The table's row.
pub const PICKER: Row = Row {
    id: "keys",
    title: "keys of this place",
    footer: "Enter run",
    load: |state| Load::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| match pick {
        Pick::Command(id) => cx.effects.push(Effect::Run(id)),
        Pick::Plugin(id) => cx.effects.push(Effect::RunPlugin(id.clone())),
        _ => {}
    },
};

fn rows(state: &State) -> Vec<PickRow> {
    let places = state.place_below().chain().iter();
    let keys = places.flat_map(|place| state.keymap.rows(*place).into_iter().map(move |row| (place, row)));
    let row = |(place, (keys, id)): (&crate::ide::keys::Place, (String, String))| {
        let (title, pick) = match (find(&id), plugins::find(state, &id)) {
            (Some(command), _) => (command.title, Pick::Command(command.id)),
            (None, Some(theirs)) => (theirs.command.title.as_str(), Pick::Plugin(id)),
            (None, None) => return None,
        };
        Some(PickRow { text: format!("{keys:<18} {title}"), detail: place.name().to_string(), pick })
    };
    keys.filter_map(row).collect()
}
