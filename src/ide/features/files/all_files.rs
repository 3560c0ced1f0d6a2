//! The workspace's files, streamed in by a walk under the ignore rules.

use crate::base::names;
use crate::ide::core::overlay::Pick;
use crate::ide::core::picker::{Load, Row};
use crate::ide::features::files::open::open;

/// The table's row.
pub const PICKER: Row = Row {
    id: "files",
    title: "files",
    footer: "Enter open",
    load: |_| Load::Walk,
    accept: |cx, pick, _| {
        if let Pick::File(path) = pick {
            let path = cx.state.workspace.join(names::read(path));
            cx.state.note_jump();
            open(cx, path, None);
        }
    },
};
