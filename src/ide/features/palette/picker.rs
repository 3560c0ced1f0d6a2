//! The palette: every command by its title and id, with its key beside it.

use std::sync::Arc;

use crate::ide::core::context::Command;
use crate::ide::core::keys::keymap::Modes;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{Load, Row};
use crate::ide::core::state::State;
use crate::ide::features::palette::run::{Runs, run};
use crate::ide::features::plugins::state::PLUGINS;
use crate::ide::features::plugins::state::PluginCommand;

/// The table's row.
pub const PICKER: Row = Row {
    id: "commands",
    title: "Commands",
    footer: "Enter run",
    load: |state| Load::Rows(rows(state), Vec::new()),
    accept: run,
};

fn rows(state: &State) -> Vec<PickRow> {
    // The palette lies on top already: what matters are the keys of the place below it.
    let place = state.place_below();
    let row = |command: &Command| PickRow {
        text: format!("{}  {}", command.title, command.id),
        detail: state.keymap.keys_for(place, command.id).unwrap_or_default(),
        aliases: command.aliases.iter().chain(command.former).copied().collect(),
        pick: Pick::new(Runs::Command(command.id)),
    };
    // Commands of a map with modes mean nothing without them.
    let modes = state.keymap.modes();
    let wanted = |command: &&Command| match command.id.split_once('.') {
        Some(("vim", _)) => modes == Modes::Vim,
        Some(("helix", _)) => modes == Modes::Helix,
        _ => true,
    };
    let theirs = |known: &Arc<PluginCommand>| PickRow {
        text: format!("{}  {}", known.command.title, known.id),
        aliases: Vec::new(),
        detail: state.keymap.keys_for(place, &known.id).unwrap_or_default(),
        pick: Pick::new(Runs::Plugin(known.id.clone())),
    };
    let ours = state.catalog.commands().filter(wanted).map(row);
    ours.chain(state.slots[PLUGINS].commands.iter().map(theirs)).collect()
}
