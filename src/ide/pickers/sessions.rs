//! Sessions that were left: picking one goes on with it.

use super::row::{Load, Row};
use crate::ide::commands::Cx;
use crate::ide::sessions::{self, Work};
use crate::ide::state::overlay::Pick;
use crate::runtime::moving::Change;

/// Those of this folder.
pub const PICKER: Row = Row {
    id: "sessions",
    title: "sessions of this folder",
    footer: "Enter go on with it",
    load: |_| Load::Sessions { anywhere: false },
    accept: go_on,
};

/// Those of every folder. One of another folder goes on in a copy for this one.
pub const ANYWHERE: Row = Row {
    id: "sessions-anywhere",
    title: "sessions of all folders",
    footer: "Enter go on with it",
    load: |_| Load::Sessions { anywhere: true },
    accept: go_on,
};

fn go_on(cx: &mut Cx<'_>, pick: &Pick, _marked: &[Pick]) {
    if let Pick::Session(path) = pick {
        sessions::begin(cx, Work::Replace(Change::Open(path.clone())));
    }
}
