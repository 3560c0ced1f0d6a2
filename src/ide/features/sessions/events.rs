//! The session's tree and other sessions, on the loop: what is asked of the session, and what its answers
//! lead to. Must not know how the tree is drawn.

use std::collections::HashSet;

use crate::base::error::Report;
use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::agent;
use crate::ide::features::sessions;
use crate::ide::features::sessions::view::{Missing, SessionView};
use crate::llm::model::UserMessage;
use crate::runtime::history::navigation::{Change, Spot};
use crate::runtime::{Handle, Summary};
use crate::session::derived::outline::Filter;

/// What could not be done where a task has no answer.
const TASK: &str = "ask the session";

/// Entries whose words are asked for at once, so that the session is not held up.
const WORDS_AT_ONCE: usize = 500;

/// Whether the session is connected; where it is not yet, the last line says so.
fn is_connected(cx: &mut Cx<'_>) -> bool {
    if !cx.state.agent.connected {
        cx.state.say("Session is starting; try again in a moment");
    }
    cx.state.agent.connected
}

/// Replaces the session by another one.
pub fn replace(cx: &mut Cx<'_>, change: Change) {
    let words = match change {
        Change::New(_) => "New session. Previous: session.resume",
        Change::Open(..) => "Resumed session",
        Change::Fork(_) => "Forked session. The original is unchanged",
        Change::Copy => "Copied session. The original is unchanged",
    };
    if is_connected(cx) {
        let work = |session: Handle| async move { session.replace(change).await };
        ask_session(cx, "sessions.replace", TASK, work, move |cx, said| moved(cx, said, words));
    }
}

/// Goes to another place of the conversation, perhaps with a summary of what is left.
pub fn go(cx: &mut Cx<'_>, spot: Spot, summary: Summary) {
    if is_connected(cx) {
        start_going(cx, spot, summary);
    }
}

fn start_going(cx: &mut Cx<'_>, spot: Spot, summary: Summary) {
    let words = match spot {
        Spot::Root => "Started over. Earlier messages stay in the session tree",
        _ => "Conversation continues from here. The rest stays in the session tree",
    };
    let work = |session: Handle| async move { session.go_with(spot, summary).await };
    ask_session(cx, "sessions.go", TASK, work, move |cx, said| moved(cx, said, words));
}

/// The conversation is at another place now.
fn moved(cx: &mut Cx<'_>, said: Option<UserMessage>, words: &str) {
    cx.state.layers.close::<SessionView>();
    panes::focus(cx, Focus::Agent);
    cx.state.say(words);
    if let Some(message) = said {
        agent::queue::put_back(cx, vec![message]);
    }
    cx.state.damage.all();
}

/// Gives the session a name.
pub fn rename(cx: &mut Cx<'_>, name: String) {
    if !is_connected(cx) {
        return;
    }
    let work = |session: Handle| async move { session.name(name.clone()).await.map(|()| name) };
    ask_session(cx, "sessions.rename", TASK, work, |cx, name| {
        cx.state.say(format!("Session name: {name}"));
        if let Some(view) = view_of(cx.state) {
            view.name = Some(name.clone());
        }
        cx.state.agent.name = Some(name);
        cx.state.damage.all();
    });
}

/// Gives an entry of the tree of this number a label, or takes it away.
pub fn label(cx: &mut Cx<'_>, number: u64, entry: String, label: Option<String>) {
    if !is_connected(cx) {
        return;
    }
    let work = |session: Handle| async move { session.label(entry, label).await };
    ask_session(cx, "sessions.label", TASK, work, move |cx, ()| {
        if let Some(view) = view_numbered(cx.state, number) {
            view.forget();
            let filter = view.filter;
            outline(cx, number, filter);
        }
    });
}

/// Asks for the entries of the tree of this number.
fn outline(cx: &mut Cx<'_>, number: u64, filter: Filter) {
    let Some(view) = view_numbered(cx.state, number) else { return };
    let done = view.outlines.only(move |cx, outline| with_numbered(cx, number, |view| view.take(outline)));
    let work = |session: Handle| async move { session.outline(filter).await };
    ask_session(cx, "sessions.outline", TASK, work, done);
}

/// Shows the tree.
pub fn open(cx: &mut Cx<'_>) {
    show(cx, |_| {});
}

/// Shows the tree with all entries, this one selected.
pub fn open_with(cx: &mut Cx<'_>, entry: &str) {
    show(cx, |view| view.want(entry));
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
    outline(cx, number, filter);
}

/// The tree, if it is on top or below what was put over it.
pub fn view_of(state: &mut State) -> Option<&mut SessionView> {
    state.layers.all_mut::<SessionView>().next()
}

/// The same, if it is the one of this number.
fn view_numbered(state: &mut State, number: u64) -> Option<&mut SessionView> {
    view_of(state).filter(|view| view.number == number)
}

/// Does something to the tree of this number, if it is still shown.
fn with_numbered(cx: &mut Cx<'_>, number: u64, change: impl FnOnce(&mut SessionView)) {
    if let Some(view) = view_numbered(cx.state, number) {
        change(view);
        cx.state.damage.add(Part::Overlay);
    }
}

/// Does something to the tree that is shown.
pub fn with(cx: &mut Cx<'_>, change: impl FnOnce(&mut SessionView)) {
    match view_of(cx.state) {
        Some(view) => {
            change(view);
            cx.state.damage.add(Part::Overlay);
        }
        None => open(cx),
    }
}

/// Does something about the row that is selected.
pub fn at_row(cx: &mut Cx<'_>, act: impl FnOnce(&mut Cx<'_>, u64, String)) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    let number = view.number;
    match view.selected_row().map(|row| row.id.to_string()) {
        Some(id) => act(cx, number, id),
        None => cx.state.say("Nothing to choose"),
    }
}

/// Asks for what the screen still lacks.
pub fn settle(cx: &mut Cx<'_>) {
    let rows = sessions::draw::height(cx.state.size);
    let Some(view) = view_of(cx.state) else { return };
    let (number, missing) = (view.number, view.missing(rows));
    for what in missing {
        match what {
            Missing::Words(ids) => {
                let work = |session: Handle| async move { session.words(ids).await };
                ask_session(cx, "sessions.words", TASK, work, move |cx, words| {
                    with_numbered(cx, number, |view| view.tell(words));
                });
            }
            Missing::Turn(id) => {
                let entry = id.clone();
                let work = |session: Handle| async move { session.turn(entry).await };
                ask_session(cx, "sessions.turn", TASK, work, move |cx, turn| {
                    with_numbered(cx, number, |view| {
                        if view.asked.as_ref().is_some_and(|asked| *asked == id) {
                            view.turn = turn;
                        }
                    });
                });
            }
        }
    }
}

/// Other entries have rows from now on.
pub fn filter(cx: &mut Cx<'_>) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    view.set_filter(view.next_filter());
    let (number, filter) = (view.number, view.filter);
    cx.state.damage.add(Part::Overlay);
    outline(cx, number, filter);
}

/// Looks for what entries say, in all that the filter has.
pub fn search(cx: &mut Cx<'_>, text: &str) {
    let Some(view) = view_of(cx.state) else { return };
    let number = view.number;
    let (filter, text) = (view.filter, text.to_string());
    let wanted = text.clone();
    let done = view.searches.only(move |cx, ids: HashSet<String>| {
        if view_numbered(cx.state, number).is_none() {
            return;
        }
        if ids.is_empty() {
            return cx.state.say(format!("No entry contains {text}"));
        }
        with_numbered(cx, number, |view| view.set_found(Some((text, ids))));
    });
    if wanted.trim().is_empty() {
        return with(cx, |view| view.set_found(None));
    }
    let work = |session: Handle| async move { find(&session, &wanted, filter).await };
    ask_session(cx, "sessions.search", TASK, work, done);
}

/// The entries of a filter that contain a text; small letters stand for capitals, too.
async fn find(session: &Handle, text: &str, filter: Filter) -> Result<HashSet<String>, Report> {
    let rows = session.outline(filter).await?.rows;
    let ids: Vec<String> = rows.into_iter().map(|row| row.id.into()).collect();
    let exact = text.chars().any(char::is_uppercase);
    let mut found = HashSet::new();
    for some in ids.chunks(WORDS_AT_ONCE) {
        for (id, words) in session.words(some.to_vec()).await? {
            let says = if exact { words.contains(text) } else { words.to_lowercase().contains(text) };
            if says {
                found.insert(id);
            }
        }
    }
    Ok(found)
}

/// Shows everything again where something was looked for; `false` where nothing was.
pub fn end_search(cx: &mut Cx<'_>) -> bool {
    let Some(view) = cx.state.layers.top_mut::<SessionView>() else { return false };
    let looked = view.found.is_some();
    if looked {
        view.set_found(None);
        cx.state.damage.add(Part::Overlay);
    }
    looked
}

/// Goes to the selected row.
pub fn accept(cx: &mut Cx<'_>) {
    at_row(cx, |cx, _, id| start_going(cx, Spot::To(id), Summary::None));
}

/// Goes to the selected row with a summary of what is left, which is about this above all if anything.
pub fn summarise(cx: &mut Cx<'_>, about: &str) {
    let summary = match about.trim() {
        "" => Summary::Written,
        about => Summary::WithInstructions(about.to_string()),
    };
    at_row(cx, |cx, _, id| {
        cx.state.say("Summarizing the branch. Escape cancels");
        start_going(cx, Spot::To(id), summary);
    });
}
