//! The picker of themes, which shows the selected one.

use crate::ide::core::layers::picker::{Pick, PickRow, PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::themes::switch::{self, THEMES};
use crate::tui::theme::ThemeChoice;
use crate::tui::theme::choice::AUTO;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "themes",
    title: "Theme",
    footer: "✓ in use  Enter use and save",
    load: |state| RowSource::Rows(rows(state), vec![Pick::new(switch::chosen(state))]),
    accept: |cx, pick, _| {
        if let Some(choice) = pick.get::<String>() {
            switch::choose(cx, choice);
        }
    },
    starts_at_mark: true,
    on_select: |cx, pick| {
        if let Some(choice) = pick.get::<String>() {
            switch::show(cx, &ThemeChoice::parse(choice));
        }
    },
    on_cancel: |cx| {
        let choice = cx.state.slots[THEMES].choice.clone();
        switch::show(cx, &choice);
    },
    ..PickerSpec::EMPTY
};

fn rows(state: &State) -> Vec<PickRow> {
    let row = |text: &str, detail: &str| PickRow {
        text: text.to_string(),
        aliases: Vec::new(),
        group: None,
        detail: detail.to_string(),
        pick: Pick::new(text.to_string()),
    };
    let pair = Some(switch::chosen(state)).filter(|chosen| chosen.contains('/'));
    let pair = pair.iter().map(|pair| row(pair, "light / dark"));
    let names = switch::names(state).map(|(name, _)| row(name, ""));
    std::iter::once(row(AUTO, "follows the terminal")).chain(pair).chain(names).collect()
}
