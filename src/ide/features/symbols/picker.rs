//! The functions, types and headings of the file that is shown, each in what holds it.

use crate::ide::core::overlay::Pick;
use crate::ide::core::picker::{Load, Row};
use crate::ide::editor::commands::locations;
use crate::ide::features::symbols::job::SymbolsJob;

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
            locations::go_to(cx, *buffer, *version, *at);
        }
    },
};
