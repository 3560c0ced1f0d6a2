//! Cursors put somewhere, a motion that failed, and edits that are one step: what every modal
//! command may need.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::Modes;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::text::modal::motion::page::Page;
use crate::text::position::{Column, Line};
use crate::text::selection::{Range, Selection};

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
        && state.layers.is_empty()
        && state.panes.focus == Focus::Editor
        && state.buffers.current().is_some()
}

/// Whether characters are typed into what has the keys.
pub fn types(state: &State) -> bool {
    !in_editor(state) || state.modal.mode.types()
}

/// Lets the edits that follow be one step.
pub fn group(state: &mut State) {
    if state.modal.held > 0 {
        return;
    }
    ungroup(state);
    if let Some(buffer) = state.buffers.current_mut() {
        buffer.area.document.group();
        state.modal.grouped = Some(buffer.id);
    }
}

/// Ends that.
pub fn ungroup(state: &mut State) {
    if state.modal.held > 0 {
        return;
    }
    if let Some(id) = state.modal.grouped.take()
        && let Some(buffer) = state.buffers.get_mut(id)
    {
        buffer.area.document.ungroup();
    }
}

/// Lets all edits be one step until [`release`], whatever their commands say.
pub fn hold(state: &mut State) {
    group(state);
    state.modal.held += 1;
}

/// Ends that.
pub fn release(state: &mut State) {
    state.modal.held = state.modal.held.saturating_sub(1);
    ungroup(state);
}

/// The column that the cursor aims at.
pub fn aimed(cx: &Cx<'_>) -> Column {
    let Some(buffer) = cx.state.buffers.current() else { return Column(0) };
    let page = Page::new(buffer.area.text(), cx.state.tab_width());
    page.aimed(&buffer.area.selection.primary())
}

/// Takes the cursor to a line, as far from its start as it is now.
pub fn to_line(cx: &mut Cx<'_>, line: Line) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page::new(buffer.area.text(), cx.state.tab_width());
    let here = buffer.area.caret();
    let along = here - page.start_of(here);
    let line = line.min(page.last_line());
    let at = page.rest((page.start(line) + along).min(page.end(line)));
    let goal = Some(aimed(cx));
    set(cx, Selection::single(Range { goal, ..Range::cursor(at) }));
}
