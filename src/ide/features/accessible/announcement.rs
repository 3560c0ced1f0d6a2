//! The last rows of the screen for screen readers: the newest message, which stays until the next, or the keys that are
//! waited for. It is wrapped into as many rows as it needs. Must not know who says what.

use ratatui::layout::Rect;

use crate::base::width::{truncate, visible};
use crate::ide::core::context::Cx;
use crate::ide::core::feature::FeatureEvent;
use crate::ide::core::keys::hint_pages::Page;
use crate::ide::core::keys::keymap::GROUP;
use crate::ide::core::panes::Focus;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::features::permissions::answers;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::tui::canvas::Canvas;
use crate::tui::widgets::line::{self, BreakMode, Line, Span};

/// Maximum bytes of a message that are wrapped; the log has the rest.
const TEXT_MAX: usize = 4_000;

/// Slot of the feature's state.
pub const HELD: Slot<Held> = Slot::new();

/// The announcement that a turn has ended, until all of its answer is shown.
#[derive(Debug, Default)]
pub struct Held(Option<(&'static str, bool)>);

/// Announces what the agent wants and how its turn ended.
pub fn on_event(cx: &mut Cx<'_>, fact: FeatureEvent) {
    if !cx.state.is_accessible() {
        return;
    }
    match fact {
        FeatureEvent::Started if cx.state.status.message.is_empty() => {
            let text = welcome(cx.state);
            return cx.state.set_status(text);
        }
        FeatureEvent::AgentAsks => {
            let text = request(cx.state);
            return cx.state.set_status(text);
        }
        FeatureEvent::AgentEnded { is_failed } => {
            let text = match (is_failed, cx.state.agent.was_interrupted) {
                (true, _) => "The agent failed",
                (false, true) => "The agent was interrupted",
                (false, false) => "The agent finished",
            };
            cx.state.slots[HELD].0 = Some((text, is_failed));
        }
        FeatureEvent::FrameSent => {}
        _ => return,
    }
    if cx.state.slots[TRANSCRIPT].is_behind() {
        return;
    }
    match cx.state.slots[HELD].0.take() {
        Some((text, true)) => cx.state.set_error(text),
        Some((text, false)) => cx.state.set_status(text),
        None => {}
    }
}

/// Returns the keys that lead on from the first screen.
fn welcome(state: &State) -> String {
    let steps = [("app.palette", "lists commands"), ("view.next-pane", "goes to the next pane")];
    let prompt =
        [("view.focus-agent", "to the prompt")].into_iter().filter(|_| state.panes.focus != Focus::Agent);
    let key = |(id, does)| Some(format!("{} {does}", state.keymap.keys_for(state.base_key_context(), id)?));
    steps.into_iter().chain(prompt).filter_map(key).collect::<Vec<_>>().join(", ")
}

/// Returns what the agent waits for, and the key that leads there.
fn request(state: &State) -> String {
    let Some((_, ask)) = answers::shown(state) else { return "The agent asks a question".to_string() };
    let key = state.keymap.keys_for(state.base_key_context(), "view.focus-agent");
    let key = key.map(|key| format!(". {key} goes to the answers")).unwrap_or_default();
    let target = ask.target.lines().next().unwrap_or_default();
    format!("Approval is needed: {} wants to run {target}{key}", ask.tool)
}

/// Returns the text of a message; empty if there is none.
fn message(state: &State) -> String {
    let status = &state.status;
    if status.message.is_empty() {
        return String::new();
    }
    let kind = if status.is_error { "Error: " } else { "" };
    let message = status.message[..status.message.floor_char_boundary(TEXT_MAX)].replace('\n', " ");
    // The same text on the same place would not be read again.
    let again = if status.repeats > 0 { format!(" ({} times)", status.repeats + 1) } else { String::new() };
    visible(&format!("{kind}{message}{again}")).into_owned()
}

/// Returns whether the keys that can follow are announced, rather than a message.
fn announces_keys(state: &State) -> bool {
    !state.pending.is_empty() && !state.asks_for_key()
}

/// Returns the rows that the keys may have below their title, or a message has at most.
fn rows_max(state: &State) -> usize {
    let rows = usize::from(state.size.1);
    // The title of the pane and its row with the caret are left.
    if announces_keys(state) { rows.saturating_sub(3).max(1) } else { (rows / 2).max(1) }
}

/// Returns the page of the keys that is announced.
pub fn page(state: &State) -> Page {
    Page::of(state.hints.len(), rows_max(state), state.hints_page)
}

/// Returns the rows: a message, wrapped, or the keys that are waited for, each in a row of its own.
fn lines(state: &State) -> Vec<String> {
    let cols = usize::from(state.size.0);
    if announces_keys(state) {
        return keys(state, cols);
    }
    let text = message(state);
    let spans = [Span::new(text.as_str(), "ui.status")];
    let wrapped = line::wrap(&spans, state.size.0.max(1), &[], &[], BreakMode::Words);
    let join = |line: &Line| line.iter().map(|span| span.text.as_str()).collect::<String>();
    let mut rows: Vec<String> = wrapped.iter().map(join).collect();
    let most = rows_max(state);
    if rows.len() > most {
        rows.truncate(most);
        if let Some(last) = rows.last_mut() {
            *last = format!("{}…", truncate(last, cols.saturating_sub(1)).trim_end_matches('…'));
        }
    }
    rows
}

/// Returns the keys so far and, once the user hesitates, a row for each key that can follow.
fn keys(state: &State, cols: usize) -> Vec<String> {
    let begun: Vec<String> = state.pending.iter().map(ToString::to_string).collect();
    let title = |id: &str| match (state.catalog.command(id), id.strip_prefix(GROUP)) {
        (Some(command), _) => command.title.to_string(),
        (None, Some(group)) => format!("group {group}"),
        (None, None) => id.to_string(),
    };
    let page = page(state);
    let label = page.label().map(|label| format!(" {label}")).unwrap_or_default();
    let head = format!("{} then:{label}", begun.join(" "));
    let next = state.hints[page.range].iter().map(|(key, id)| format!("{key} {}", title(id)));
    [head].into_iter().chain(next).map(|row| truncate(&visible(&row), cols).into_owned()).collect()
}

/// Returns the rows that the announcement needs.
pub fn rows_needed(state: &State) -> u16 {
    if state.is_accessible() { lines(state).len().max(1) as u16 } else { 1 }
}

/// Draws the announcement.
pub fn draw(canvas: &mut Canvas<'_>, state: &State) {
    let (cols, rows) = canvas.size();
    let style = canvas.style(if state.status.is_error { "ui.status.error" } else { "ui.status" });
    canvas.fill(Rect::new(0, 0, cols, rows), style);
    for (y, row) in (0..rows).zip(lines(state)) {
        canvas.text(0, y, &row, style);
    }
}
