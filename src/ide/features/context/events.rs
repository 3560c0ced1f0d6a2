//! The view of what the next request will hold: what keys do in it, and what comes back from the session.
//!
//! Must not know how it is drawn, nor how the context is made.

use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::context::view::ContextView;
use crate::ide::features::sessions::events as sessions;
use crate::runtime::Handle;

/// Begins a prompt that is told in place of an entry.
pub const TELL_WORD: &str = "/edit";

/// What could not be done where a task has no answer.
const TASK: &str = "ask what the next request holds";

/// Asks for the rows of the view of this number.
fn list(cx: &mut Cx<'_>, number: u64) {
    let Some(view) = view_of(cx.state).filter(|view| view.number == number) else { return };
    let done = view.lists.only(move |cx, contents| {
        with_numbered(cx, number, |view| view.take(contents));
    });
    let work = |session: Handle| async move { session.contents().await };
    ask_session(cx, "context.list", TASK, work, done);
}

/// The context is another one now: says what was done to it, and brings the view of this number up to date.
fn changed(cx: &mut Cx<'_>, number: u64, said: impl Into<String>) {
    cx.state.say(said);
    if with_numbered(cx, number, |_| {}) {
        list(cx, number);
    }
}

/// Shows it.
pub fn open(cx: &mut Cx<'_>) {
    if !cx.state.agent.connected {
        return cx.state.say("Session is starting; try again in a moment");
    }
    if let Some(view) = view_of(cx.state) {
        let number = view.number;
        return list(cx, number);
    }
    cx.state.agent.session_views += 1;
    let number = cx.state.agent.session_views;
    cx.state.push_layer(ContextView::new(number));
    list(cx, number);
}

fn view_of(state: &mut State) -> Option<&mut ContextView> {
    state.layers.all_mut::<ContextView>().next()
}

/// Does something to the view of this number, if it is still shown; returns whether it is.
fn with_numbered(cx: &mut Cx<'_>, number: u64, change: impl FnOnce(&mut ContextView)) -> bool {
    let Some(view) = view_of(cx.state).filter(|view| view.number == number) else { return false };
    change(view);
    cx.state.damage.add(Part::Overlay);
    true
}

/// Asks for what the screen still lacks.
pub fn settle(cx: &mut Cx<'_>) {
    let Some(view) = view_of(cx.state) else { return };
    let number = view.number;
    let Some(entry) = view.missing() else { return };
    let wanted = entry.clone();
    let work = |session: Handle| async move { session.told(wanted).await };
    ask_session(cx, "context.read", TASK, work, move |cx, told| {
        with_numbered(cx, number, |view| {
            if view.told.as_ref().is_some_and(|(of, _)| *of == entry) {
                view.told = Some((entry, told));
            }
        });
    });
}

/// Does something about the entry of the selected row.
fn at_row(cx: &mut Cx<'_>, act: impl FnOnce(&mut Cx<'_>, u64, String)) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    let number = view.number;
    match view.item().and_then(|item| item.entry.clone()) {
        Some(entry) => act(cx, number, entry),
        None => cx.state.say("Not a message of the conversation"),
    }
}

/// Does something about the selected row, if its content can be changed.
fn at_message(cx: &mut Cx<'_>, act: impl FnOnce(&mut Cx<'_>, u64, String)) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    let item = view.item();
    if item.is_some_and(|item| item.entry.is_some() && !item.editable) {
        return cx.state.say("Only messages and tool results can be edited (summary: /summary)");
    }
    at_row(cx, act);
}

/// Leaves the selected message out.
pub fn leave_out(cx: &mut Cx<'_>) {
    at_message(cx, |cx, number, entry| {
        let work = |session: Handle| async move { session.leave_out(entry).await };
        ask_session(cx, "context.exclude", TASK, work, move |cx, said| changed(cx, number, said));
    });
}

/// Tells the selected message again as it was.
pub fn as_it_was(cx: &mut Cx<'_>) {
    at_message(cx, |cx, number, entry| {
        let work = |session: Handle| async move { session.tell_as_it_was(entry).await };
        ask_session(cx, "context.restore-original", TASK, work, move |cx, said| changed(cx, number, said));
    });
}

/// Brings the words of the selected message into the prompt, to be changed there.
pub fn tell_differently(cx: &mut Cx<'_>) {
    at_message(cx, |cx, _, entry| {
        let words = view_of(cx.state).and_then(|view| view.words().map(str::to_string));
        let Some(words) = words else {
            return cx.state.say("Message is loading; try again");
        };
        cx.state.layers.close::<ContextView>();
        let now_ms = cx.now_ms;
        cx.state.prompt.put(&format!("{TELL_WORD} {entry} {words}"), now_ms);
        panes::focus(cx, Focus::Agent);
        cx.state.say("Edit the message here; Enter replaces it in the context");
        cx.state.damage.all();
    });
}

/// What stands behind `/tell`: an entry, and what is told in its place.
pub fn tell(cx: &mut Cx<'_>, text: &str) {
    let (entry, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if entry.is_empty() || words.trim().is_empty() {
        return cx.state.fail("Usage: /edit ENTRY TEXT. Entries: /context".to_string());
    }
    if cx.state.agent.connected {
        let (entry, words) = (entry.to_string(), words.trim().to_string());
        let work = |session: Handle| async move { session.tell_differently(entry, words).await };
        ask_session(cx, "context.replace", TASK, work, |cx, said| cx.state.say(said));
    }
}

/// Pins the selected message, or takes its pin away.
pub fn pin(cx: &mut Cx<'_>) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    let number = view.number;
    let Some((entry, was_pinned)) = view.item().and_then(|item| Some((item.pin.clone()?, item.pinned)))
    else {
        return cx.state.say("Only messages in the context can be pinned");
    };
    let said = if was_pinned {
        "Unpinned: compaction may summarize it"
    } else {
        "Pinned: compaction keeps it word for word"
    };
    let work = |session: Handle| async move { session.pin(entry, !was_pinned).await };
    ask_session(cx, "context.pin", TASK, work, move |cx, ()| changed(cx, number, said));
}

/// Goes to the selected row in the session tree.
pub fn accept(cx: &mut Cx<'_>) {
    at_row(cx, |cx, _, entry| {
        cx.state.layers.close::<ContextView>();
        sessions::open_with(cx, &entry);
    });
}
