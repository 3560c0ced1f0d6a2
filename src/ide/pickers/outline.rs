//! The functions, types and headings of the file that is shown, each in what holds it.

use super::row::{Load, Row};
use crate::ide::commands::places;
use crate::ide::state::overlay::Pick;
use crate::ide::state::symbols::SymbolsJob;

/// The table's row.
pub const PICKER: Row = Row {
    id: "outline",
    title: "outline",
    footer: "Enter go",
    load: |state| match state.buffers.current().and_then(SymbolsJob::of) {
        Some(job) => Load::Symbols(Box::new(job)),
        None => Load::Rows(Vec::new(), Vec::new()),
    },
    accept: |cx, pick, _| {
        if let Pick::Symbol { buffer, version, at } = pick {
            places::go_to(cx, *buffer, *version, *at);
        }
    },
};
