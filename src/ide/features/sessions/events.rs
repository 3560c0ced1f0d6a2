//! The session tree and other sessions on the event loop: requests to the session and their results. Must not
//! know how the tree is drawn.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::base::error::Report;
use crate::ide::core::condition::STARTING;
use crate::ide::core::context::{Cx, ask_session, success_or_error};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::drafts;
use crate::ide::features::drafts::state::DRAFTS;
use crate::ide::features::message_queue::take_back;
use crate::ide::features::sessions;
use crate::ide::features::sessions::forest_events;
use crate::ide::features::sessions::pane::TREE_PANE;
use crate::ide::features::sessions::view::{Matches, Missing, SessionView};
use crate::llm::model::UserMessage;
use crate::runtime::history::navigation::{NavigationTarget, SessionSwitch};
use crate::runtime::{BranchSummaryChoice, Handle};
use crate::session::derived::outline::Filter;

/// What failed, for the message when a task has no result.
const TASK: &str = "ask the session";

/// How often ages in the pane are brought up to date, when something else happens.
const AGE_STEP_MS: u64 = 60_000;

/// Number of entries whose texts are requested at once, so that the session is not blocked.
const TEXTS_BATCH: usize = 500;

/// Returns whether the session is connected; if not, reports that.
pub fn is_connected(cx: &mut Cx<'_>) -> bool {
    if !cx.state.agent.connected {
        cx.state.set_status(STARTING.text);
    }
    cx.state.agent.connected
}

/// Replaces the session by another one.
pub fn replace(cx: &mut Cx<'_>, change: SessionSwitch) {
    let words = match change {
        SessionSwitch::New(_) => "New session. Previous: “Resume session” in the palette",
        SessionSwitch::Open(_, Some(_)) => "Resumed session there, files unchanged",
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
        start_navigation(cx, spot, summary, true);
    }
}

/// Moves the conversation to the point of the selected row without its text, for another branch there.
pub fn branch_from_selected(cx: &mut Cx<'_>) {
    with_selected_entry(cx, |cx, _, id| {
        if is_connected(cx) {
            start_navigation(cx, NavigationTarget::To(id), BranchSummaryChoice::None, false);
        }
    });
}

/// Moves the conversation; `takes_text` says whether the message of the user there goes into the prompt.
fn start_navigation(cx: &mut Cx<'_>, spot: NavigationTarget, summary: BranchSummaryChoice, takes_text: bool) {
    let entry = match &spot {
        NavigationTarget::To(entry) | NavigationTarget::After(entry) => Some(entry.clone()),
        NavigationTarget::Root => None,
    };
    let keys = cx.state.keymap.keys_for(KeyContext::SessionTree, "session.restore-both");
    let keys = keys.unwrap_or_else(|| cx.state.how_to("session.restore-both"));
    let work = |session: Handle| async move {
        let turn = match entry {
            Some(entry) => session.turn(entry).await?,
            None => None,
        };
        Ok((turn.map(|turn| turn.has_state), session.go_with(spot, summary).await?))
    };
    ask_session(cx, "sessions.go", TASK, work, move |cx, (has_state, message)| {
        let words = match has_state {
            None => "Started over. Earlier messages stay in the session tree".to_string(),
            Some(true) => format!("Conversation moved, files unchanged. Restore both: {keys} in the tree"),
            Some(false) => "Conversation moved. No state of the files was recorded there".to_string(),
        };
        on_moved(cx, message.filter(|_| takes_text), &words);
    });
}

/// Handles the replacement of the session that was requested after `switches` others.
fn on_replaced(cx: &mut Cx<'_>, user_message: Option<UserMessage>, words: &str, switches: u64) {
    show_conversation(cx, words);
    if let Some(message) = user_message {
        drafts::events::restore_after_switch(cx, message, switches);
    }
}

/// Handles a move of the conversation.
fn on_moved(cx: &mut Cx<'_>, user_message: Option<UserMessage>, words: &str) {
    show_conversation(cx, words);
    take_back::fill_prompt(cx, user_message.into_iter().collect());
}

fn show_conversation(cx: &mut Cx<'_>, words: &str) {
    cx.state.layers.close::<SessionView>();
    panes::focus(cx, Focus::Agent);
    cx.state.set_status(words);
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
        mark_stale(cx.state);
        if let Some(view) = view_numbered(cx.state, number) {
            view.invalidate();
            request_outline(cx, number);
        }
    });
}

/// Requests the entries of the tree with this number.
pub fn request_outline(cx: &mut Cx<'_>, number: u64) {
    let (Some(session), now_ms) = (cx.session.cloned(), cx.now_ms) else { return };
    let Some(view) = view_numbered(cx.state, number) else { return };
    let filter = view.filter;
    (view.is_stale, view.is_loading) = (false, true);
    let done = view.outlines.begin(move |cx, outline| {
        // Without an answer it is requested again when the session changes.
        let outline = success_or_error(cx, TASK, outline);
        with_numbered(cx, number, |view| {
            (view.is_loading, view.now_ms) = (false, now_ms);
            if let Some((outline, hidden)) = outline {
                view.set_hidden(hidden);
                view.set_outline(outline);
            }
        });
    });
    let work = async move {
        let hidden = session.hidden_branches().await?;
        Ok((session.outline(filter).await?, hidden))
    };
    cx.tasks.spawn("sessions.outline", work, done);
}

/// Notes that the session has other entries than before: the trees on screen follow.
pub fn mark_stale(state: &mut State) {
    views(state).for_each(|view| view.is_stale = true);
}

/// Follows the conversation to another entry, perhaps in another session.
pub fn follow_replaced(state: &mut State, is_other_session: bool) {
    if is_other_session {
        state.slots[TREE_PANE].view = None;
    }
    mark_stale(state);
}

/// Requests the entries of the trees on screen whose session has changed. One request at a time: a session that
/// changes fast is asked as often as it answers.
pub fn before_sleep(cx: &mut Cx<'_>) {
    if !cx.state.agent.connected {
        return;
    }
    if cx.state.areas.session_tree.is_some() && cx.state.slots[TREE_PANE].view.is_none() {
        let view = new_view(cx);
        cx.state.slots[TREE_PANE].view = Some(view);
        cx.state.damage.add(Part::SessionTree);
    }
    let now_ms = cx.now_ms;
    let is_pane_visible = cx.state.areas.session_tree.is_some();
    let mut is_older = false;
    let mut due = Vec::new();
    for (view, is_pane) in views_and_places(cx.state).filter(|(_, is_pane)| is_pane_visible || !is_pane) {
        if is_pane && now_ms / AGE_STEP_MS != view.now_ms / AGE_STEP_MS {
            (view.now_ms, is_older) = (now_ms, true);
        }
        if view.is_stale && !view.is_loading {
            due.push(view.number);
        }
    }
    if is_older {
        cx.state.damage.add(Part::SessionTree);
    }
    for number in due {
        request_outline(cx, number);
    }
}

/// Returns a tree whose entries are still to be requested.
fn new_view(cx: &mut Cx<'_>) -> SessionView {
    cx.state.agent.session_views += 1;
    let mut view = SessionView::new(cx.state.agent.session_views, cx.now_ms);
    view.is_stale = true;
    view
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
    let mut view = new_view(cx);
    set(&mut view);
    let number = view.number;
    cx.state.push_layer(view);
    request_outline(cx, number);
}

/// Returns the open trees, and whether each is the one in the pane: that over the panes first.
fn views_and_places(state: &mut State) -> impl Iterator<Item = (&mut SessionView, bool)> {
    let layers = state.layers.all_mut::<SessionView>().map(|view| (view, false));
    layers.chain(state.slots[TREE_PANE].view.as_mut().map(|view| (view, true)))
}

/// Returns the open trees.
fn views(state: &mut State) -> impl Iterator<Item = &mut SessionView> {
    views_and_places(state).map(|(view, _)| view)
}

/// Returns the tree that commands are about: the one over the panes, even if it is covered by other layers, else that
/// in the pane with the focus.
pub fn view_of(state: &mut State) -> Option<&mut SessionView> {
    let is_in_pane = state.panes.focus == Focus::SessionTree;
    views_and_places(state).find(|(_, is_pane)| is_in_pane || !is_pane).map(|(view, _)| view)
}

/// Returns whether a tree has the keys.
pub fn is_focused(state: &State) -> bool {
    let is_pane = state.layers.is_empty() && state.panes.focus == Focus::SessionTree;
    is_pane || state.layers.top::<SessionView>().is_some()
}

/// Returns whether the tree that commands are about shows other sessions.
pub fn is_forest(state: &mut State) -> bool {
    view_of(state).is_some_and(|view| view.forest.is_some())
}

/// Returns the tree with this number, if it is still open.
pub fn view_numbered(state: &mut State, number: u64) -> Option<&mut SessionView> {
    views(state).find(|view| view.number == number)
}

/// Marks trees as changed, wherever they are.
pub fn damage(state: &mut State) {
    state.damage.add(Part::Overlay);
    state.damage.add(Part::SessionTree);
}

/// Changes the tree with this number, if it is still open.
pub fn with_numbered(cx: &mut Cx<'_>, number: u64, change: impl FnOnce(&mut SessionView)) {
    if let Some(view) = view_numbered(cx.state, number) {
        change(view);
        damage(cx.state);
    }
}

/// Moves the selection.
pub fn step(cx: &mut Cx<'_>, by: isize) {
    if let Some(view) = view_of(cx.state) {
        view.step(by);
        damage(cx.state);
    }
}

/// Ends a search; or takes a mark away; or cancels a summary being written. Returns whether there was one of these.
pub fn escape(cx: &mut Cx<'_>) -> bool {
    if end_search(cx) {
        return true;
    }
    if view_of(cx.state).is_some_and(|view| view.marked.take().is_some()) {
        damage(cx.state);
        return true;
    }
    let is_summarizing = cx.state.agent.summarizing.is_some();
    if let Some(session) = cx.session.filter(|_| is_summarizing) {
        session.abort();
    }
    is_summarizing
}

/// Changes the open tree.
pub fn with_view(cx: &mut Cx<'_>, change: impl FnOnce(&mut SessionView)) {
    match view_of(cx.state) {
        Some(view) => {
            change(view);
            damage(cx.state);
        }
        None => open(cx),
    }
}

/// Runs an action on the selected row.
pub fn with_selected_entry(cx: &mut Cx<'_>, action: impl FnOnce(&mut Cx<'_>, u64, String)) {
    if forest_events::refuses(cx) {
        return;
    }
    let Some(view) = view_of(cx.state) else { return open(cx) };
    let number = view.number;
    match view.selected_row().map(|row| row.id.to_string()) {
        Some(id) => action(cx, number, id),
        None => cx.state.set_status("Nothing to choose"),
    }
}

/// Requests what is missing on the screen.
pub fn after_frame(cx: &mut Cx<'_>) {
    let full = sessions::draw::view_area(cx.state.size);
    let pane = cx.state.areas.session_tree;
    let (mut due, mut pages) = (Vec::new(), Vec::new());
    let is_accessible = cx.state.is_accessible();
    for (view, is_pane) in views_and_places(cx.state) {
        let Some(area) =
            (if is_pane { pane.map(sessions::draw::pane_body) } else { Some(sessions::draw::body(full)) })
        else {
            continue;
        };
        let size = (area.width, area.height);
        let size = if is_pane { size } else { sessions::draw::without_hint(view, size) };
        let rows = usize::from(sessions::draw::list_rows(view, size, is_accessible));
        // The line about the selected row needs it where there is no room for the turn, too.
        let needs_turn = !is_pane || sessions::preview::split(size, is_accessible).turn.is_some();
        view.keep_page(rows);
        let missing = view.missing(rows, needs_turn);
        due.extend(missing.into_iter().map(|what| (view.number, what)));
        if view.forest.is_some() {
            pages.push((view.number, view.page(rows)));
        }
    }
    for (number, page) in pages {
        forest_events::request_texts(cx, number, page);
    }
    for (number, what) in due {
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
                    with_numbered(cx, number, |view| view.set_turn(&id, turn));
                });
            }
        }
    }
}

/// Selects the filter of entries that is so many after this one.
pub fn cycle_filter(cx: &mut Cx<'_>, by: isize) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    view.set_filter(view.filter_after(by));
    let number = view.number;
    damage(cx.state);
    forest_events::apply_filter(cx, number);
    request_outline(cx, number);
}

/// Searches the texts of all entries that pass the filter.
pub fn search(cx: &mut Cx<'_>, text: &str) {
    let Some(view) = view_of(cx.state) else { return };
    if forest_events::search(view, text) {
        return damage(cx.state);
    }
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

/// Shows the search for this text and these matches in place of those of a search in progress.
pub fn cancel_search(cx: &mut Cx<'_>, text: &str, matches: Option<Matches>) {
    let Some(view) = view_of(cx.state) else { return };
    if forest_events::search(view, text) {
        return;
    }
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
    let Some(view) = view_of(cx.state) else { return false };
    if let Some(forest) = &mut view.forest {
        let looked = forest.query.is_some();
        forest.set_query(None);
        damage(cx.state);
        return looked;
    }
    let looked = view.matches.is_some();
    if looked {
        view.set_matches(None);
        damage(cx.state);
    }
    looked
}

/// Hides the branch that begins at the selected row, or shows it again.
pub fn toggle_hidden(cx: &mut Cx<'_>) {
    if !is_connected(cx) || forest_events::refuses(cx) {
        return;
    }
    let Some(view) = view_of(cx.state) else { return open(cx) };
    let number = view.number;
    let Some(row) = view.selected_row().cloned() else { return cx.state.set_status("Nothing to choose") };
    let is_hidden = view.toggle_hidden(&row);
    let is_shown = is_hidden && !view.is_hidden(&row);
    damage(cx.state);
    if is_shown {
        cx.state.set_status("Branch hidden. This filter and searches still show it");
    }
    let id = row.id.to_string();
    let Some(session) = cx.session.cloned() else { return };
    cx.tasks.spawn(
        "sessions.hide",
        async move { session.hide_branch(id, is_hidden).await },
        move |cx, stored| {
            if success_or_error(cx, "hide the branch", stored).is_none() {
                with_numbered(cx, number, |view| {
                    view.toggle_hidden(&row);
                });
            }
            mark_stale(cx.state);
        },
    );
}

/// Goes to the selected row, or shows the branch that it stands for.
pub fn go_to_selected(cx: &mut Cx<'_>) {
    if is_forest(cx.state) {
        return forest_events::accept(cx);
    }
    if view_of(cx.state).is_some_and(|view| view.selected_row().is_some_and(|row| view.is_hidden(row))) {
        return toggle_hidden(cx);
    }
    with_selected_entry(cx, |cx, _, id| {
        start_navigation(cx, NavigationTarget::To(id), BranchSummaryChoice::None, true);
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
        start_navigation(cx, NavigationTarget::To(id), summary, true);
    });
}
