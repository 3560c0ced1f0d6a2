//! The settings screen: a row for each setting with its value. Must not know how a setting is written.

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
    mark: "●",
    load: |state| RowSource::Rows(rows(state), changed(state)),
    about: Some(About { lines: 4, text: about }),
    stays_open: true,
    rank: Some(rank),
    letters: Some(|query, row| rank::letters(query, &row.text)),
    accept: |cx, pick, _| {
        if let Some(row) = row_of(pick) {
            commands::change(cx, row);
        }
    },
    commands: &["settings.open-file"],
    reset: Some(|cx, pick| {
        if let Some(row) = row_of(pick) {
            commands::reset(cx, row);
        }
    }),
    ..PickerSpec::EMPTY
};

fn row_of(pick: &Pick) -> Option<&'static Row> {
    Row::find(pick.get::<&'static str>()?)
}

/// Returns how well a query matches a setting: by words of its name, its key, its other names, its description or its
/// group.
fn rank(query: &str, row: &PickRow) -> Option<u32> {
    let row = row_of(&row.pick)?;
    let aliases: Vec<&str> = row.aliases.iter().copied().chain([row.group]).collect();
    let names = Names { title: row.title, aliases: &aliases, id: row.key, about: row.doc };
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
    ROWS.iter().map(row).collect()
}

/// Returns the settings that a file sets.
fn changed(state: &State) -> Vec<Pick> {
    let loaded = &state.slots[SETTINGS].loaded;
    ROWS.iter().filter(|row| loaded.origin(row.key).is_some()).map(|row| Pick::new(row.key)).collect()
}

/// Describes a setting: what it does, its values, where it is set, and when a change counts.
fn about(state: &State, pick: &Pick) -> Vec<String> {
    let Some(row) = row_of(pick) else { return Vec::new() };
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
