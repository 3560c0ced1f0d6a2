//! The card of subagents: what one works on, how much it has done, and its last call. Must not know other kinds
//! of calls.

use std::time::Duration;

use crate::ide::features::transcript::cards::card::Card;
use crate::ide::features::transcript::cards::form::CardForm;
use crate::ide::features::transcript::cards::other;
use crate::ide::features::transcript::cards::rows::fit;
use crate::ide::features::transcript::items::{Call, CallStatus};
use crate::ide::model::age::duration;
use crate::ide::model::agent::thousands;
use crate::tools::contract::view::CallKind;
use crate::tui::widgets::line::{Line, Span};

/// The table's row.
pub const CARD: Card = Card { title, ..Card::new(CallKind::Agent, body) };

fn title(call: &Call, form: &CardForm<'_>) -> Vec<Span> {
    let task = Span::new(call.view.title.lines().next().unwrap_or_default(), "agent.tool.title");
    let Some(agent) = &call.agent else { return vec![task] };
    let unit = if agent.calls == 1 { "call" } else { "calls" };
    let mut parts = vec![format!("{} {unit}", agent.calls)];
    parts.extend((agent.tokens > 0).then(|| thousands(agent.tokens)));
    parts.extend((agent.seconds > 0).then(|| duration(Duration::from_secs(agent.seconds))));
    parts.extend((!agent.last_call.is_empty()).then(|| agent.last_call.clone()));
    let mut spans = fit(vec![task], usize::from(form.width / 3));
    spans.push(Span::decoration(format!(" · {}", parts.join(" · ")), "agent.tool.output"));
    spans
}

/// Returns what the subagent answered where all is shown, else only errors.
fn body(call: &Call, form: &CardForm<'_>) -> Vec<Line> {
    let is_told_by_head = call.agent.is_some() && !matches!(call.status, CallStatus::Failed(_));
    if is_told_by_head && !form.is_full { Vec::new() } else { other::body(call, form) }
}
