//! Event handling of the context report: keys and responses of the session.
//!
//! Must not know how it is drawn, nor how the context is built.

use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::context::view::ContextView;
use crate::ide::features::sessions::events as sessions;
use crate::runtime::Handle;

/// Slash command of a prompt whose text replaces that of an entry.
pub const EDIT_COMMAND: &str = "/edit";

/// What failed, for the message when a task has no result.
const TASK: &str = "ask what the next request holds";

/// Requests the rows of the report with this number.
fn request_rows(cx: &mut Cx<'_>, number: u64) {
    let Some(view) = view_of(cx.state).filter(|view| view.number == number) else { return };
    let done = view.row_requests.begin(move |cx, contents| {
        with_numbered(cx, number, |view| view.set_report(contents));
    });
    let work = |session: Handle| async move { session.context_report().await };
    ask_session(cx, "context.list", TASK, work, done);
}

/// Handles a changed context: shows a message and refreshes the report with this number.
fn report_change(cx: &mut Cx<'_>, number: u64, message: impl Into<String>) {
    cx.state.set_status(message);
    if with_numbered(cx, number, |_| {}) {
        request_rows(cx, number);
    }
}

/// Opens the report.
pub fn open(cx: &mut Cx<'_>) {
    if !cx.state.agent.connected {
        return cx.state.set_status("Session is starting; try again in a moment");
    }
    if let Some(view) = view_of(cx.state) {
        let number = view.number;
        return request_rows(cx, number);
    }
    cx.state.agent.session_views += 1;
    let number = cx.state.agent.session_views;
    cx.state.push_layer(ContextView::new(number));
    request_rows(cx, number);
}

fn view_of(state: &mut State) -> Option<&mut ContextView> {
    state.layers.all_mut::<ContextView>().next()
}

/// Changes the report with this number, if it is still open; returns whether it is.
fn with_numbered(cx: &mut Cx<'_>, number: u64, change: impl FnOnce(&mut ContextView)) -> bool {
    let Some(view) = view_of(cx.state).filter(|view| view.number == number) else { return false };
    change(view);
    cx.state.damage.add(Part::Overlay);
    true
}

/// Requests what is missing on the screen.
pub fn after_frame(cx: &mut Cx<'_>) {
    let Some(view) = view_of(cx.state) else { return };
    let number = view.number;
    let Some(entry) = view.take_missing_entry() else { return };
    let entry_id = entry.clone();
    let work = |session: Handle| async move { session.sent_message(entry_id).await };
    ask_session(cx, "context.read", TASK, work, move |cx, report| {
        with_numbered(cx, number, |view| {
            if view.sent.as_ref().is_some_and(|(loaded_id, _)| *loaded_id == entry) {
                view.sent = Some((entry, report));
            }
        });
    });
}

/// Runs an action on the entry of the selected row.
fn with_selected_entry(cx: &mut Cx<'_>, action: impl FnOnce(&mut Cx<'_>, u64, String)) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    let number = view.number;
    match view.item().and_then(|item| item.entry.clone()) {
        Some(entry) => action(cx, number, entry),
        None => cx.state.set_status("Not a message of the conversation"),
    }
}

/// Runs an action on the selected row, if its content can be changed.
fn with_selected_message(cx: &mut Cx<'_>, action: impl FnOnce(&mut Cx<'_>, u64, String)) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    let item = view.item();
    if item.is_some_and(|item| item.entry.is_some() && !item.editable) {
        return cx.state.set_status("Only messages and tool results can be edited (summary: /summary)");
    }
    with_selected_entry(cx, action);
}

/// Excludes the selected message from the context.
pub fn exclude_message(cx: &mut Cx<'_>) {
    with_selected_message(cx, |cx, number, entry| {
        let work = |session: Handle| async move { session.exclude_from_context(entry).await };
        ask_session(cx, "context.exclude", TASK, work, move |cx, message| report_change(cx, number, message));
    });
}

/// Restores the original text of the selected message.
pub fn restore_original(cx: &mut Cx<'_>) {
    with_selected_message(cx, |cx, number, entry| {
        let work = |session: Handle| async move { session.restore_original(entry).await };
        ask_session(cx, "context.restore-original", TASK, work, move |cx, message| {
            report_change(cx, number, message);
        });
    });
}

/// Puts the text of the selected message into the prompt for editing.
pub fn edit_message(cx: &mut Cx<'_>) {
    with_selected_message(cx, |cx, _, entry| {
        let words = view_of(cx.state).and_then(|view| view.editable_text().map(str::to_string));
        let Some(words) = words else {
            return cx.state.set_status("Message is loading; try again");
        };
        cx.state.layers.close::<ContextView>();
        let now_ms = cx.now_ms;
        cx.state.prompt.replace_text(&format!("{EDIT_COMMAND} {entry} {words}"), now_ms);
        panes::focus(cx, Focus::Agent);
        cx.state.set_status("Edit the message here; Enter replaces it in the context");
        cx.state.damage.add_all();
    });
}

/// Parses the arguments of the slash command: an entry, and the text that replaces it.
pub fn replace_message(cx: &mut Cx<'_>, text: &str) -> Result<(), String> {
    let (entry, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if entry.is_empty() || words.trim().is_empty() {
        return Err("Usage: /edit ENTRY TEXT. Entries: /context".to_string());
    }
    if cx.state.agent.connected {
        let (entry, words) = (entry.to_string(), words.trim().to_string());
        let work = |session: Handle| async move { session.replace_in_context(entry, words).await };
        ask_session(cx, "context.replace", TASK, work, |cx, message| cx.state.set_status(message));
    }
    Ok(())
}

/// Toggles the pin of the selected message.
pub fn toggle_pin(cx: &mut Cx<'_>) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    let number = view.number;
    let Some((entry, was_pinned)) = view.item().and_then(|item| Some((item.pin.clone()?, item.pinned)))
    else {
        return cx.state.set_status("Only messages in the context can be pinned");
    };
    let message = if was_pinned {
        "Unpinned: compaction may summarize it"
    } else {
        "Pinned: compaction keeps it word for word"
    };
    let work = |session: Handle| async move { session.pin(entry, !was_pinned).await };
    ask_session(cx, "context.pin", TASK, work, move |cx, ()| report_change(cx, number, message));
}

/// Goes to the selected row in the session tree.
pub fn go_to_entry(cx: &mut Cx<'_>) {
    with_selected_entry(cx, |cx, _, entry| {
        cx.state.layers.close::<ContextView>();
        sessions::open_at(cx, &entry);
    });
}
