//! What the start, the events and the end of the session do to the state and to the features.

use crate::agent::event::{AgentEvent, CompactionReason};
use crate::base::error::Report;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::features::agent::queue;
use crate::ide::features::files;
use crate::ide::features::history_search;
use crate::ide::features::login;
use crate::ide::features::permissions;
use crate::ide::features::questions;
use crate::ide::features::transcript;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::ide::features::transcript::view::TRANSCRIPT_VIEW;
use crate::ide::model::agent::{Agent, INTERRUPTING, Summarizing};
use crate::llm::model::{Message, Usage};
use crate::runtime::{ActiveTools, RuntimeEvent, Snapshot};

/// The session is there.
pub fn connected(
    cx: &mut Cx<'_>,
    snapshot: &Snapshot,
    models: Vec<std::sync::Arc<crate::llm::model::Model>>,
) {
    crate::ide::features::plugins::run::connected(cx);
    history_search::events::recall(cx, snapshot.earlier.clone());
    let state = &mut *cx.state;
    state.agent.connected = true;
    state.agent.models = models;
    equip(state, &snapshot.equipment);
    state.slots[TRANSCRIPT].load(&snapshot.messages, snapshot.earlier.as_ref(), &state.tools);
    show_session(state, snapshot);
    if snapshot.offline {
        state.say("Offline: only models on this machine can be asked");
    }
    for message in &snapshot.messages {
        if let crate::session::format::message::AgentMessage::Llm(Message::User(user)) = &**message {
            state.prompt.history.push(crate::llm::model::message::join_text(&user.content));
        }
    }
    state.damage.all();
}

/// Other tools are there, perhaps those of another profile.
fn equip(state: &mut crate::ide::core::state::State, equipment: &ActiveTools) {
    state.tools = equipment.all.clone();
    state.agent.tools = equipment.available.iter().cloned().collect();
}

fn show_session(state: &mut crate::ide::core::state::State, snapshot: &Snapshot) {
    state.agent.session.clone_from(&snapshot.session_id);
    state.agent.model.clone_from(&snapshot.model);
    state.agent.thinking = snapshot.thinking;
    state.agent.name.clone_from(&snapshot.name);
    state.agent.usage = snapshot.usage.clone();
    state.agent.context_tokens = snapshot.context_tokens;
    state.agent.way_back.clone_from(&snapshot.way_back);
}

/// The conversation is at another place now.
pub fn replaced(cx: &mut Cx<'_>, snapshot: &Snapshot) {
    let state = &mut *cx.state;
    state.slots[TRANSCRIPT] = crate::ide::features::transcript::items::Transcript::default();
    *state.slots[TRANSCRIPT_VIEW].borrow_mut() =
        crate::ide::features::transcript::view::TranscriptView::default();
    state.slots[TRANSCRIPT].load(&snapshot.messages, snapshot.earlier.as_ref(), &state.tools);
    show_session(state, snapshot);
    state.damage.all();
}

/// The session could not be started.
pub fn not_connected(cx: &mut Cx<'_>, report: &Report) {
    cx.state.slots[TRANSCRIPT].notice(true, report.to_string());
    cx.state.fail(report.to_string());
    cx.state.damage.all();
}

/// The session is over. Where the program does not end, it failed inside.
pub fn session_ended(cx: &mut Cx<'_>) {
    let agent = &mut cx.state.agent;
    if cx.state.quit || !std::mem::take(&mut agent.connected) {
        return;
    }
    (agent.working_since, agent.summing) = (None, None);
    let report = Report::new("Session ended by an internal error. Messages are kept")
        .hint("start bowline again with --continue");
    cx.state.slots[TRANSCRIPT].notice(true, report.to_string());
    cx.state.fail(report.to_string());
    cx.state.damage.all();
}

/// Something happened in the session.
pub fn runtime(cx: &mut Cx<'_>, event: &RuntimeEvent) {
    match event {
        RuntimeEvent::Agent(event) => agent(cx, event),
        RuntimeEvent::ModelChanged(model) => {
            cx.state.agent.model = Some(model.clone());
            cx.state.say(format!("Model: {}", model.name));
        }
        RuntimeEvent::ThinkingChanged(level) => {
            cx.state.agent.thinking = *level;
            cx.state.say(format!("Thinking: {}", level.name()));
        }
        RuntimeEvent::ToolsChanged(equipment) => equip(cx.state, equipment),
        RuntimeEvent::Delegated { event, .. } => delegated(cx, event),
        // Whoever ended it knows; what closes it by itself has been told. The rest is for programs: a window stays
        // in its folder.
        RuntimeEvent::Ended
        | RuntimeEvent::EntryAppended(_)
        | RuntimeEvent::Settled
        | RuntimeEvent::PlaceChanged { .. } => {}
        RuntimeEvent::Replaced(snapshot) => replaced(cx, snapshot),
        RuntimeEvent::Named(name) => {
            cx.state.agent.name.clone_from(name);
            cx.state.damage.add(Part::Status);
        }
        RuntimeEvent::Returned(messages) => queue::put_back(cx, messages.clone()),
        RuntimeEvent::Restored(_) => {
            files::events::refresh_tree(cx);
            files::disk::check_disk(cx);
        }
        RuntimeEvent::ModelsFound(models) => login::events::offered(cx, models),
        RuntimeEvent::Failed(report) => {
            cx.state.slots[TRANSCRIPT].notice(true, report.to_string());
            cx.state.damage.add(Part::Transcript);
        }
    }
}

fn agent(cx: &mut Cx<'_>, event: &AgentEvent) {
    let now = cx.now;
    let agent = &mut cx.state.agent;
    match event {
        AgentEvent::AgentStart => {
            agent.working_since = Some(now);
            // Rising over all runs of the program, since undo trees outlive it.
            agent.run = cx.now_ms.max(agent.run + 1);
            cx.state.damage.add(Part::Status);
            cx.state.damage.add(Part::Prompt);
        }
        AgentEvent::AgentEnd { .. } => {
            agent.working_since = None;
            if cx.state.status.message == INTERRUPTING {
                cx.state.say("");
            }
            permissions::dialog::drop_withdrawn(cx);
            questions::events::drop_withdrawn(cx);
            cx.state.damage.add(Part::Status);
            cx.state.damage.add(Part::Prompt);
            files::disk::check_disk(cx);
        }
        AgentEvent::QueueUpdate { steering, follow_up } => {
            agent.steering.clone_from(steering);
            agent.follow_up.clone_from(follow_up);
            cx.state.damage.all();
        }
        AgentEvent::MessageEnd(message) => {
            if let Message::Assistant(answer) = &**message {
                agent.usage += &answer.usage;
                if answer.usage.total_tokens > 0 {
                    agent.context_tokens = answer.usage.total_tokens;
                }
                cx.state.damage.add(Part::Status);
            }
        }
        AgentEvent::ToolEnd { .. } => {
            permissions::dialog::drop_withdrawn(cx);
            questions::events::drop_withdrawn(cx);
            files::events::refresh_tree(cx);
            files::disk::check_disk(cx);
        }
        _ => {}
    }
    summing(cx, event);
    transcript::retry::apply(cx, event);
    let state = &mut *cx.state;
    if state.slots[TRANSCRIPT].apply(event, &state.tools) {
        state.damage.add(Part::Transcript);
    }
}

/// Something is being summed up, or is no more: that is work, whether the agent does anything else or not.
fn summing(cx: &mut Cx<'_>, event: &AgentEvent) {
    let now = cx.now;
    let agent = &mut cx.state.agent;
    match event {
        AgentEvent::CompactionStart { .. } => begin_summing(agent, "compacting…", now),
        AgentEvent::BranchSummaryStart => begin_summing(agent, "Summarizing the branch…", now),
        AgentEvent::BranchSummaryEnd { .. } => end_summing(agent),
        AgentEvent::CompactionEnd { reason, result, error, .. } => {
            if let Some(done) = result {
                agent.context_tokens = done.tokens_after;
                agent.usage += done.usage.as_ref().unwrap_or(&Usage::default());
            }
            end_summing(agent);
            let told = match result {
                Some(_) => Some("Conversation compacted. Earlier messages: Alt-g".to_string()),
                None => error.clone(),
            };
            if let Some(told) = told.filter(|_| *reason == CompactionReason::Manual) {
                cx.state.say(told);
            }
        }
        _ => return,
    }
    cx.state.damage.add(Part::Status);
    cx.state.damage.add(Part::Prompt);
}

fn begin_summing(agent: &mut Agent, what: &'static str, now: std::time::Duration) {
    agent.summing = Some(Summarizing { what, alone: agent.working_since.is_none() });
    agent.working_since.get_or_insert(now);
}

fn end_summing(agent: &mut Agent) {
    if agent.summing.take().is_some_and(|summing| summing.alone) {
        agent.working_since = None;
    }
}

/// Something happened to an agent that the agent has started: it costs money and changes files.
fn delegated(cx: &mut Cx<'_>, event: &AgentEvent) {
    match event {
        AgentEvent::MessageEnd(message) => {
            if let Message::Assistant(answer) = &**message {
                cx.state.agent.usage += &answer.usage;
                cx.state.damage.add(Part::Status);
            }
        }
        AgentEvent::ToolEnd { .. } => {
            permissions::dialog::drop_withdrawn(cx);
            questions::events::drop_withdrawn(cx);
            files::events::refresh_tree(cx);
            files::disk::check_disk(cx);
        }
        _ => {}
    }
}
