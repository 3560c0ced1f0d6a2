//! Applies the start, the events and the end of the session to the state and the features.

use crate::agent::event::{AgentEvent, CompactionReason};
use crate::base::error::Report;
use crate::base::width::visible_lines;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::feature::{self, FeatureEvent};
use crate::ide::core::state::State;
use crate::ide::features::drafts;
use crate::ide::features::files;
use crate::ide::features::history_search;
use crate::ide::features::login;
use crate::ide::features::message_queue;
use crate::ide::features::message_queue::take_back;
use crate::ide::features::models;
use crate::ide::features::permissions;
use crate::ide::features::prompt;
use crate::ide::features::questions;
use crate::ide::features::sessions;
use crate::ide::features::sessions::last::RECENT_SESSIONS;
use crate::ide::features::transcript;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::ide::features::transcript::items::subagents::AgentId;
use crate::ide::features::transcript::view::TRANSCRIPT_VIEW;
use crate::ide::model::agent::{Agent, INTERRUPTING, Summarizing};
use crate::llm::model::{Message, Usage};
use crate::runtime::{ActiveTools, RuntimeEvent, Snapshot};
use crate::tools::language_servers::errors_left::ErrorsLeft;

/// Handles the connection of the session.
pub fn on_connected(
    cx: &mut Cx<'_>,
    snapshot: &Snapshot,
    models: Vec<std::sync::Arc<crate::llm::model::Model>>,
) {
    crate::ide::features::plugins::run::on_connected(cx);
    crate::ide::features::terminal::agent_jobs::watch(cx);
    history_search::events::load_history(cx, snapshot.earlier.clone());
    let state = &mut *cx.state;
    state.agent.connected = true;
    state.agent.models = models;
    set_tools(state, &snapshot.active_tools);
    state.slots[TRANSCRIPT].load(&snapshot.messages, snapshot.earlier.as_ref(), &state.tools);
    show_session(state, snapshot);
    if snapshot.offline {
        state.set_status("Offline: only models on this machine can be asked");
    }
    for message in &snapshot.messages {
        if let crate::session::format::message::AgentMessage::Llm(Message::User(user)) = &**message {
            state.prompt.history.push(crate::llm::model::message::join_text(&user.content));
        }
    }
    state.damage.add_all();
    on_session(cx, snapshot);
    prompt::commands::send_awaited(cx);
}

/// Applies a changed set of tools, perhaps from another profile.
fn set_tools(state: &mut crate::ide::core::state::State, active_tools: &ActiveTools) {
    state.tools = active_tools.all.clone();
    state.agent.tools = active_tools.available.iter().cloned().collect();
    state.agent.profile = active_tools.profile;
    state.agent.requested_profile = active_tools.requested_profile;
}

fn show_session(state: &mut crate::ide::core::state::State, snapshot: &Snapshot) {
    state.agent.session.clone_from(&snapshot.session_id);
    state.agent.model.clone_from(&snapshot.model);
    state.agent.thinking = snapshot.thinking;
    state.agent.approval_mode = snapshot.approval_mode;
    state.agent.name.clone_from(&snapshot.name);
    state.agent.usage = snapshot.usage.clone();
    state.agent.context_tokens = snapshot.context_tokens;
    state.agent.worked_for = None;
    state.agent.undo_restore_entry.clone_from(&snapshot.undo_entry);
}

/// Handles a move of the conversation to another entry.
pub fn on_replaced(cx: &mut Cx<'_>, snapshot: &Snapshot) {
    let state = &mut *cx.state;
    let is_other_session = state.agent.session != snapshot.session_id;
    state.slots[TRANSCRIPT] = crate::ide::features::transcript::items::Transcript::default();
    *state.slots[TRANSCRIPT_VIEW].borrow_mut() =
        crate::ide::features::transcript::view::TranscriptView::default();
    state.slots[TRANSCRIPT].load(&snapshot.messages, snapshot.earlier.as_ref(), &state.tools);
    transcript::agents::clear(state);
    prompt::shell_commands::show_running(state);
    show_session(state, snapshot);
    state.damage.add_all();
    on_session(cx, snapshot);
    feature::notify(cx, FeatureEvent::ConversationReplaced { is_other_session });
}

/// Handles what a session brings with it: its unsent message, and what to go on with if it is empty.
fn on_session(cx: &mut Cx<'_>, snapshot: &Snapshot) {
    drafts::events::on_session(cx, &snapshot.session_id, snapshot.file.is_some());
    cx.state.slots[RECENT_SESSIONS] = None;
    if snapshot.file.is_none() {
        sessions::last::find(cx);
    }
}

/// The session could not be started.
pub fn on_connect_failed(cx: &mut Cx<'_>, report: &Report) {
    cx.state.slots[TRANSCRIPT].notice(true, report.to_string());
    cx.state.set_error(report.to_string());
    cx.state.damage.add_all();
}

/// Handles the end of the session. Unless the program is quitting, it failed internally.
pub fn on_session_ended(cx: &mut Cx<'_>) {
    let agent = &mut cx.state.agent;
    if cx.state.quit || !std::mem::take(&mut agent.connected) {
        return;
    }
    (agent.working_since, agent.summarizing, agent.has_failed) = (None, None, true);
    clear_interrupting(cx.state);
    cx.state.slots[TRANSCRIPT].stop_timers();
    transcript::agents::clear(cx.state);
    let report = Report::new("Session ended by an internal error. Messages are kept")
        .hint("start bowline again with --continue");
    cx.state.slots[TRANSCRIPT].notice(true, report.to_string());
    cx.state.set_error(report.to_string());
    cx.state.damage.add_all();
}

/// Returns whether the session has entries that it did not have before an event.
fn has_new_entries(event: &RuntimeEvent) -> bool {
    match event {
        // Turns begin with a message of the user; what the agent adds is read when it has ended.
        RuntimeEvent::Agent(AgentEvent::MessageEnd(message)) => matches!(**message, Message::User(_)),
        RuntimeEvent::Agent(event) => matches!(
            event,
            AgentEvent::CompactionEnd { .. }
                | AgentEvent::BranchSummaryEnd { .. }
                | AgentEvent::AgentEnd { .. }
        ),
        RuntimeEvent::ModelChanged(_)
        | RuntimeEvent::ThinkingChanged(_)
        | RuntimeEvent::ToolsChanged(_)
        | RuntimeEvent::SessionRenamed(_)
        | RuntimeEvent::Restored(_) => true,
        _ => false,
    }
}

/// Handles one event of the session.
pub fn on_runtime_event(cx: &mut Cx<'_>, event: &RuntimeEvent) {
    if has_new_entries(event) {
        sessions::events::mark_stale(cx.state);
    }
    match event {
        RuntimeEvent::Agent(event) => on_agent_event(cx, event),
        RuntimeEvent::ModelChanged(model) => {
            cx.state.agent.model = Some(model.clone());
            cx.state.set_status(format!("Model: {}", model.name));
            setting_changed(cx.state, "Model", &model.name);
        }
        RuntimeEvent::ThinkingChanged(level) => {
            cx.state.agent.thinking = *level;
            cx.state.set_status(format!("Thinking: {}", level.name()));
            setting_changed(cx.state, "Thinking", level.name());
        }
        RuntimeEvent::ToolsChanged(active_tools) => {
            on_tools_changed(cx.state, active_tools);
        }
        RuntimeEvent::ApprovalModeChanged(mode) => {
            let is_other = std::mem::replace(&mut cx.state.agent.approval_mode, *mode) != *mode;
            if is_other {
                cx.state.set_status(format!("Approval mode: {}", mode.name()));
                setting_changed(cx.state, "Approval mode", mode.name());
            }
        }
        RuntimeEvent::Subagent { agent, call_id, event } => {
            let id = AgentId { agent: agent.clone(), call_id: call_id.clone() };
            transcript::agents::on_event(cx, &id, event);
            on_subagent_event(cx, event);
        }
        // The user ended it, or was already notified. The rest is for programs: a window stays in its
        // folder.
        RuntimeEvent::Ended
        | RuntimeEvent::EntryAppended(_)
        | RuntimeEvent::Settled
        | RuntimeEvent::EnvironmentChanged { .. } => {}
        RuntimeEvent::Replaced(snapshot) => on_replaced(cx, snapshot),
        RuntimeEvent::SessionRenamed(name) => {
            cx.state.agent.name.clone_from(name);
            cx.state.damage.add(Part::AgentTitle);
            sessions::events::damage(cx.state);
        }
        RuntimeEvent::QueueReturned(messages) => take_back::restore_to_prompt(cx, messages.clone()),
        RuntimeEvent::Restored(_) => {
            files::events::refresh_tree(cx);
            files::disk::check_disk(cx);
            feature::notify(cx, FeatureEvent::FilesRestored);
        }
        RuntimeEvent::ModelsChanged(models) => models::events::set_models(cx, models),
        RuntimeEvent::ErrorsLeft(left) => show_errors_left(cx.state, left),
        RuntimeEvent::Failed(report) => {
            cx.state.slots[TRANSCRIPT].notice(true, report.to_string());
            cx.state.damage.add(Part::Transcript);
        }
    }
}

/// Lists in the conversation the errors that a turn has left.
fn show_errors_left(state: &mut State, left: &ErrorsLeft) {
    let more = left.count - left.lines.len();
    let rest = if more > 0 { format!("\n… and {more} more") } else { String::new() };
    let text = format!("{}:\n{}{rest}", left.headline(), left.lines.join("\n"));
    state.slots[TRANSCRIPT].notice(true, visible_lines(&text));
    state.damage.add(Part::Transcript);
}

/// Says in the conversation that a setting changed.
fn setting_changed(state: &mut State, name: &str, value: &str) {
    state.slots[TRANSCRIPT].setting_changed(name, value);
    state.damage.add(Part::Transcript);
    // The panel of the settings.
    state.damage.add(Part::Overlay);
}

/// Handles other tools, which may come with another profile.
fn on_tools_changed(state: &mut State, active_tools: &ActiveTools) {
    let before = std::mem::take(&mut state.agent.tools);
    let profiles = (state.agent.profile, state.agent.requested_profile);
    set_tools(state, active_tools);
    if let Some(changes) = tool_changes(&before, &state.agent.tools) {
        setting_changed(state, "Tools", &changes);
    }
    if state.agent.requested_profile != profiles.1 {
        let name = match state.agent.requested_profile {
            "auto" => format!("auto ({})", state.agent.profile),
            name => name.to_string(),
        };
        state.set_status(format!("Profile: {name}"));
        setting_changed(state, "Profile", &name);
    }
}

/// Returns the tools that came and went, such as `+grep −bash`; `None` if none did.
fn tool_changes(before: &[String], after: &[String]) -> Option<String> {
    let came = after.iter().filter(|name| !before.contains(name)).map(|name| format!("+{name}"));
    let went = before.iter().filter(|name| !after.contains(name)).map(|name| format!("−{name}"));
    let changes: Vec<String> = came.chain(went).collect();
    (!changes.is_empty()).then(|| changes.join(" "))
}

fn on_agent_event(cx: &mut Cx<'_>, event: &AgentEvent) {
    let now = cx.now;
    let agent = &mut cx.state.agent;
    match event {
        AgentEvent::AgentStart => {
            agent.working_since = Some(now);
            agent.now = now;
            agent.has_failed = false;
            // Increasing across all runs of the program, since undo trees outlive it.
            agent.run = cx.now_ms.max(agent.run + 1);
            cx.state.damage.add(Part::Status);
            cx.state.damage.add(Part::Prompt);
            cx.state.damage.add(Part::AgentTitle);
            drafts::events::on_stored(cx);
        }
        AgentEvent::AgentEnd { aborted, .. } => {
            agent.was_interrupted = *aborted;
            agent.worked_for = agent.working_since.take().map(|since| now.saturating_sub(since));
            clear_interrupting(cx.state);
            permissions::answers::drop_withdrawn(cx);
            questions::events::drop_withdrawn(cx);
            cx.state.damage.add(Part::Status);
            cx.state.damage.add(Part::AgentTitle);
            cx.state.damage.add(Part::Prompt);
            files::disk::check_disk(cx);
        }
        AgentEvent::QueueUpdate { steering, follow_up } => {
            agent.steering.clone_from(steering);
            agent.follow_up.clone_from(follow_up);
            cx.state.damage.add_all();
            message_queue::commands::close_if_empty(cx);
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
            permissions::answers::drop_withdrawn(cx);
            questions::events::drop_withdrawn(cx);
            files::events::refresh_tree(cx);
            files::disk::check_disk(cx);
        }
        _ => {}
    }
    on_summary_event(cx, event);
    transcript::retry::apply(cx, event);
    add_to_transcript(cx, event);
    notify_features(cx, event);
}

fn add_to_transcript(cx: &mut Cx<'_>, event: &AgentEvent) {
    let state = &mut *cx.state;
    state.slots[TRANSCRIPT].set_now(cx.now);
    state.slots[TRANSCRIPT].set_paced(state.text_options.accessible);
    let plan = state.slots[TRANSCRIPT].active_plan().map(str::to_string);
    if state.slots[TRANSCRIPT].apply(event, &state.tools) {
        state.damage.add(Part::Transcript);
    }
    // The prompt has a row more or less.
    if state.slots[TRANSCRIPT].active_plan() != plan.as_deref() {
        state.damage.add_all();
    }
}

/// Notifies the features of the end of a call or a turn.
fn notify_features(cx: &mut Cx<'_>, event: &AgentEvent) {
    match event {
        AgentEvent::ToolEnd { .. } => feature::notify(cx, FeatureEvent::ToolEnded),
        AgentEvent::AgentEnd { aborted, error } => {
            let is_failed = error.is_some();
            if !aborted {
                login::providers_picker::note_run(cx, error.as_deref());
            }
            cx.state.agent.has_failed = is_failed;
            cx.state.damage.add(Part::AgentTitle);
            feature::notify(cx, FeatureEvent::AgentEnded { is_failed });
        }
        _ => {}
    }
}

/// Handles the start or end of a summary, which counts as work even while the agent is otherwise idle.
fn on_summary_event(cx: &mut Cx<'_>, event: &AgentEvent) {
    let now = cx.now;
    let agent = &mut cx.state.agent;
    match event {
        AgentEvent::CompactionStart { .. } => begin_summarizing(agent, "Compacting…", now),
        AgentEvent::BranchSummaryStart => begin_summarizing(agent, "Summarizing the branch…", now),
        AgentEvent::BranchSummaryEnd { .. } => {
            end_summarizing(agent);
            clear_interrupting(cx.state);
        }
        AgentEvent::CompactionEnd { reason, result, error, .. } => {
            if let Some(done) = result {
                agent.context_tokens = done.tokens_after;
                agent.usage += done.usage.as_ref().unwrap_or(&Usage::default());
            }
            end_summarizing(agent);
            clear_interrupting(cx.state);
            let message = match result {
                Some(_) => Some("Conversation compacted. Earlier messages: Alt-g".to_string()),
                None => error.clone(),
            };
            if let Some(message) = message.filter(|_| *reason == CompactionReason::Manual) {
                cx.state.set_status(message);
            }
        }
        _ => return,
    }
    cx.state.damage.add(Part::Status);
    cx.state.damage.add(Part::AgentTitle);
    cx.state.damage.add(Part::Prompt);
}

/// Removes the message of the interrupt key once the work has ended.
fn clear_interrupting(state: &mut State) {
    if state.status.message == INTERRUPTING {
        state.set_status("");
    }
}

fn begin_summarizing(agent: &mut Agent, label: &'static str, now: std::time::Duration) {
    agent.summarizing = Some(Summarizing { what: label, is_exclusive: agent.working_since.is_none() });
    if agent.working_since.is_none() {
        (agent.working_since, agent.now) = (Some(now), now);
    }
}

fn end_summarizing(agent: &mut Agent) {
    if agent.summarizing.take().is_some_and(|summing| summing.is_exclusive) {
        agent.working_since = None;
    }
}

/// Handles an event of a subagent: it costs money and changes files.
fn on_subagent_event(cx: &mut Cx<'_>, event: &AgentEvent) {
    match event {
        AgentEvent::MessageEnd(message) => {
            if let Message::Assistant(answer) = &**message {
                cx.state.agent.usage += &answer.usage;
                cx.state.damage.add(Part::Status);
            }
        }
        AgentEvent::ToolEnd { .. } => {
            permissions::answers::drop_withdrawn(cx);
            questions::events::drop_withdrawn(cx);
            files::events::refresh_tree(cx);
            files::disk::check_disk(cx);
        }
        _ => {}
    }
    if matches!(event, AgentEvent::ToolEnd { .. }) {
        feature::notify(cx, FeatureEvent::ToolEnded);
    }
}
