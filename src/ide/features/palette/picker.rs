//! The palette: every command by its title and id, with its key.

use std::sync::Arc;

use crate::ide::core::context::Command;
use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::palette::run::{PaletteTarget, run};
use crate::ide::features::plugins::state::PLUGINS;
use crate::ide::features::plugins::state::PluginCommand;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "commands",
    title: "Commands",
    footer: "Enter run",
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: run,
    ..PickerSpec::EMPTY
};

fn rows(state: &State) -> Vec<PickRow> {
    // The palette is already on top: the keys of the context below it are relevant.
    let context = state.base_key_context();
    let row = |command: &Command| PickRow {
        text: format!("{}  {}", command.title, command.id),
        detail: state.keymap.keys_for(context, command.id).unwrap_or_default(),
        aliases: command.aliases.iter().chain(command.former_ids).map(ToString::to_string).collect(),
        group: None,
        pick: Pick::new(PaletteTarget::Command(command.id)),
    };
    // Commands of a modal key map have no meaning without modes.
    let modes = state.keymap.modal_style();
    let is_listed = |command: &&Command| match command.id.split_once('.') {
        Some(("vim", _)) => modes == ModalStyle::Vim,
        Some(("helix", _)) => modes == ModalStyle::Helix,
        _ => true,
    };
    let theirs = |known: &Arc<PluginCommand>| PickRow {
        text: format!("{}  {}", known.command.title, known.id),
        aliases: Vec::new(),
        group: None,
        detail: state.keymap.keys_for(context, &known.id).unwrap_or_default(),
        pick: Pick::new(PaletteTarget::Plugin(known.id.clone())),
    };
    let ours = state.catalog.commands().filter(is_listed).map(row);
    ours.chain(state.slots[PLUGINS].commands.iter().map(theirs)).collect()
}
