//! The conversation's own messages: picking one goes back to it, and what is said next begins
//! a branch there. Nothing is lost: the way that was left stays in the session.

use super::row::{Load, Row};
use crate::ide::effect::Effect;
use crate::ide::state::overlay::Pick;

/// The table's row.
pub const PICKER: Row = Row {
    id: "session-tree",
    title: "conversation",
    footer: "Enter go back to",
    load: |_| Load::Entries,
    accept: |cx, pick, _| {
        if let Pick::Entry(id) = pick {
            cx.effects.push(Effect::Navigate(id.clone()));
        }
    },
};
