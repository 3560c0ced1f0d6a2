//! The places that a command of a plugin listed last.

use crate::ide::core::effect::Effect;
use crate::ide::core::overlay::Pick;
use crate::ide::core::panes::Focus;
use crate::ide::core::picker::{Load, Row};
use crate::ide::editor::commands::panes;

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
            panes::focus(cx, Focus::Editor);
        }
    },
};
