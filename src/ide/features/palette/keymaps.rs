//! Choosing a key map: the user's and the built-in ones. It is saved like every setting.

use std::path::PathBuf;

use crate::config::Settings;
use crate::ide::core::catalog::Catalog;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::feature::SettingSpec;
use crate::ide::core::keys::keymap::{BUILTIN, Keymap, KeymapProblem};
use crate::ide::core::keys::modal::Modal;
use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource, push};
use crate::ide::core::options::{KeymapSource, Options};
use crate::ide::core::slots::Slot;
use crate::ide::editor::modal::cursors;
use crate::ide::features::plugins;
use crate::ide::features::settings::store;

/// Slot of the feature's state.
pub const KEYMAPS: Slot<Keymaps> = Slot::new();

/// The key maps.
pub struct Keymaps {
    source: KeymapSource,
    /// Name of the one in use.
    name: String,
    /// Folder of the user's.
    folder: PathBuf,
}

impl Keymaps {
    /// The key map of the start.
    pub fn new(options: &Options) -> Self {
        let folder = options.config.join("keymaps");
        Self { source: options.keymaps.clone(), name: options.keymap_name.clone(), folder }
    }

    /// Returns the name of the one in use.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the user's file of the one in use, which may be missing.
    pub fn user_file(&self) -> PathBuf {
        self.folder.join(format!("{}.toml", self.name))
    }
}

/// The setting that it makes take effect.
pub const SETTINGS: &[SettingSpec] = &[SettingSpec {
    key: "keymap",
    picker: Some("keymaps"),
    apply: |cx, new: &Settings| load(cx, &new.keymap, |_| {}),
}];

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "keymaps",
    title: "Choose key map",
    footer: "Enter use and save",
    load: |_| {
        RowSource::Task(|cx, injector, number| {
            let source = cx.state.slots[KEYMAPS].source.clone();
            cx.tasks.spawn_blocking(
                "keymaps.list",
                move || source.names(),
                move |cx, names| {
                    for name in answer_or_error(cx, "list key maps", names).unwrap_or_default() {
                        push(&injector, row(cx, name));
                    }
                    cx.state.finish_filling(number);
                },
            );
        })
    },
    accept: |cx, pick, _| {
        if let Some(name) = pick.get::<String>() {
            let message = format!("Key map: {name}");
            store::save(cx, "keymap", Some(store::literal(name)), |cx| cx.state.set_status(message));
        }
    },
    ..PickerSpec::EMPTY
};

fn row(cx: &Cx<'_>, name: String) -> PickRow {
    let builtin = BUILTIN.iter().find(|(known, _)| *known == name);
    let about = builtin.map_or("yours", |(_, text)| text.lines().next().unwrap_or_default());
    let in_use = if cx.state.slots[KEYMAPS].name == name { "in use  " } else { "" };
    PickRow {
        aliases: Vec::new(),
        group: None,
        detail: format!("{in_use}{}", about.trim_start_matches("# ")),
        pick: Pick::new(name.clone()),
        text: name,
    }
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

/// Reads the key map in use again, after a change of its file; then runs `done`.
pub fn reload(cx: &mut Cx<'_>, done: fn(&mut Cx<'_>)) {
    let name = cx.state.slots[KEYMAPS].name.clone();
    load(cx, &name, done);
}

/// Reads a key map in a task and uses it from then on; if it cannot be read, the one in use stays.
fn load(cx: &mut Cx<'_>, name: &str, done: fn(&mut Cx<'_>)) {
    let keymaps = &mut cx.state.slots[KEYMAPS];
    keymaps.name = name.to_string();
    let (source, name) = (keymaps.source.clone(), name.to_string());
    let wanted = name.clone();
    cx.tasks.spawn_blocking(
        "keymaps.load",
        move || source.load(&wanted),
        move |cx, read| match answer_or_error(cx, "read the key map", read) {
            // Another one was chosen meanwhile.
            _ if cx.state.slots[KEYMAPS].name != name => {}
            Some(Ok((origin, text))) => {
                use_keymap(cx, &origin, &text);
                done(cx);
            }
            Some(Err(error)) => cx.state.set_error(error),
            None => {}
        },
    );
}

fn use_keymap(cx: &mut Cx<'_>, origin: &str, text: &str) {
    let (keymap, problems) = read(cx.state.catalog, origin, text);
    cursors::end_undo_group(cx.state);
    cx.state.modal = Modal::new(keymap.modal_style());
    cx.state.keymap = keymap;
    for problem in plugins::run::bind(cx.state) {
        tracing::warn!("{problem}");
    }
    cx.state.pending.clear();
    cx.state.damage.add_all();
    if let Some(problem) = problems.into_iter().next() {
        cx.state.set_error(problem);
    }
}
