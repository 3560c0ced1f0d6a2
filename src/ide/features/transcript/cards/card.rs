//! The table of cards, and the layout that all of them share: a head row, and rows below it.

use crate::base::width::text_width;
use crate::ide::features::transcript::cards::form::CardForm;
use crate::ide::features::transcript::cards::rows::fit;
use crate::ide::features::transcript::cards::status::status;
use crate::ide::features::transcript::cards::{
    agent, command, edit, images, other, plan, question, read, search, web, write,
};
use crate::ide::features::transcript::items::{Call, CallStatus};
use crate::tools::contract::view::{CallKind, ResultView};
use crate::tui::widgets::line::{Line, Span};
use crate::tui::widgets::markdown::code_blocks::Block;

/// How calls of one kind are shown.
pub struct Card {
    /// The kind.
    pub kind: CallKind,
    /// The main argument, in the head row.
    pub title: fn(&Call, &CardForm<'_>) -> Vec<Span>,
    /// The rows below the head.
    pub body: fn(&Call, &CardForm<'_>) -> Vec<Line>,
    /// Pieces of code in it, numbered by their `start`; their colors are computed where it is shown.
    pub code: fn(&Call) -> Vec<Block>,
    /// Whether rows are shown that are not all of it.
    pub has_short_form: fn(&Call) -> bool,
}

impl Card {
    /// Returns the card of a kind with these rows.
    pub const fn new(kind: CallKind, body: fn(&Call, &CardForm<'_>) -> Vec<Line>) -> Self {
        Self { kind, title, body, code: |_| Vec::new(), has_short_form: has_more_than_text }
    }
}

/// The cards. The last one is for every other kind.
const CARDS: &[Card] = &[
    command::CARD,
    read::CARD,
    search::CARD,
    write::CARD,
    edit::CARD,
    plan::CARD,
    question::CARD,
    agent::CARD,
    web::CARD,
    other::CARD,
];

/// Returns the card of a kind.
pub fn card(kind: CallKind) -> &'static Card {
    CARDS.iter().find(|card| card.kind == kind).unwrap_or(&other::CARD)
}

/// Returns the rows of a call.
pub fn lay_out(call: &Call, form: &CardForm<'_>) -> Vec<Line> {
    let card = card(call.view.kind);
    // Output that grows would be spoken line by line, with what is above it again.
    let grows = form.is_accessible && !form.is_full && call.status == CallStatus::Running;
    let is_closed = form.is_closed || grows;
    let mut body = if is_closed { Vec::new() } else { (card.body)(call, form) };
    if !is_closed {
        body.extend(call.images.iter().flat_map(|image| images::rows(image, form)));
    }
    let sign = if call.result.is_some() && !body.is_empty() { "▾ " } else { "▸ " };
    let title = (card.title)(call, form);
    let mut rows = if form.is_accessible {
        vec![head_in_words(call, title, body.is_empty(), form.width)]
    } else {
        vec![head(call, sign, title, form.width)]
    };
    rows.extend(body);
    rows
}

fn head(call: &Call, sign: &'static str, title: Vec<Span>, width: u16) -> Line {
    let (state, scope) = status(call, false);
    let name = fit(vec![Span::decoration(call.tool.as_str(), "agent.tool")], usize::from(width / 2));
    let used = crate::tui::widgets::line::width(&name) + text_width(&state) + 5;
    let room = usize::from(width).saturating_sub(used);
    let title = fit(title, room);
    let gap = room.saturating_sub(crate::tui::widgets::line::width(&title)) + 1;
    let mut row = vec![Span::decoration(sign, "agent.tool")];
    row.extend(name);
    row.push(Span::decoration("  ", "agent.tool.title"));
    row.extend(title);
    row.push(Span::decoration(" ".repeat(gap), "agent.tool.title"));
    row.push(Span::decoration(state, scope));
    fit(row, usize::from(width))
}

/// Returns the head for screen readers: what it is, the tool, its state right after the title.
fn head_in_words(call: &Call, title: Vec<Span>, is_empty: bool, width: u16) -> Line {
    let (state, scope) = status(call, true);
    let is_collapsed = is_empty && call.result.is_some();
    let state = format!(", {state}{}", if is_collapsed { ", collapsed" } else { "" });
    let mut row = vec![Span::decoration(format!("Tool {}: ", call.tool), "agent.tool")];
    let used = crate::tui::widgets::line::width(&row) + text_width(&state);
    row.extend(fit(title, usize::from(width).saturating_sub(used)));
    row.push(Span::decoration(state, scope));
    fit(row, usize::from(width))
}

/// Returns the text of which the head row may show only the beginning.
pub fn head_text(call: &Call) -> &str {
    let text = if call.view.kind == CallKind::Command { command::command(call) } else { &call.view.title };
    text.lines().next().unwrap_or_default()
}

/// Returns the first line of a call's title.
fn title(call: &Call, _form: &CardForm<'_>) -> Vec<Span> {
    vec![Span::new(head_text(call), "agent.tool.title")]
}

fn has_more_than_text(call: &Call) -> bool {
    matches!(call.status, CallStatus::Failed(_))
        || !matches!(call.result, Some(ResultView::Text(_) | ResultView::Excerpt { .. }))
}
