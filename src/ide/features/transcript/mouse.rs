//! The mouse in the conversation: a click on the head of a call or of thinking folds or unfolds it. Any other
//! press gives the keys to the prompt.

use ratatui::layout::Rect;

use crate::ide::core::context::Cx;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::transcript::focus::with_view;
use crate::tui::input::Mouse;

/// Handles a press in the pane at `area`.
pub fn press(cx: &mut Cx<'_>, mouse: Mouse, area: Rect) {
    let row = mouse.row - area.y;
    let folded = with_view(cx.state, |transcript, view, pane| {
        let mut pressed = None;
        view.visit(transcript, pane.show, pane.size, |shown, _| {
            if shown.row == row {
                pressed = Some(shown);
            }
        });
        let head = pressed.filter(|shown| shown.line == 0)?;
        let item = transcript.item(head.item)?;
        Some(view.toggle_fold(item, pane.show))
    });
    if folded.flatten() != Some(true) {
        panes::focus(cx, Focus::Agent);
    }
}
