//! Helpers of modal commands: placing cursors, failed motions, edits that form one undo step.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::position::{Column, Line};
use crate::text::selection::{Range, Selection};

/// Handles a failed motion: cancels what waits for it, and ends a replay.
pub fn fail_motion(cx: &mut Cx<'_>) {
    cx.state.modal.reset_pending();
    cx.state.modal.failed = true;
}

/// Sets the cursors.
pub fn set_selection(cx: &mut Cx<'_>, selection: Selection) {
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.area.selection = selection;
        buffer.area.caret_override = None;
    }
    cx.state.damage.add(Part::Editor);
}

/// Returns whether keys go to an editor with modes.
pub fn is_modal_editor(state: &State) -> bool {
    state.keymap.modal_style() != ModalStyle::None
        && state.layers.is_empty()
        && state.panes.focus == Focus::Editor
        && state.buffers.current().is_some()
}

/// Returns whether characters are typed into the focused text.
pub fn is_typing(state: &State) -> bool {
    !is_modal_editor(state) || state.modal.mode.is_typing()
}

/// Makes the edits that follow one undo step.
pub fn begin_undo_group(state: &mut State) {
    if state.modal.group_depth > 0 {
        return;
    }
    end_undo_group(state);
    if let Some(buffer) = state.buffers.current_mut() {
        buffer.area.document.group();
        state.modal.grouped_buffer = Some(buffer.id);
    }
}

/// Ends that.
pub fn end_undo_group(state: &mut State) {
    if state.modal.group_depth > 0 {
        return;
    }
    if let Some(id) = state.modal.grouped_buffer.take()
        && let Some(buffer) = state.buffers.get_mut(id)
    {
        buffer.area.document.ungroup();
    }
}

/// Makes all edits one undo step until [`release`], regardless of their commands.
pub fn hold_undo_group(state: &mut State) {
    begin_undo_group(state);
    state.modal.group_depth += 1;
}

/// Ends that.
pub fn release_undo_group(state: &mut State) {
    state.modal.group_depth = state.modal.group_depth.saturating_sub(1);
    end_undo_group(state);
}

/// The column that the cursor aims at.
pub fn goal_column(cx: &Cx<'_>) -> Column {
    let Some(buffer) = cx.state.buffers.current() else { return Column(0) };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    page.goal_column(&buffer.area.selection.primary())
}

/// Moves the cursor to a line, keeping its distance from the start of the line.
pub fn move_to_line(cx: &mut Cx<'_>, line: Line) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let here = buffer.area.caret();
    let along = here - page.start_of(here);
    let line = line.min(page.last_line());
    let at = page.cursor_position((page.start(line) + along).min(page.end(line)));
    let goal = Some(goal_column(cx));
    set_selection(cx, Selection::single(Range { goal, ..Range::cursor(at) }));
}
