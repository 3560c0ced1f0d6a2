//! Sessions of every folder: one of another folder goes on in a copy for this one.

use crate::ide::core::layers::picker::{Load, Row};
use crate::ide::features::sessions;

/// The table's row.
pub const PICKER: Row = Row {
    id: "sessions-anywhere",
    title: "Sessions of all folders",
    footer: "Enter resume  Ctrl-d delete",
    load: |_| Load::Task(|cx, injector, picker| sessions::picker::list(cx, injector, picker, true)),
    accept: sessions::picker::go_on,
};
