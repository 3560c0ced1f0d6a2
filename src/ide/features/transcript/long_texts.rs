//! Long texts that came at once: each frame shows more of them, so that keys never wait until all is laid out. Must not
//! know how a text is laid out.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::features::transcript::agents;
use crate::ide::features::transcript::focus::with_view;

/// Runs after a frame: lets more be laid out for the next one, behind the events that wait.
pub fn after_frame(cx: &mut Cx<'_>) {
    if !agents::shown(&cx.state.slots).1.borrow_mut().begin_laying_out() {
        return;
    }
    cx.tasks.spawn("transcript.lay-out-more", std::future::ready(()), |cx, _| {
        let item = agents::shown(&cx.state.slots).1.borrow_mut().end_laying_out();
        let Some(item) = item else { return };
        // A pane that is hidden by now asks again when it is drawn.
        if with_view(cx.state, |transcript, view, pane| view.lay_out_more(transcript, pane, item)).is_some() {
            cx.state.damage.add(Part::Transcript);
        }
    });
}
