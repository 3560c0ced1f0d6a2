//! Commands of the conversation.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::features::transcript::earlier;
use crate::ide::features::transcript::view::{self, TRANSCRIPT_VIEW};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("transcript.page-up", "Scroll conversation up", &[], |cx| scroll(cx, Some(-1))),
    command("transcript.page-down", "Scroll conversation down", &[], |cx| scroll(cx, Some(1))),
    command("transcript.top", "Scroll to conversation start", &[], |cx| scroll_end(cx, true)),
    command("transcript.bottom", "Scroll to conversation end", &["latest message"], |cx| {
        scroll_end(cx, false);
    }),
];

fn scroll(cx: &mut Cx<'_>, pages: Option<isize>) {
    let rows = cx.state.areas.transcript.map_or(1, |area| isize::from(area.height as i16));
    let lines = pages.unwrap_or(0) * (rows - 2).max(1);
    view::scroll(cx.state, lines);
}

fn scroll_end(cx: &mut Cx<'_>, top: bool) {
    if top {
        earlier::scroll_to_start(cx);
    } else {
        cx.state.slots[TRANSCRIPT_VIEW].borrow_mut().to_tail();
    }
    cx.state.damage.add(Part::Transcript);
}
