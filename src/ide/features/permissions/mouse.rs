//! The mouse in the waiting approval: a click gives it the keys and selects an answer, a click on the
//! selected answer gives it.

use ratatui::layout::Rect;

use crate::ide::core::context::Cx;
use crate::ide::core::panes::AgentPart;
use crate::ide::features::permissions::view::APPROVAL;
use crate::ide::features::permissions::{answers, pane};
use crate::tui::input::Mouse;

/// Handles a press or the wheel in the pane at `area`; `wheel` is the number of lines, 0 for none.
pub fn mouse(cx: &mut Cx<'_>, mouse: Mouse, area: Rect, (pressed, wheel): (bool, isize)) {
    if wheel != 0 {
        return answers::scroll(cx, wheel);
    }
    if !pressed {
        return;
    }
    let had_keys = cx.state.panes.is_agent_focused(AgentPart::Approval);
    let clicked = pane::choice_at(cx.state, mouse.col - area.x, mouse.row - area.y);
    answers::focus(cx);
    let Some(clicked) = clicked else { return };
    if had_keys && cx.state.slots[APPROVAL].selected == clicked {
        answers::choose(cx);
    } else {
        cx.state.slots[APPROVAL].selected = clicked;
    }
}
