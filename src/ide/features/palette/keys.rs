//! Picker of the keys in the current context, to search and run: in a list those of that list.

use crate::base::width::text_width;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::keys::keymap::Lookup;
use crate::ide::core::layers::picker::{Pick, PickRow, Picker, PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::palette::run::{PaletteTarget, run};
use crate::ide::features::plugins;
use crate::tui::input::Key;

/// Maximum columns of the keys before the titles; longer ones push them.
const KEYS_COLS_MAX: usize = 18;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "keys",
    title: "Keyboard shortcuts",
    footer: "Enter run",
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: run,
    keeps_text: true,
    ..PickerSpec::EMPTY
};

/// Returns whether keys of a context of the chain run that command here: an inner context may bind them to another
/// one, and a list may have no use for a command of lists.
fn works(state: &State, context: KeyContext, keys: &str, id: &str) -> bool {
    let list = state.layers.top::<Picker>().filter(|_| context == KeyContext::Picker);
    if list.is_some_and(|list| !list.spec.has_command(id)) {
        return false;
    }
    let keys: Result<Vec<Key>, _> = keys.split_whitespace().map(str::parse).collect();
    let here = state.key_context();
    keys.is_ok_and(|keys| state.keymap.lookup(here, &keys) == Lookup::Command(id.to_string()))
}

fn rows(state: &State) -> Vec<PickRow> {
    // The list of keys is not on top yet.
    let contexts = state.key_context().related();
    let keys = contexts
        .flat_map(|context| state.keymap.bindings(context).into_iter().map(move |row| (context, row)))
        .filter(|(context, (keys, id))| works(state, *context, keys, id));
    let mut keys: Vec<(KeyContext, (String, String))> = keys.collect();
    // The keys that only this context has come before those that move in every list.
    let own = state.key_context();
    keys.sort_by_key(|(context, (_, id))| (*context != own, *context == own && id.starts_with("list.")));
    let keys_of_own =
        keys.iter().filter(|(context, _)| *context == own).map(|(_, (keys, _))| text_width(keys));
    let width = keys_of_own.max().unwrap_or_default().min(KEYS_COLS_MAX);
    let row = |(context, (keys, id)): (KeyContext, (String, String))| {
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
            text: format!("{keys:<width$} {title}"),
            aliases: aliases.iter().map(ToString::to_string).collect(),
            group: None,
            detail: context.name().to_string(),
            pick,
        })
    };
    keys.into_iter().filter_map(row).collect()
}
