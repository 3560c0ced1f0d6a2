//! Picker of the keys in the current context, to search and run.

use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::Layer;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::palette::run::{PaletteTarget, run};
use crate::ide::features::plugins;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "keys",
    title: "Keyboard shortcuts",
    footer: "Enter run",
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: run,
    ..PickerSpec::EMPTY
};

/// Returns the context of what is below the list: a view, or a pane.
fn context(state: &State) -> KeyContext {
    let below = state.layers.last().map(Layer::context).filter(|context| *context != KeyContext::Picker);
    below.unwrap_or_else(|| state.base_key_context())
}

fn rows(state: &State) -> Vec<PickRow> {
    let contexts = context(state).chain().iter();
    let keys = contexts
        .flat_map(|context| state.keymap.bindings(*context).into_iter().map(move |row| (context, row)));
    let row = |(context, (keys, id)): (&crate::ide::core::keys::keymap::KeyContext, (String, String))| {
        let (title, aliases, pick) = match (state.catalog.command(&id), plugins::run::find(state, &id)) {
            (Some(command), _) => {
                (command.title, command.aliases, Pick::new(PaletteTarget::Command(command.id)))
            }
            (None, Some(theirs)) => {
                (theirs.command.title.as_str(), &[][..], Pick::new(PaletteTarget::Plugin(id)))
            }
            (None, None) => return None,
        };
        Some(PickRow {
            text: format!("{keys:<18} {title}"),
            aliases: aliases.iter().map(ToString::to_string).collect(),
            group: None,
            detail: context.name().to_string(),
            pick,
        })
    };
    keys.filter_map(row).collect()
}
