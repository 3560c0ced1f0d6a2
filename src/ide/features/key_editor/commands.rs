//! Commands on keys.

use std::path::PathBuf;

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::key_editor::recorder::Recorder;
use crate::ide::features::key_editor::store;
use crate::ide::features::palette::keymaps::{self, KEYMAPS};
use crate::ide::model::buffers::BufferId;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "keys.edit",
        "Edit keyboard shortcuts",
        &["rebind", "key bindings", "change key", "hotkeys"],
        |cx| cx.defer_picker("key-bindings"),
    ),
    command("keys.inspect", "Show what key does", &["inspect key", "describe key", "which key"], |cx| {
        let context = cx.state.base_key_context();
        cx.state.push_layer(Recorder::inspector(context));
    }),
    command("keys.open-file", "Open key map file", &["keymap.toml", "key bindings file"], |cx| {
        store::create(cx, open);
    }),
];

fn open(cx: &mut Cx<'_>, path: PathBuf) {
    (cx.state.catalog.open_file)(cx, path, None);
    panes::focus(cx, Focus::Editor);
}

/// Uses the key map in use again once its file was saved in an editor.
pub fn on_saved(cx: &mut Cx<'_>, buffer: BufferId) {
    let path = cx.state.slots[KEYMAPS].user_file();
    let saved = cx.state.buffers.all().iter().find(|saved| saved.id == buffer);
    if saved.and_then(|saved| saved.real_path()).is_some_and(|saved| *saved == *path) {
        keymaps::reload(cx, |_| {});
    }
}
