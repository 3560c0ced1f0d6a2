//! The settings screen: a row for each setting with its value, and one for the keys. Must not know how a setting is written.

use std::sync::Arc;

use crate::base::paths::shorten_home;
use crate::config::ROWS;
use crate::config::settings::row::Row;
use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::{self, About, Pick, PickRow, Picker, PickerSpec, RowSource};
use crate::ide::core::layers::rank::{self, Names};
use crate::ide::core::state::State;
use crate::ide::features::settings::commands;
use crate::ide::features::settings::store::{self, SETTINGS};

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "settings",
    title: "Settings",
    footer: "Enter change  Ctrl-r reset  Ctrl-o open file",
    row_footer: Some(|pick| if is_keys(pick) { "Enter open" } else { PICKER.footer }),
    mark: "●",
    load: |state| RowSource::Rows(rows(state), changed(state)),
    about: Some(About { lines: 4, in_place_of_preview: false, text: about }),
    stays_open: true,
    rank: Some(rank),
    letters: Some(|query, row| rank::letters(query, &row.text)),
    keeps_text: true,
    accept: |cx, pick, _| match row_of(pick) {
        Some(row) => commands::change(cx, row),
        None => cx.defer_command(EDIT_KEYS),
    },
    commands: &["settings.open-file"],
    reset: Some(|cx, pick| {
        if let Some(row) = row_of(pick) {
            commands::reset(cx, row);
        }
    }),
    ..PickerSpec::EMPTY
};

/// The command that its row opens: keys are no setting, but are looked for here.
const EDIT_KEYS: &str = "keys.edit";
/// The group of that row.
const KEYS_GROUP: &str = "Keyboard and mouse";
/// What is said about that row.
const ABOUT_KEYS: &str = "Every command with its keys, to change them. Your keys are in a file of their own";

/// Whether a row stands for the keys.
fn is_keys(pick: &Pick) -> bool {
    pick.get::<&'static str>() == Some(&EDIT_KEYS)
}

/// Returns what the row of the keys is found by.
fn keys_names(title: &str) -> Names<'_> {
    Names { title, aliases: &["rebind", "hotkeys", KEYS_GROUP], id: EDIT_KEYS, about: ABOUT_KEYS }
}

fn row_of(pick: &Pick) -> Option<&'static Row> {
    Row::find(pick.get::<&'static str>()?)
}

/// Returns how well a query matches a setting: by words of its name, its key, its other names, its description or its
/// group.
fn rank(query: &str, row: &PickRow) -> Option<u32> {
    let Some(setting) = row_of(&row.pick) else {
        return rank::rank(query, &keys_names(&row.text)).map(|found| found.score);
    };
    let aliases: Vec<&str> = setting.aliases.iter().copied().chain([setting.group]).collect();
    let names = Names { title: setting.title, aliases: &aliases, id: setting.key, about: setting.doc };
    rank::rank(query, &names).map(|found| found.score)
}

fn rows(state: &State) -> Vec<PickRow> {
    let values = state.slots[SETTINGS].loaded.settings.values();
    let row = |row: &'static Row| PickRow {
        text: row.title.to_string(),
        aliases: Vec::new(),
        group: Some(Arc::from(row.group)),
        detail: values.get(row.key).map_or_else(|| "not set".to_string(), |value| row.shown(value)),
        pick: Pick::new(row.key),
    };
    let title = state.catalog.command(EDIT_KEYS).map_or(EDIT_KEYS, |command| command.title);
    let keys = PickRow {
        text: title.to_string(),
        aliases: Vec::new(),
        group: Some(Arc::from(KEYS_GROUP)),
        detail: String::new(),
        pick: Pick::new(EDIT_KEYS),
    };
    let first = ROWS.iter().position(|row| row.group == KEYS_GROUP).unwrap_or(0);
    let mut rows: Vec<PickRow> = ROWS.iter().map(row).collect();
    rows.insert(first, keys);
    rows
}

/// Returns the settings that a file sets.
fn changed(state: &State) -> Vec<Pick> {
    let loaded = &state.slots[SETTINGS].loaded;
    ROWS.iter().filter(|row| loaded.origin(row.key).is_some()).map(|row| Pick::new(row.key)).collect()
}

/// Describes a setting: what it does, its values, where it is set, and when a change counts.
fn about(state: &State, PickRow { pick, .. }: &PickRow) -> Vec<String> {
    let Some(row) = row_of(pick) else { return vec![ABOUT_KEYS.to_string()] };
    let settings = &state.slots[SETTINGS];
    let default = if row.default.is_empty() { "none" } else { row.default };
    let source = match settings.loaded.origin(row.key) {
        Some(origin) => {
            let scope = if settings.is_project_file(&origin.file) { "by the project" } else { "by you" };
            format!("Set {scope}: {}:{}", shorten_home(&origin.file, &state.home), origin.line)
        }
        None if row.project => "Not set by you nor the project".to_string(),
        None => "Not set by you".to_string(),
    };
    let when = match state.catalog.setting(row.key) {
        _ if settings.overridden.contains(&row.key) => "Takes effect now; the command line set another value",
        Some(_) => "Takes effect at once",
        None => "Takes effect at the next start",
    };
    vec![
        row.doc.to_string(),
        format!("{}: {}. Default: {default}", row.key, row.kind.describe()),
        source,
        when.to_string(),
    ]
}

/// Saves a value and says where.
pub fn save(cx: &mut Cx<'_>, row: &'static Row, literal: String) {
    let file = shorten_home(cx.state.slots[SETTINGS].file_of(row.key), &cx.state.home);
    let message = format!("Saved {} = {literal} in {file}", row.key);
    store::save(cx, row.key, Some(literal), move |cx| cx.state.set_status(message));
}

/// Shows the current values, if the screen is open.
pub fn refresh(cx: &mut Cx<'_>) {
    let (rows, changed) = (rows(cx.state), changed(cx.state));
    picker::refresh(cx.state, PICKER.id, &rows, &changed);
}

/// Returns the selected setting, if the screen is on top.
pub fn selected(state: &State) -> Option<&'static Row> {
    let picker = state.layers.top::<Picker>().filter(|picker| picker.spec.id == PICKER.id)?;
    row_of(&picker.current()?.pick)
}
