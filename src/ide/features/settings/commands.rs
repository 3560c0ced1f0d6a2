//! Commands on settings.

use crate::config::kind::Kind;
use crate::config::settings::row::Row;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::settings::screen;
use crate::ide::features::settings::store::{self, SETTINGS};
use crate::ide::model::buffers::BufferId;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("settings.open", "Open settings", &["preferences", "options", "configuration"], |cx| {
        // The screen shows what is known, and then what other programs wrote meanwhile.
        cx.defer_picker("settings");
        cx.defer(store::reload);
    }),
    command("settings.open-file", "Open settings file", &["settings.toml", "config file"], open_file),
];

/// Changes a setting: switches it, or asks for its value.
pub fn change(cx: &mut Cx<'_>, row: &'static Row) {
    if let Some(id) = cx.state.catalog.setting(row.key).and_then(|spec| spec.picker) {
        return cx.defer_picker(id);
    }
    let settings = &mut cx.state.slots[SETTINGS];
    match row.kind {
        Kind::Flag => {
            let is_on = settings.loaded.settings.literal(row.key).as_deref() == Some("true");
            screen::save(cx, row, (!is_on).to_string());
        }
        Kind::Choice(_) => {
            settings.editing = Some(row.key);
            cx.defer_picker("setting-values");
        }
        Kind::Text | Kind::Number(..) | Kind::Numbers(..) => {
            let now = row.editable(&settings.loaded.settings);
            ask(cx, row, now);
        }
        Kind::Limits | Kind::Budgets => open_file(cx),
    }
}

/// Asks for the value of a setting that has `now`.
fn ask(cx: &mut Cx<'_>, row: &'static Row, now: String) {
    let before = now.clone();
    let accept = move |cx: &mut Cx<'_>, typed: String| match typed.trim() {
        // A default that was only looked at need not be in the file.
        typed if typed == before => {}
        "" if row.default.is_empty() => remove(cx, row),
        typed => {
            if let Ok(literal) = row.literal(typed) {
                screen::save(cx, row, literal);
            }
        }
    };
    let check = move |_: &mut Cx<'_>, typed: &str| row.literal(typed).map(drop);
    let asked = Prompt::new(row.key, accept).initial(now).note(row.kind.describe());
    asked.verb("save").check(check).open(cx);
}

/// Opens the file with the selected setting at its line, or else the user's.
pub fn open_file(cx: &mut Cx<'_>) {
    let on_screen = screen::selected(cx.state);
    if on_screen.is_none() && !cx.state.layers.is_empty() {
        let open = cx.state.how_to("settings.open");
        return cx.state.set_status(format!("Choose a setting first: {open}"));
    }
    let selected = on_screen.map_or("", |row| row.key);
    let settings = &cx.state.slots[SETTINGS];
    let path = settings.file_of(selected).to_path_buf();
    let at = settings.loaded.origin(selected).map(|origin| (origin.line, 1));
    if on_screen.is_some() {
        drop(cx.state.pop_layer());
    }
    (cx.state.catalog.open_file)(cx, path, at);
    panes::focus(cx, Focus::Editor);
}

/// Gives a setting its default back: removes it from the file that sets it.
pub fn reset(cx: &mut Cx<'_>, row: &'static Row) {
    let settings = &cx.state.slots[SETTINGS];
    if settings.loaded.origin(row.key).is_none() {
        return cx.state.set_status(format!("{} has its default", row.key));
    }
    remove(cx, row);
}

/// Removes a setting from the file that sets it.
fn remove(cx: &mut Cx<'_>, row: &'static Row) {
    let file = cx.state.slots[SETTINGS].file_of(row.key).display().to_string();
    let message = format!("Removed {} from {file}", row.key);
    store::save(cx, row.key, None, move |cx| cx.state.set_status(message));
}

/// Makes settings take effect that the user changed in their file.
pub fn on_saved(cx: &mut Cx<'_>, buffer: BufferId) {
    let buffer = cx.state.buffers.all().iter().find(|known| known.id == buffer);
    if buffer.and_then(|buffer| buffer.real_path()).is_some_and(|path| cx.state.slots[SETTINGS].is_file(path))
    {
        store::reload(cx);
    }
}
