//! What was said before, in this folder and in others; picking one puts it into the prompt.

use super::row::{Load, Row};
use crate::ide::past::events;
use crate::ide::state::overlay::Pick;

/// The table's row.
pub const PICKER: Row = Row {
    id: "prompts",
    title: "said before",
    footer: "Enter put into the prompt",
    load: |_| Load::Prompts,
    accept: |cx, pick, _| {
        if let Pick::Prompt(text) = pick {
            events::put(cx, text);
        }
    },
};
