//! Picker of encodings, to read the file again or to save it in one.

use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::ide::features::files::disk;
use crate::ide::features::files::save::save_in;
use crate::text::file_format::encoding::Encoding;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "encodings",
    title: "Change file encoding",
    footer: "Enter choose",
    load: |state| RowSource::Rows(rows(state), Vec::new()),
    accept: |cx, pick, _| {
        let (Some(encoding), Some(buffer)) = (pick.get::<Encoding>().copied(), cx.state.buffers.current())
        else {
            return;
        };
        let (id, name) = (buffer.id, buffer.name());
        let mut dialog = Dialog::ask(encoding.name(), vec![format!("{name} in {}:", encoding.name())]);
        if buffer.stamp.is_some() {
            dialog = dialog.choice('r', "Reopen with encoding", move |cx| {
                disk::reload_with_encoding(cx, id, true, Some(encoding));
            });
        }
        let dialog = dialog
            .choice('s', "Save with encoding", move |cx| save_in(cx, id, encoding))
            .close('n', "Cancel");
        cx.state.push_layer(dialog);
    },
    ..PickerSpec::EMPTY
};

fn rows(state: &State) -> Vec<PickRow> {
    let current = state.buffers.current().map(|buffer| buffer.area.document.format().encoding);
    let row = |encoding: Encoding| PickRow {
        text: encoding.name().to_string(),
        aliases: Vec::new(),
        group: None,
        detail: if Some(encoding) == current { "● this file".to_string() } else { String::new() },
        pick: Pick::new(encoding),
    };
    Encoding::all().map(row).collect()
}
