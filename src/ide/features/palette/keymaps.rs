//! Picker of the built-in key maps.

use crate::ide::core::catalog::Catalog;
use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::BUILTIN;
use crate::ide::core::keys::keymap::{Keymap, KeymapProblem};
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::editor::modal::cursors;
use crate::ide::features::plugins;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "keymaps",
    title: "Choose key map",
    footer: "Enter use for this run",
    load: |_| RowSource::Rows(rows(), Vec::new()),
    accept: |cx, pick, _| {
        if let Some(name) = pick.get::<&'static str>() {
            use_keymap(cx, name);
        }
    },
    ..PickerSpec::EMPTY
};

fn rows() -> Vec<PickRow> {
    let row = |(name, text): &(&'static str, &str)| PickRow {
        text: (*name).to_string(),
        aliases: Vec::new(),
        group: None,
        detail: text.lines().next().unwrap_or_default().trim_start_matches("# ").to_string(),
        pick: Pick::new(*name),
    };
    BUILTIN.iter().map(row).collect()
}

/// Parses a key map for the commands of `catalog`. Also returns messages for the user about unusable rows.
pub fn read(catalog: &Catalog, origin: &str, text: &str) -> (Keymap, Vec<String>) {
    let (keymap, problems) = Keymap::or_default(text, |id| match catalog.command(id) {
        // A former id is bound by the current one: keys are looked up by ids.
        Some(command) => Some(command.id.to_string()),
        None => plugins::run::is_id(id).then(|| id.to_string()),
    });
    let describe = |problem: KeymapProblem| format!("{origin}:{}: {}", problem.line, problem.message);
    (keymap, problems.into_iter().map(describe).collect())
}

/// Uses a built-in key map from now on.
fn use_keymap(cx: &mut Cx<'_>, name: &str) {
    let Some((_, text)) = BUILTIN.iter().find(|(known, _)| *known == name) else { return };
    let (keymap, _) = read(cx.state.catalog, name, text);
    cursors::end_undo_group(cx.state);
    cx.state.modal = crate::ide::core::keys::modal::Modal::new(keymap.modal_style());
    cx.state.keymap = keymap;
    for problem in plugins::run::bind(cx.state) {
        tracing::warn!("{problem}");
    }
    cx.state.pending.clear();
    cx.state.damage.add_all();
    cx.state.set_status(format!("Key map: {name}. To keep it: keymap = \"{name}\" in settings.toml"));
}
