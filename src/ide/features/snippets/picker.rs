//! The person's snippets for the language of the file.

use crate::ide::core::overlay::Pick;
use crate::ide::core::picker::{Load, Row};
use crate::ide::features::snippets;

/// The table's row.
pub const PICKER: Row = Row {
    id: "snippets",
    title: "snippets",
    footer: "Enter put in",
    load: |_| Load::Snippets,
    accept: |cx, pick, _| {
        if let Pick::Snippet(body) = pick {
            snippets::commands::put(cx, body);
        }
    },
};
