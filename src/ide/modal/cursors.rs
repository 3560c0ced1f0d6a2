//! Cursors put somewhere, a motion that failed, and edits that are one step: what every modal
//! command may need.

use crate::ide::commands::Cx;
use crate::ide::keys::Modes;
use crate::ide::state::State;
use crate::ide::state::damage::Part;
use crate::ide::state::panes::Focus;
use crate::text::selection::Selection;

/// A motion failed: what waited is given up, and a replay ends.
pub fn fail(cx: &mut Cx<'_>) {
    cx.state.modal.forget();
    cx.state.modal.failed = true;
}

/// Puts the cursors somewhere.
pub fn set(cx: &mut Cx<'_>, selection: Selection) {
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.area.selection = selection;
        buffer.area.standing = None;
    }
    cx.state.damage.add(Part::Editor);
}

/// Whether keys go to an editor with modes.
pub fn in_editor(state: &State) -> bool {
    state.keymap.modes() != Modes::None
        && state.overlays.is_empty()
        && state.panes.focus == Focus::Editor
        && state.buffers.current().is_some()
}

/// Whether characters are typed into what has the keys.
pub fn types(state: &State) -> bool {
    !in_editor(state) || state.modal.mode.types()
}

/// Lets the edits that follow be one step.
pub fn group(state: &mut State) {
    ungroup(state);
    if let Some(buffer) = state.buffers.current_mut() {
        buffer.area.document.group();
        state.modal.grouped = Some(buffer.id);
    }
}

/// Ends that.
pub fn ungroup(state: &mut State) {
    if let Some(id) = state.modal.grouped.take()
        && let Some(buffer) = state.buffers.get_mut(id)
    {
        buffer.area.document.ungroup();
    }
}
