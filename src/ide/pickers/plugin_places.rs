//! The places that a command of a plugin listed last.

use super::row::{Load, Row};
use crate::ide::commands::view;
use crate::ide::effect::Effect;
use crate::ide::state::overlay::Pick;
use crate::ide::state::panes::Focus;

/// The table's row.
pub const PICKER: Row = Row {
    id: "plugin-places",
    title: "places",
    footer: "Enter go",
    load: |state| Load::Rows(state.plugins.places.1.clone(), Vec::new()),
    accept: |cx, pick, _| {
        if let Pick::Place { path, line, column } = pick {
            cx.state.note_jump();
            cx.effects.push(Effect::Open { path: path.clone(), at: Some((*line, *column)) });
            view::focus(cx, Focus::Editor);
        }
    },
};
