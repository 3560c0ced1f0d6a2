//! What was said before, in this folder and in others; picking one puts it into the prompt.

use crate::ide::core::overlay::Pick;
use crate::ide::core::picker::{Load, Row};
use crate::ide::features::history_search;

/// The table's row.
pub const PICKER: Row = Row {
    id: "prompts",
    title: "said before",
    footer: "Enter put into the prompt",
    load: |_| Load::Prompts,
    accept: |cx, pick, _| {
        if let Pick::Prompt(text) = pick {
            history_search::events::put(cx, text);
        }
    },
};
