//! The conversation as a place for the keys: which block they act on, and what they do with it.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::core::panes::{AgentPart, Focus};
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::transcript::agents;
use crate::ide::features::transcript::copy;
use crate::ide::features::transcript::earlier;
use crate::ide::features::transcript::edited_turn;
use crate::ide::features::transcript::items::{Item, ItemKind, TRANSCRIPT, Transcript};
use crate::ide::features::transcript::mouse;
use crate::ide::features::transcript::search::TranscriptSearch;
use crate::ide::features::transcript::view::TranscriptView;
use crate::ide::features::transcript::view::focus::PaneShape;

/// Returns the columns and rows of the conversation, below the row that a subagent's has above it.
pub fn pane_size(state: &State) -> Option<(u16, u16)> {
    let area = state.areas.transcript?;
    Some((area.width, area.height.saturating_sub(u16::from(agents::is_shown(&state.slots)))))
}

/// Runs `act` on the conversation, its view and the shape of the pane; `None` if the pane is not on screen or
/// there is nothing in it.
pub fn with_view<T>(
    state: &mut State,
    act: impl FnOnce(&Transcript, &mut TranscriptView, PaneShape) -> T,
) -> Option<T> {
    let size = pane_size(state)?;
    let (transcript, view) = agents::shown(&state.slots);
    if transcript.items().is_empty() {
        return None;
    }
    let pane = PaneShape { show: state.text_options, size };
    let mut view = view.borrow_mut();
    let done = act(transcript, &mut view, pane);
    drop(view);
    state.damage.add(Part::Transcript);
    Some(done)
}

/// Follows the end of the conversation again if the pane has become large enough to show all that was below its top.
pub fn follow_if_whole(state: &mut State) {
    with_view(state, |transcript, view, pane| view.follow_if_whole(transcript, pane));
}

/// Gives the keys to the conversation, at the block that was last used or else the newest on screen; returns
/// whether there is one. Where the end is followed, it is the newest one: the one used last may be long ago.
pub fn focus(cx: &mut Cx<'_>) -> bool {
    let had_keys = cx.state.panes.is_agent_focused(AgentPart::Transcript);
    panes::focus(cx, Focus::Agent);
    let found = with_view(cx.state, |transcript, view, pane| {
        if !had_keys && view.is_at_tail() {
            view.forget_focus();
        }
        if let Some(at) = view.focused_index(transcript, pane) {
            view.focus_on(transcript, pane, at);
        }
    });
    if found.is_some() {
        cx.state.panes.agent_part = AgentPart::Transcript;
    }
    found.is_some()
}

/// Returns the index of the focused block.
pub fn focused(state: &mut State) -> Option<usize> {
    with_view(state, |transcript, view, pane| view.focused_index(transcript, pane)).flatten()
}

/// Goes to the next block that matches, or the previous one. At the start of what is loaded, earlier messages
/// are loaded.
pub fn go(cx: &mut Cx<'_>, forward: bool, is_meant: impl Fn(&Item) -> bool) {
    if !focus(cx) {
        return;
    }
    let moved = with_view(cx.state, |transcript, view, pane| {
        let next = view.neighbor(transcript, pane, forward, is_meant);
        if let Some(at) = next {
            view.focus_on(transcript, pane, at);
        }
        next.is_some()
    });
    if moved == Some(false) && !forward && !agents::is_shown(&cx.state.slots) {
        earlier::load_more(cx);
    }
}

/// Goes to the first block of the conversation, or the last.
pub fn go_to_end(cx: &mut Cx<'_>, first: bool) {
    if !focus(cx) {
        return;
    }
    if first && !agents::is_shown(&cx.state.slots) {
        earlier::scroll_to_start(cx);
    }
    with_view(cx.state, |transcript, view, pane| {
        let last = transcript.items().len() - 1;
        if !first {
            view.focus_on(transcript, pane, last);
            view.to_tail();
        } else if !view.is_seeking_start() {
            view.focus_on(transcript, pane, 0);
        }
    });
}

/// Folds or unfolds the focused block.
pub fn fold(cx: &mut Cx<'_>) {
    let folded = with_view(cx.state, |transcript, view, pane| {
        let at = view.focused_index(transcript, pane)?;
        let folded = view.toggle_fold(&transcript.items()[at], pane.show);
        view.focus_on(transcript, pane, at);
        Some(folded)
    });
    if folded.flatten() == Some(false) {
        cx.state.set_status("Nothing to fold here");
    }
}

/// Copies the selection, or the focused block, as text or as Markdown. Of a message of the user the Markdown is that of its
/// whole turn.
pub fn copy(cx: &mut Cx<'_>, as_markdown: bool) {
    if !as_markdown && mouse::copy_selection(cx) {
        return;
    }
    let text = with_view(cx.state, |transcript, view, pane| {
        let at = view.focused_index(transcript, pane)?;
        let items = transcript.items();
        if !as_markdown {
            return Some(copy::plain(&items[at]).into_owned());
        }
        let is_turn = matches!(items[at].kind, ItemKind::User(_));
        let rest = items.iter().skip(at + 1);
        let rest = rest.take_while(|item| is_turn && !matches!(item.kind, ItemKind::User(_)));
        let all = std::iter::once(&items[at]).chain(rest);
        Some(all.map(copy::markdown).collect::<Vec<_>>().join("\n\n"))
    });
    copy_text(cx, text.flatten().unwrap_or_default());
}

/// Copies the last answer of the model.
pub fn copy_answer(cx: &mut Cx<'_>) {
    let items = cx.state.slots[TRANSCRIPT].items();
    let answer = items.iter().rev().find(|item| matches!(item.kind, ItemKind::Answer(_)));
    let text = answer.map(|item| copy::plain(item).into_owned());
    copy_text(cx, text.unwrap_or_default());
}

/// Puts a text on the clipboard and the kill ring.
pub fn copy_text(cx: &mut Cx<'_>, text: String) {
    if text.is_empty() {
        return cx.state.set_status("Nothing to copy");
    }
    let lines = text.lines().count();
    cx.state.kill_ring.copy(vec![text.clone()]);
    cx.ui.clipboard = Some(text);
    let unit = if lines == 1 { "line" } else { "lines" };
    cx.state.set_status(format!("Copied {lines} {unit}"));
}

/// Opens the prompt for a search in the conversation.
pub fn search(cx: &mut Cx<'_>) {
    if !focus(cx) {
        return cx.state.set_status("Nothing to search");
    }
    let prompt = Prompt::new("Search the conversation", |cx, query| {
        show_hits(cx, &query);
        next_hit(cx, false);
    });
    prompt.as_search().on_change(on_query).on_escape(clear_search_with).open(cx);
}

fn clear_search_with(cx: &mut Cx<'_>) {
    clear_search(cx);
}

/// Marks the hits of the query while it is typed.
fn on_query(cx: &mut Cx<'_>) {
    let Some(prompt) = cx.state.layers.top::<Prompt>() else { return };
    let query = prompt.answer.text().to_string();
    let note = show_hits(cx, &query);
    if let Some(prompt) = cx.state.layers.top_mut::<Prompt>() {
        prompt.note = note;
    }
    cx.state.damage.add(Part::Overlay);
}

/// Marks the hits of a query; returns their number in words.
fn show_hits(cx: &mut Cx<'_>, query: &str) -> String {
    let options = cx.state.search.options;
    let found = TranscriptSearch::new(query, options);
    let (search, note) = match found {
        Err(error) => (None, error),
        Ok(None) => (None, String::new()),
        Ok(Some(mut search)) => {
            search.count(agents::shown(&cx.state.slots).0);
            let note = hits(&search);
            (Some(search), note)
        }
    };
    agents::shown(&cx.state.slots).1.borrow_mut().search = search;
    cx.state.damage.add(Part::Transcript);
    note
}

fn hits(search: &TranscriptSearch) -> String {
    let more = if search.is_partial { "+" } else { "" };
    match search.count {
        1 => format!("1{more} hit"),
        count => format!("{count}{more} hits"),
    }
}

/// Removes the marks of the search; returns whether there were any.
pub fn clear_search(cx: &mut Cx<'_>) -> bool {
    cx.state.damage.add(Part::Transcript);
    agents::shown(&cx.state.slots).1.borrow_mut().search.take().is_some()
}

/// Goes to the next hit of the search, forward or back.
pub fn next_hit(cx: &mut Cx<'_>, forward: bool) {
    if agents::shown(&cx.state.slots).1.borrow().search.is_none() {
        return search(cx);
    }
    let moved = with_view(cx.state, |transcript, view, pane| {
        view.go_to_hit(transcript, pane, forward)?;
        view.search.as_ref().map(hits)
    });
    match moved.flatten() {
        Some(hits) => cx.state.set_status(hits),
        None if forward => cx.state.set_status("No hit below. Earlier: N"),
        None if !agents::is_shown(&cx.state.slots) && earlier::load_more(cx) => {
            cx.state.set_status("No hit in what is loaded; loading earlier messages");
        }
        None => cx.state.set_status("No hit above"),
    }
}

/// Escape in the agent's pane removes the selection, closes the conversation of a subagent, or cancels the editing of a
/// sent message. In the conversation it
/// first removes the marks of a search, and at last gives the keys to the prompt. Returns whether it had something to do.
pub fn escape(cx: &mut Cx<'_>) -> bool {
    if cx.state.panes.focus == Focus::Agent && cx.state.layers.is_empty() && mouse::clear_selection(cx) {
        return true;
    }
    if cx.state.panes.focus != Focus::Agent || !cx.state.layers.is_empty() {
        return false;
    }
    let has_keys = cx.state.panes.is_agent_focused(AgentPart::Transcript);
    if has_keys && clear_search(cx) || agents::close(cx.state) || edited_turn::cancel(cx) {
        return true;
    }
    if has_keys {
        panes::focus(cx, Focus::Agent);
    }
    has_keys
}
