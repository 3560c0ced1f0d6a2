//! The key maps that come with bowline.

use super::row::{Load, Row};
use crate::ide::input::use_keymap;
use crate::ide::keys::keymap::BUILTIN;
use crate::ide::state::overlay::{Pick, PickRow};

/// The table's row.
pub const PICKER: Row = Row {
    id: "keymaps",
    title: "key maps",
    footer: "Enter use for this run",
    load: |_| Load::Rows(rows(), Vec::new()),
    accept: |cx, pick, _| {
        if let Pick::Keymap(name) = pick {
            use_keymap(cx, name);
        }
    },
};

fn rows() -> Vec<PickRow> {
    let row = |(name, text): &(&'static str, &str)| PickRow {
        text: (*name).to_string(),
        detail: text.lines().next().unwrap_or_default().trim_start_matches("# ").to_string(),
        pick: Pick::Keymap(name),
    };
    BUILTIN.iter().map(row).collect()
}
