//! The right segments of the status line: what the agent does and asks, its model and what it has used.

use crate::ide::core::state::State;
use crate::ide::features::permissions::answers;
use crate::ide::features::status_line::segments::{Segment, Side, Variant, variants};
use crate::ide::model::agent::{is_demo, thousands};
use crate::llm::model::Thinking;
use crate::tools::permissions::policy::Mode;

/// Frames of the activity indicator while the agent works.
pub const SIGNS: [&str; 4] = ["◐", "◓", "◑", "◒"];

/// The table of segments, in their order.
pub const SEGMENTS: &[Segment] = &[
    Segment { id: "activity", command: Some("view.focus-agent"), variants: activity, ..RIGHT },
    Segment { id: "request", command: Some("view.focus-agent"), variants: request, ..RIGHT },
    Segment { id: "zoom", command: Some("view.zoom-pane"), variants: zoom, ..RIGHT },
    Segment { id: "approval", command: Some("agent.approval-picker"), variants: approval, ..RIGHT },
    Segment { id: "profile", command: Some("agent.profile-picker"), variants: profile, ..RIGHT },
    Segment { id: "model", command: Some("agent.model-picker"), variants: model, ..RIGHT },
    Segment {
        id: "thinking",
        is_joined: true,
        command: Some("agent.thinking-picker"),
        variants: thinking,
        ..RIGHT
    },
    Segment { id: "context", command: Some("session.context"), variants: context, ..RIGHT },
    Segment { id: "cost", command: Some("session.context"), variants: cost, ..RIGHT },
    Segment { id: "palette", command: Some("app.palette"), variants: palette, ..RIGHT },
];

const RIGHT: Segment = Segment { side: Side::Right, ..Segment::EMPTY };

/// Cells of the bar that shows how full the context is.
const BAR: u64 = 8;

fn activity(state: &State) -> Vec<Variant> {
    let agent = &state.agent;
    let sign = agent.working_since.map(|_| SIGNS[agent.spinner_frame % SIGNS.len()]);
    let parts: Vec<&str> = sign.into_iter().chain(agent.summarizing.map(|summing| summing.what)).collect();
    variants([(96, parts.join("  "))])
}

/// What asks for approval, if the question is not on screen.
fn request(state: &State) -> Vec<Variant> {
    let Some((_, ask)) = answers::shown(state).filter(|_| state.areas.approval.is_none()) else {
        return Vec::new();
    };
    let key = state.keymap.keys_for(state.base_key_context(), "view.focus-agent");
    let short = format!("? {} asks", ask.tool);
    let long = key.map_or_else(|| short.clone(), |key| format!("{short} · {key}"));
    variants([(95, long), (98, short)])
}

/// The key that gives all panes their places again, if one is zoomed.
fn zoom(state: &State) -> Vec<Variant> {
    if !state.panes.is_zoomed() {
        return Vec::new();
    }
    let key = state.keymap.keys_for(state.base_key_context(), "view.zoom-pane");
    let short = "zoomed".to_string();
    let long = key.map_or_else(|| short.clone(), |key| format!("{short} · {key}"));
    variants([(66, long), (67, short)])
}

/// The approval mode: the usual one where there is room, the others by name or as a sign.
fn approval(state: &State) -> Vec<Variant> {
    let (sign, words) = match state.agent.approval_mode {
        Mode::OnRequest => return variants([(35, Mode::OnRequest.name().to_string())]),
        Mode::Full => ("!", "! full access"),
        Mode::Untrusted => ("?", "? untrusted"),
        Mode::AutoEdit => ("×", "× auto-edit"),
    };
    variants([(69, words.to_string()), (93, sign.to_string())])
}

/// The profile, if it was chosen and does not follow the model.
fn profile(state: &State) -> Vec<Variant> {
    let agent = &state.agent;
    if agent.is_profile_chosen() {
        variants([(43, format!("profile {}", agent.profile))])
    } else {
        Vec::new()
    }
}

fn model(state: &State) -> Vec<Variant> {
    match &state.agent.model {
        Some(model) if is_demo(model) => variants([(88, "no model · /login".to_string())]),
        Some(model) => variants([(68, model.name.clone())]),
        None => Vec::new(),
    }
}

fn thinking(state: &State) -> Vec<Variant> {
    let is_shown = state.agent.model.as_ref().is_some_and(|model| !is_demo(model));
    match state.agent.thinking {
        Thinking::Off => Vec::new(),
        level if is_shown => variants([(40, format!("· {}", level.name()))]),
        _ => Vec::new(),
    }
}

/// How full the context was at the last response.
fn context(state: &State) -> Vec<Variant> {
    let tokens = state.agent.context_tokens;
    let Some(model) = state.agent.model.as_ref().filter(|model| tokens > 0 && !is_demo(model)) else {
        return Vec::new();
    };
    let window = model.context_window.max(1);
    let percent = tokens.saturating_mul(100) / window;
    let percent = if percent > 0 { format!(" {percent}%") } else { String::new() };
    let numbers = format!("{}/{}{percent}", thousands(tokens), thousands(model.context_window));
    let filled = (tokens.saturating_mul(BAR).saturating_add(window / 2) / window).min(BAR) as usize;
    let bar = format!("{}{}", "█".repeat(filled), "░".repeat(BAR as usize - filled));
    variants([(18, format!("{bar} {numbers}")), (45, numbers), (55, percent.trim_start().to_string())])
}

/// Dollars.
fn cost(state: &State) -> Vec<Variant> {
    let cost = state.agent.usage.cost.total;
    if cost > 0.0 { variants([(42, format!("${cost:.3}"))]) } else { Vec::new() }
}

fn palette(state: &State) -> Vec<Variant> {
    let key = state.keymap.keys_for(state.base_key_context(), "app.palette");
    key.map_or_else(Vec::new, |key| variants([(37, format!("{key} palette"))]))
}
