//! The key maps that come with bowline.

use crate::ide::core::keymap::BUILTIN;
use crate::ide::core::overlay::{Pick, PickRow};
use crate::ide::core::picker::{Load, Row};
use crate::ide::shell::input::use_keymap;

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
