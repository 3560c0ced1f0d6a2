//! What Enter does with several marked rows of a list. Must not know what its rows represent.

use crate::base::plural::pluralize;
use crate::ide::core::catalog::FilePlace;
use crate::ide::core::context::Cx;
use crate::ide::core::layers::last_picker::{self, Place};
use crate::ide::core::layers::picker::{Pick, Picker, close};

/// Accepts the marked rows of the topmost picker together; returns whether there are any. Places in files are opened, where
/// the list has nothing of its own to do with them.
pub fn accept(cx: &mut Cx<'_>) -> bool {
    let Some(picker) = cx.state.layers.top::<Picker>() else { return false };
    if picker.marked.is_empty() || !picker.spec.accepts_many() {
        return false;
    }
    if let Some(accept_many) = picker.spec.accept_many {
        if let Some(picker) = close(cx) {
            accept_many(cx, &picker.marked);
        }
        return true;
    }
    let marked = picker.marked.len();
    let places = last_picker::places(cx.state, 0).unwrap_or_default();
    if places.is_empty() {
        return false;
    }
    let left_out = marked - places.len();
    let place = |((path, line), _): (Place, Pick)| -> FilePlace { (path, line.map(|line| (line, 1))) };
    drop(close(cx));
    (cx.state.catalog.open_files)(cx, places.into_iter().map(place).collect());
    if left_out > 0 {
        cx.state
            .set_status(format!("{} in no file", pluralize(left_out, "marked row is", "marked rows are")));
    }
    true
}
