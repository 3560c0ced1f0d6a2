//! Picker of the sessions of all folders: one of another folder continues in a copy for this one.

use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::features::sessions;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "sessions-anywhere",
    title: "Sessions of all folders",
    footer: "Enter resume  Ctrl-d delete",
    load: |_| RowSource::Task(|cx, injector, picker| sessions::picker::list(cx, injector, picker, true)),
    preview: Some(sessions::picker::last_messages),
    has_places: false,
    accept: sessions::picker::resume_session,
    commands: &["session.delete"],
    ..PickerSpec::EMPTY
};
