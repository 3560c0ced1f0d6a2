//! Encodings: to read the file again in one, or to save it in one.

use crate::ide::core::overlay::{Answer, Dialog, Overlay, Pick, PickRow};
use crate::ide::core::picker::{Load, Row};
use crate::ide::core::state::State;
use crate::text::encoding::Encoding;

/// The table's row.
pub const PICKER: Row = Row {
    id: "encodings",
    title: "encodings",
    footer: "Enter choose",
    load: |state| Load::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| {
        let (Pick::Encoding(encoding), Some(buffer)) = (pick, cx.state.buffers.current()) else { return };
        let (id, name) = (buffer.id, buffer.name());
        let mut dialog = Dialog::ask(encoding.name(), vec![format!("{name} in {}:", encoding.name())]);
        if buffer.stamp.is_some() {
            dialog = dialog.choice('r', "read it again so", Answer::ReadAs(id, *encoding));
        }
        let dialog = dialog.choice('s', "save it so", Answer::SaveIn(id, *encoding)).choice(
            'n',
            "neither",
            Answer::Dismiss,
        );
        cx.state.push_overlay(Overlay::Dialog(dialog));
    },
};

fn rows(state: &State) -> Vec<PickRow> {
    let current = state.buffers.current().map(|buffer| buffer.area.document.format().encoding);
    let row = |encoding: Encoding| PickRow {
        text: encoding.name().to_string(),
        detail: if Some(encoding) == current { "● this file".to_string() } else { String::new() },
        pick: Pick::Encoding(encoding),
    };
    Encoding::all().map(row).collect()
}
