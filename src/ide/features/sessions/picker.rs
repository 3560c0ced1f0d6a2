//! Sessions that were left: picking one goes on with it.

use crate::ide::core::context::Cx;
use crate::ide::core::overlay::Pick;
use crate::ide::core::picker::{Load, Row};
use crate::ide::features::sessions::events as sessions;
use crate::ide::features::sessions::work::Work;
use crate::runtime::moving::Change;

/// Those of this folder.
pub const PICKER: Row = Row {
    id: "sessions",
    title: "sessions of this folder",
    footer: "Enter go on with it  Ctrl-d delete",
    load: |_| Load::Sessions { anywhere: false },
    accept: go_on,
};

/// Goes on with the session that was picked.
pub fn go_on(cx: &mut Cx<'_>, pick: &Pick, _marked: &[Pick]) {
    if let Pick::Session(path) = pick {
        sessions::begin(cx, Work::Replace(Change::Open(path.clone(), None)));
    }
}
