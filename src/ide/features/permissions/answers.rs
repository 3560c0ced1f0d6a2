//! Shows waiting calls one after the other and carries out the answers. Must not know how they are drawn.

use tokio::sync::oneshot;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::feature::{self, FeatureEvent};
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::panes::AgentPart;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::permissions::choices::{Answer, Choice, choices};
use crate::ide::features::permissions::held_key;
use crate::ide::features::permissions::pane;
use crate::ide::features::permissions::requests::PERMISSION_REQUESTS;
use crate::ide::features::permissions::rules;
use crate::ide::features::permissions::view::{APPROVAL, GUARD, Step};
use crate::ide::model::text_area::TextArea;
use crate::tools::permissions::approval::{Ask, Decision};

/// The model's message for a call that was denied without a reason.
const DENIED: &str = "denied by user";

/// Adds a request and shows it, unless others wait before it.
pub fn ask(cx: &mut Cx<'_>, ask: Ask, reply: oneshot::Sender<Decision>) {
    if cx.state.slots[PERMISSION_REQUESTS].add(ask, reply).is_some() {
        show_first(cx);
        feature::notify(cx, FeatureEvent::AgentAsks);
    }
}

/// Removes requests that were withdrawn.
pub fn drop_withdrawn(cx: &mut Cx<'_>) {
    if !cx.state.slots[PERMISSION_REQUESTS].take_withdrawn().is_empty() {
        show_first(cx);
    }
}

/// Shows the request that waits longest. Without one the prompt has the keys again.
fn show_first(cx: &mut Cx<'_>) {
    let requests = &cx.state.slots[PERMISSION_REQUESTS];
    cx.state.agent.waiting_calls = requests.call_ids().map(str::to_string).collect();
    let first = requests.first();
    cx.state.damage.add_all();
    if cx.state.slots[APPROVAL].request == first {
        return;
    }
    // A letter held for the request before belongs to the prompt.
    held_key::type_held(cx);
    cx.state.slots[APPROVAL].show(first, cx.now);
    cx.state.approval_text = None;
    if first.is_none() && cx.state.panes.agent_part == AgentPart::Approval {
        cx.state.panes.agent_part = AgentPart::Prompt;
    }
}

/// Returns the shown request.
pub fn shown(state: &State) -> Option<(u64, &Ask)> {
    let id = state.slots[APPROVAL].request?;
    Some((id, state.slots[PERMISSION_REQUESTS].get(id)?))
}

/// Returns the answers to the shown request.
pub fn offered(state: &State) -> Vec<Choice> {
    let step = state.slots[APPROVAL].step;
    shown(state).map_or_else(Vec::new, |(_, ask)| choices(ask, step))
}

/// Returns whether an answer is possible now.
pub fn is_offered(state: &State, answer: Answer) -> bool {
    offered(state).iter().any(|choice| choice.answer == answer)
}

/// Gives the keys to the waiting approval; returns whether there is one. The key that did so is not one that
/// is typed for something else: what follows may be an answer at once.
pub fn focus(cx: &mut Cx<'_>) -> bool {
    if cx.state.slots[APPROVAL].request.is_none() {
        return false;
    }
    // Where the keys were here before, the guard of a request that has just come stays.
    if !cx.state.panes.is_agent_focused(AgentPart::Approval) {
        panes::focus(cx, Focus::Agent);
        cx.state.panes.agent_part = AgentPart::Approval;
        cx.state.slots[APPROVAL].ignores_until = cx.now;
    }
    true
}

/// Does the same by a key that is often pressed twice, after a silence. It must not answer as well.
pub fn focus_by_enter(cx: &mut Cx<'_>) {
    if cx.state.slots[APPROVAL].is_quiet && focus(cx) {
        cx.state.slots[APPROVAL].ignores_until = cx.now + GUARD;
    }
}

/// Selects another answer.
pub fn select(cx: &mut Cx<'_>, by: isize) {
    let count = offered(cx.state).len();
    let view = &mut cx.state.slots[APPROVAL];
    view.selected = view.selected.saturating_add_signed(by).min(count.saturating_sub(1));
    cx.state.damage.add(Part::Approval);
}

/// Gives the selected answer, or the text that was typed.
pub fn choose(cx: &mut Cx<'_>) {
    let view = &cx.state.slots[APPROVAL];
    match view.step {
        Step::Edit | Step::Reason => submit_text(cx),
        Step::Choose | Step::Rule => {
            let selected = offered(cx.state).get(view.selected).map(|choice| choice.answer);
            if let Some(answer) = selected {
                give(cx, answer);
            }
        }
    }
}

/// Returns the rows by which a page scrolls.
pub fn page(state: &State) -> isize {
    pane::body_rows(state).saturating_sub(1).max(1).cast_signed()
}

/// Scrolls the request.
pub fn scroll(cx: &mut Cx<'_>, by: isize) {
    let last = pane::last_top(cx.state);
    let view = &mut cx.state.slots[APPROVAL];
    view.top = view.top.saturating_add_signed(by).min(last);
    let is_read = pane::is_end_visible(cx.state);
    cx.state.slots[APPROVAL].is_read |= is_read;
    cx.state.damage.add(Part::Approval);
}

/// Gives an answer to the shown request, or says why that is not possible.
pub fn give(cx: &mut Cx<'_>, answer: Answer) {
    let Some((id, ask)) = shown(cx.state) else {
        return cx.state.set_status("No call waits for approval");
    };
    let ask = ask.clone();
    if cx.state.slots[APPROVAL].ignores_until > cx.now {
        // Only silence ends the guard: while the user types on, the request is unseen.
        cx.state.slots[APPROVAL].ignores_until = cx.now + GUARD;
        return;
    }
    let is_drawn = cx.state.slots[APPROVAL].drawn.get() == Some((id, cx.state.slots[APPROVAL].step));
    if cx.state.areas.approval.is_none() || !is_drawn {
        // What is not on screen yet cannot be answered.
        focus(cx);
        return cx.state.damage.add_all();
    }
    if !is_offered(cx.state, answer) {
        return cx.state.set_status("Not possible for this call");
    }
    if answer.needs_reading() && !is_read(cx.state) {
        return say_how_to_read(cx);
    }
    match answer {
        Answer::Accept if cx.state.slots[APPROVAL].step == Step::Rule => {
            allow_like(cx, id, &ask, Some(Scope::Project));
        }
        Answer::Accept => finish(cx, id, Decision::Allow, false),
        Answer::AcceptRepeats => finish(cx, id, Decision::Allow, true),
        Answer::AcceptSession => allow_like(cx, id, &ask, None),
        Answer::AcceptAlways => open_step(cx, Step::Rule, None),
        Answer::AcceptEverywhere => allow_like(cx, id, &ask, Some(Scope::Anywhere)),
        Answer::Edit => open_step(cx, Step::Edit, Some(&ask.target)),
        Answer::Deny if cx.state.slots[APPROVAL].step == Step::Rule => go_back(cx),
        Answer::Deny => finish(cx, id, Decision::Deny(DENIED.to_string()), false),
        Answer::DenyWithReason => open_step(cx, Step::Reason, Some("")),
    }
}

/// Answers the request and shows the next one.
fn finish(cx: &mut Cx<'_>, id: u64, decision: Decision, always: bool) {
    cx.state.slots[PERMISSION_REQUESTS].answer(id, decision, always);
    show_first(cx);
}

fn is_read(state: &State) -> bool {
    state.slots[APPROVAL].is_read || pane::is_end_visible(state)
}

fn say_how_to_read(cx: &mut Cx<'_>) {
    let state = &cx.state;
    let key = |context, id| state.keymap.keys_for(context, id).unwrap_or_else(|| id.to_string());
    let mut keys = key(KeyContext::Approval, "approval.bottom");
    if !state.panes.is_agent_focused(AgentPart::Approval) {
        keys = format!("{} {keys}", key(KeyContext::Prompt, "prompt.leave"));
    }
    cx.state.set_status(format!("Read to the end first: {keys}"));
}

/// Goes to a step, with a text to begin with if one is typed in it.
fn open_step(cx: &mut Cx<'_>, step: Step, text: Option<&str>) {
    focus(cx);
    cx.state.damage.add_all();
    cx.state.slots[APPROVAL].go_to(step);
    cx.state.approval_text = text.map(|text| {
        let mut area = TextArea::default();
        area.set(text, cx.now_ms);
        area
    });
}

fn go_back(cx: &mut Cx<'_>) {
    cx.state.slots[APPROVAL].go_to(Step::Choose);
    cx.state.approval_text = None;
    cx.state.damage.add_all();
}

/// Escape while the approval has the keys: a step back, else a denial. Returns whether it has them.
pub fn escape(cx: &mut Cx<'_>) -> bool {
    if !cx.state.panes.is_agent_focused(AgentPart::Approval) || !cx.state.layers.is_empty() {
        return false;
    }
    match cx.state.slots[APPROVAL].step {
        Step::Choose => give(cx, Answer::Deny),
        Step::Rule | Step::Edit | Step::Reason => go_back(cx),
    }
    true
}

/// Takes the typed reason or command.
fn submit_text(cx: &mut Cx<'_>) {
    let Some((id, target)) = shown(cx.state).map(|(id, ask)| (id, ask.target.clone())) else { return };
    let Some(text) = cx.state.approval_text.as_ref().map(|area| area.text().to_string()) else { return };
    let decision = match (cx.state.slots[APPROVAL].step, text.trim()) {
        (Step::Edit, "") => return cx.state.set_status("Type the command to run"),
        (Step::Edit, _) if text == target => Decision::Allow,
        (Step::Edit, _) => Decision::AllowEdited(text),
        (_, "") => Decision::Deny(DENIED.to_string()),
        (_, reason) => Decision::Deny(format!("{DENIED}: {reason}")),
    };
    finish(cx, id, decision, false);
}

/// Where a permanent rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Project,
    Anywhere,
}

fn allow_like(cx: &mut Cx<'_>, id: u64, ask: &Ask, lasting: Option<Scope>) {
    let Some(proposal) = ask.proposal.clone() else { return };
    match lasting {
        Some(Scope::Project) => rules::add_rule(cx, proposal.project_rule.clone()),
        Some(Scope::Anywhere) => rules::add_rule(cx, proposal.rule.clone()),
        None => {}
    }
    finish(cx, id, Decision::AllowLike(proposal), false);
}
