//! Picker of the sessions of this folder, to delete one.

use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::features::sessions::picker::SessionFile;
use crate::ide::features::sessions::picker::{last_messages, list};
use crate::ide::features::sessions::trash::ask_to_delete;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "sessions-delete",
    title: "Delete session",
    footer: "Enter move to trash",
    load: |_| RowSource::Task(|cx, injector, picker| list(cx, injector, picker, false)),
    preview: Some(last_messages),
    has_places: false,
    accept: |cx, pick, _| {
        if let Some(SessionFile(path)) = pick.get() {
            ask_to_delete(cx, path.clone(), "");
        }
    },
    commands: &["session.delete"],
    ..PickerSpec::EMPTY
};
