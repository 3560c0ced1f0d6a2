//! A click on the status line runs the command of the segment under it.

use crate::ide::core::context::Cx;
use crate::ide::features::status_line::segments::place;

/// Handles a press at a column.
pub fn press(cx: &mut Cx<'_>, col: u16) {
    if cx.state.is_accessible() {
        // The line has announcements.
        return;
    }
    let segments = place(cx.state, cx.state.size.0);
    let hit = segments.iter().find(|placed| (placed.x..placed.end()).contains(&col));
    if let Some(id) = hit.and_then(|placed| placed.segment.command) {
        cx.defer_command(id);
    }
}
