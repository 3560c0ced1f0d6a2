//! The places that a command of a plugin listed last.

use crate::ide::core::overlay::Pick;
use crate::ide::core::panes::Focus;
use crate::ide::core::picker::{Load, Row};
use crate::ide::editor::commands::panes;
use crate::ide::features::files;

/// The table's row.
pub const PICKER: Row = Row {
    id: "plugin-places",
    title: "places",
    footer: "Enter go",
    load: |state| Load::Rows(state.plugins.places.1.clone(), Vec::new()),
    accept: |cx, pick, _| {
        if let Pick::Place { path, line, column } = pick {
            cx.state.note_jump();
            files::open::open(cx, path.clone(), Some((*line, *column)));
            panes::focus(cx, Focus::Editor);
        }
    },
};
