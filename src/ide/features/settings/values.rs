//! The picker of the values of a setting that has a few.

use crate::config::kind::Kind;
use crate::config::settings::row::Row;
use crate::ide::core::layers::picker::{About, Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::settings::screen;
use crate::ide::features::settings::store::SETTINGS;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "setting-values",
    title: "Value",
    footer: "✓ in use  Enter use and save",
    load: |state| RowSource::Rows(rows(state), in_use(state)),
    about: Some(About { lines: 1, in_place_of_preview: false, text: about }),
    starts_at_mark: true,
    accept: |cx, pick, _| {
        if let Some((row, value)) = editing(cx.state).zip(pick.get::<&'static str>())
            && let Ok(literal) = row.literal(value)
        {
            screen::save(cx, row, literal);
        }
    },
    ..PickerSpec::EMPTY
};

fn editing(state: &State) -> Option<&'static Row> {
    Row::find(state.slots[SETTINGS].editing?)
}

fn rows(state: &State) -> Vec<PickRow> {
    let Some(row) = editing(state) else { return Vec::new() };
    let Kind::Choice(words) = row.kind else { return Vec::new() };
    let is_default = |word: &str| row.literal(word).is_ok_and(|literal| literal == row.default);
    let value = |word: &'static str| PickRow {
        text: word.to_string(),
        aliases: Vec::new(),
        group: None,
        detail: if is_default(word) { "default".to_string() } else { String::new() },
        pick: Pick::new(word),
    };
    words.iter().copied().map(value).collect()
}

fn in_use(state: &State) -> Vec<Pick> {
    let Some(row) = editing(state) else { return Vec::new() };
    let Kind::Choice(words) = row.kind else { return Vec::new() };
    let now = row.editable(&state.slots[SETTINGS].loaded.settings);
    words.iter().copied().filter(|word| *word == now).map(Pick::new).collect()
}

fn about(state: &State, _: &PickRow) -> Vec<String> {
    editing(state).map(|row| format!("{}: {}", row.key, row.doc)).into_iter().collect()
}
