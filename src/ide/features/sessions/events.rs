//! The session tree and other sessions on the event loop: requests to the session and their results. Must not
//! know how the tree is drawn.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::base::error::Report;
use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::drafts;
use crate::ide::features::drafts::state::DRAFTS;
use crate::ide::features::message_queue::take_back;
use crate::ide::features::sessions;
use crate::ide::features::sessions::view::{Matches, Missing, SessionView};
use crate::llm::model::UserMessage;
use crate::runtime::history::navigation::{NavigationTarget, SessionSwitch};
use crate::runtime::{BranchSummaryChoice, Handle};
use crate::session::derived::outline::Filter;

/// What failed, for the message when a task has no result.
const TASK: &str = "ask the session";

/// Number of entries whose texts are requested at once, so that the session is not blocked.
const TEXTS_BATCH: usize = 500;

/// Returns whether the session is connected; if not, reports that.
pub fn is_connected(cx: &mut Cx<'_>) -> bool {
    if !cx.state.agent.connected {
        cx.state.set_status("Session is starting; try again in a moment");
    }
    cx.state.agent.connected
}

/// Replaces the session by another one.
pub fn replace(cx: &mut Cx<'_>, change: SessionSwitch) {
    let words = match change {
        SessionSwitch::New(_) => "New session. Previous: “Resume session” in the palette",
        SessionSwitch::Open(..) => "Resumed session",
        SessionSwitch::Fork(_) => "Forked session. The original is unchanged",
        SessionSwitch::Copy => "Copied session. The original is unchanged",
    };
    if is_connected(cx) {
        let work = |session: Handle| async move { session.replace(change).await };
        let switches = cx.state.slots[DRAFTS].switches;
        ask_session(cx, "sessions.replace", TASK, work, move |cx, message| {
            on_replaced(cx, message, words, switches);
        });
    }
}

/// Opens another session where it was left, and its tree with an entry selected.
pub fn open_session_at(cx: &mut Cx<'_>, file: PathBuf, entry: String) {
    if is_connected(cx) {
        let work = |session: Handle| async move { session.replace(SessionSwitch::Open(file, None)).await };
        let switches = cx.state.slots[DRAFTS].switches;
        ask_session(cx, "sessions.replace", TASK, work, move |cx, message| {
            on_replaced(cx, message, "Resumed session", switches);
            open_at(cx, &entry);
        });
    }
}

/// Moves the conversation to another entry, optionally with a summary of the branch that is left.
pub fn go_to_entry(cx: &mut Cx<'_>, spot: NavigationTarget, summary: BranchSummaryChoice) {
    if is_connected(cx) {
        start_navigation(cx, spot, summary);
    }
}

fn start_navigation(cx: &mut Cx<'_>, spot: NavigationTarget, summary: BranchSummaryChoice) {
    let words = match spot {
        NavigationTarget::Root => "Started over. Earlier messages stay in the session tree",
        _ => "Conversation continues from here. The rest stays in the session tree",
    };
    let work = |session: Handle| async move { session.go_with(spot, summary).await };
    ask_session(cx, "sessions.go", TASK, work, move |cx, message| on_moved(cx, message, words));
}

/// Handles the replacement of the session that was requested after `switches` others.
fn on_replaced(cx: &mut Cx<'_>, user_message: Option<UserMessage>, words: &str, switches: u64) {
    on_moved(cx, None, words);
    if let Some(message) = user_message {
        drafts::events::restore_after_switch(cx, message, switches);
    }
}

/// Handles a move of the conversation.
fn on_moved(cx: &mut Cx<'_>, user_message: Option<UserMessage>, words: &str) {
    cx.state.layers.close::<SessionView>();
    panes::focus(cx, Focus::Agent);
    cx.state.set_status(words);
    if let Some(message) = user_message {
        take_back::restore_to_prompt(cx, vec![message]);
    }
    cx.state.damage.add_all();
}

/// Names the session.
pub fn rename(cx: &mut Cx<'_>, name: String) {
    if !is_connected(cx) {
        return;
    }
    let work = |session: Handle| async move { session.rename_session(name.clone()).await.map(|()| name) };
    ask_session(cx, "sessions.rename", TASK, work, |cx, name| {
        cx.state.set_status(format!("Session name: {name}"));
        if let Some(view) = view_of(cx.state) {
            view.name = Some(name.clone());
        }
        cx.state.agent.name = Some(name);
        cx.state.damage.add_all();
    });
}

/// Sets or removes the label of an entry, for the tree with this number.
pub fn label(cx: &mut Cx<'_>, number: u64, entry: String, label: Option<String>) {
    if !is_connected(cx) {
        return;
    }
    let work = |session: Handle| async move { session.set_label(entry, label).await };
    ask_session(cx, "sessions.label", TASK, work, move |cx, ()| {
        if let Some(view) = view_numbered(cx.state, number) {
            view.invalidate();
            let filter = view.filter;
            request_outline(cx, number, filter);
        }
    });
}

/// Requests the entries of the tree with this number.
fn request_outline(cx: &mut Cx<'_>, number: u64, filter: Filter) {
    let Some(view) = view_numbered(cx.state, number) else { return };
    let done =
        view.outlines.begin(move |cx, outline| with_numbered(cx, number, |view| view.set_outline(outline)));
    let work = |session: Handle| async move { session.outline(filter).await };
    ask_session(cx, "sessions.outline", TASK, work, done);
}

/// Opens the tree.
pub fn open(cx: &mut Cx<'_>) {
    show(cx, |_| {});
}

/// Opens the tree with all entries, this one selected.
pub fn open_at(cx: &mut Cx<'_>, entry: &str) {
    show(cx, |view| view.select_when_loaded(entry));
}

fn show(cx: &mut Cx<'_>, set: impl FnOnce(&mut SessionView)) {
    if !is_connected(cx) {
        return;
    }
    cx.state.layers.close::<SessionView>();
    cx.state.agent.session_views += 1;
    let mut view = SessionView::new(cx.state.agent.session_views, cx.now_ms, cx.state.agent.name.clone());
    set(&mut view);
    let (number, filter) = (view.number, view.filter);
    cx.state.push_layer(view);
    request_outline(cx, number, filter);
}

/// Returns the tree, if it is on top or covered by other layers.
pub fn view_of(state: &mut State) -> Option<&mut SessionView> {
    state.layers.all_mut::<SessionView>().next()
}

/// Returns the tree, if it is the one with this number.
fn view_numbered(state: &mut State, number: u64) -> Option<&mut SessionView> {
    view_of(state).filter(|view| view.number == number)
}

/// Changes the tree with this number, if it is still open.
fn with_numbered(cx: &mut Cx<'_>, number: u64, change: impl FnOnce(&mut SessionView)) {
    if let Some(view) = view_numbered(cx.state, number) {
        change(view);
        cx.state.damage.add(Part::Overlay);
    }
}

/// Changes the open tree.
pub fn with_view(cx: &mut Cx<'_>, change: impl FnOnce(&mut SessionView)) {
    match view_of(cx.state) {
        Some(view) => {
            change(view);
            cx.state.damage.add(Part::Overlay);
        }
        None => open(cx),
    }
}

/// Runs an action on the selected row.
pub fn with_selected_entry(cx: &mut Cx<'_>, action: impl FnOnce(&mut Cx<'_>, u64, String)) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    let number = view.number;
    match view.selected_row().map(|row| row.id.to_string()) {
        Some(id) => action(cx, number, id),
        None => cx.state.set_status("Nothing to choose"),
    }
}

/// Requests what is missing on the screen.
pub fn after_frame(cx: &mut Cx<'_>) {
    let rows = sessions::draw::height(cx.state.size);
    let Some(view) = view_of(cx.state) else { return };
    let (number, missing) = (view.number, view.missing(rows));
    for what in missing {
        match what {
            Missing::Texts(ids) => {
                let work = |session: Handle| async move { session.entry_lines(ids).await };
                ask_session(cx, "sessions.words", TASK, work, move |cx, words| {
                    with_numbered(cx, number, |view| view.set_texts(words));
                });
            }
            Missing::Summaries(ids) => {
                let work = |session: Handle| async move { session.turn_summaries(ids).await };
                ask_session(cx, "sessions.summaries", TASK, work, move |cx, summaries| {
                    with_numbered(cx, number, |view| view.set_summaries(summaries));
                });
            }
            Missing::Turn(id) => {
                let entry = id.clone();
                let work = |session: Handle| async move { session.turn(entry).await };
                ask_session(cx, "sessions.turn", TASK, work, move |cx, turn| {
                    with_numbered(cx, number, |view| {
                        if view.requested_turn.as_ref().is_some_and(|requested| *requested == id) {
                            view.turn = turn;
                        }
                    });
                });
            }
        }
    }
}

/// Selects the next filter of entries.
pub fn next_filter(cx: &mut Cx<'_>) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    view.set_filter(view.next_filter());
    let (number, filter) = (view.number, view.filter);
    cx.state.damage.add(Part::Overlay);
    request_outline(cx, number, filter);
}

/// Searches the texts of all entries that pass the filter.
pub fn search(cx: &mut Cx<'_>, text: &str) {
    let Some(view) = view_of(cx.state) else { return };
    let number = view.number;
    let (filter, text) = (view.filter, text.to_string());
    let wanted = text.clone();
    let done = view.searches.begin(move |cx, ids: HashSet<String>| {
        with_numbered(cx, number, |view| view.set_matches(Some((text, ids))));
    });
    if wanted.trim().is_empty() {
        return with_view(cx, |view| view.set_matches(None));
    }
    let is_latest = view.searches.is_latest();
    let work = |session: Handle| async move { find(&session, &wanted, filter, is_latest).await };
    ask_session(cx, "sessions.search", TASK, work, done);
}

/// Shows these matches in place of those of a search in progress.
pub fn cancel_search(cx: &mut Cx<'_>, matches: Option<Matches>) {
    let Some(view) = view_of(cx.state) else { return };
    // The answer of the search in progress is dropped.
    drop(view.searches.begin(|_, ()| {}));
    view.set_matches(matches);
}

/// Returns the entries of a filter that contain a text; lower case letters also match capitals. Gives up once another
/// search has begun.
async fn find(
    session: &Handle,
    text: &str,
    filter: Filter,
    is_latest: impl Fn() -> bool,
) -> Result<HashSet<String>, Report> {
    let rows = session.outline(filter).await?.rows;
    let ids: Vec<String> = rows.into_iter().map(|row| row.id.into()).collect();
    let exact = text.chars().any(char::is_uppercase);
    let mut found = HashSet::new();
    for some in ids.chunks(TEXTS_BATCH).take_while(|_| is_latest()) {
        for (id, words) in session.entry_lines(some.to_vec()).await? {
            let contains = if exact { words.contains(text) } else { words.to_lowercase().contains(text) };
            if contains {
                found.insert(id);
            }
        }
    }
    Ok(found)
}

/// Ends a search and shows all entries; `false` if there was none.
pub fn end_search(cx: &mut Cx<'_>) -> bool {
    let Some(view) = cx.state.layers.top_mut::<SessionView>() else { return false };
    let looked = view.matches.is_some();
    if looked {
        view.set_matches(None);
        cx.state.damage.add(Part::Overlay);
    }
    looked
}

/// Goes to the selected row.
pub fn go_to_selected(cx: &mut Cx<'_>) {
    with_selected_entry(cx, |cx, _, id| {
        start_navigation(cx, NavigationTarget::To(id), BranchSummaryChoice::None);
    });
}

/// Goes to the selected row with a summary of the branch that is left, with an optional focus.
pub fn go_with_summary(cx: &mut Cx<'_>, about: &str) {
    let summary = match about.trim() {
        "" => BranchSummaryChoice::Written,
        about => BranchSummaryChoice::WithInstructions(about.to_string()),
    };
    with_selected_entry(cx, |cx, _, id| {
        cx.state.set_status("Summarizing the branch. Escape cancels");
        start_navigation(cx, NavigationTarget::To(id), summary);
    });
}
