//! The person's snippets for the language of the file.

use super::row::{Load, Row};
use crate::ide::commands::snippets;
use crate::ide::state::overlay::Pick;

/// The table's row.
pub const PICKER: Row = Row {
    id: "snippets",
    title: "snippets",
    footer: "Enter put in",
    load: |_| Load::Snippets,
    accept: |cx, pick, _| {
        if let Pick::Snippet(body) = pick {
            snippets::put(cx, body);
        }
    },
};
