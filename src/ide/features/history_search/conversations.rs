//! The places in all conversations where the query stands; every key begins the search anew.

use crate::ide::core::overlay::Pick;
use crate::ide::core::picker::{Load, Row};
use crate::ide::features::history_search;

/// The table's row.
pub const PICKER: Row = Row {
    id: "session-search",
    title: "search conversations",
    footer: "Enter go · file: command: project: role: since:",
    load: |_| Load::Live(String::new()),
    accept: |cx, pick, _| {
        if let Pick::Said { session, file, entry } = pick {
            history_search::events::open_at(cx, session, file, entry);
        }
    },
};
