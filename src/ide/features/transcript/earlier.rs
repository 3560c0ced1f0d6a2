//! Earlier messages on the event loop: they are requested when the screen comes near them or the user goes to
//! the start, and inserted before the others when they arrive.
//!
//! Must not know where they are stored.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::slots::Slots;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::ide::features::transcript::items::earlier_messages::Fetched;
use crate::ide::features::transcript::view::TRANSCRIPT_VIEW;
use crate::session::format::message::PagePosition;

/// Message shown until the start of a long conversation is loaded.
const LOADING: &str = "Loading the start of the conversation…";

/// Runs after a frame: requests messages near the screen, and releases distant ones.
pub fn after_frame(cx: &mut Cx<'_>) {
    let state = &mut *cx.state;
    let in_front = state.slots[TRANSCRIPT].prepended_count();
    let view = state.slots[TRANSCRIPT_VIEW].get_mut();
    let wants_earlier = view.needs_earlier();
    if in_front > 0 && view.can_drop(in_front) {
        view.shift(0, in_front);
        // Freeing memory takes time.
        let released = state.slots[TRANSCRIPT].drop_prepended();
        cx.tasks.detach(on_thread(move || drop(released)));
    }
    if wants_earlier && let Some(position) = state.slots[TRANSCRIPT].take_earlier_request() {
        fetch(cx, position);
    }
}

/// Makes the session read the messages before a position.
fn fetch(cx: &Cx<'_>, from: PagePosition) {
    let Some(session) = cx.session.cloned() else { return };
    let tools = cx.state.tools.clone();
    let (position, known) = (from.clone(), tools.clone());
    let fetched = async move {
        let piece = session.earlier_messages(position.clone()).await.map_err(|report| report.to_string());
        // Building the items of many messages is too slow for the event loop.
        Fetched::new(position, piece, &known)
    };
    cx.tasks.spawn("transcript.fetch-earlier", fetched, move |cx, fetched| {
        let fetched = fetched.unwrap_or_else(|error| Fetched::new(from, Err(error.to_string()), &tools));
        on_fetched(cx, fetched);
    });
}

/// Requests the messages before those that are loaded; returns whether there are any.
pub fn load_more(cx: &mut Cx<'_>) -> bool {
    if let Some(position) = cx.state.slots[TRANSCRIPT].take_earlier_request() {
        fetch(cx, position);
    }
    cx.state.slots[TRANSCRIPT].has_earlier()
}

/// Shows the start of the conversation, which may have to be loaded first.
pub fn scroll_to_start(cx: &mut Cx<'_>) {
    if scroll_to_top(&cx.state.slots) {
        cx.state.set_status(LOADING);
        after_frame(cx);
    }
}

/// Shows the start of the loaded part; returns whether the conversation has an earlier one.
fn scroll_to_top(slots: &Slots) -> bool {
    let mut view = slots[TRANSCRIPT_VIEW].borrow_mut();
    view.to_top(&slots[TRANSCRIPT]);
    view.is_seeking_start()
}

/// Handles a loaded part.
fn on_fetched(cx: &mut Cx<'_>, fetched: Fetched) {
    let state = &mut *cx.state;
    let Some(count) = state.slots[TRANSCRIPT].prepend(fetched, &state.tools) else { return };
    let view = state.slots[TRANSCRIPT_VIEW].get_mut();
    view.shift(count, 0);
    state.damage.add(Part::Transcript);
    let sought = view.is_seeking_start();
    let seeks = sought && scroll_to_top(&state.slots);
    if !seeks && state.status.message == LOADING {
        state.set_status("");
    }
    if sought {
        after_frame(cx);
    }
}
