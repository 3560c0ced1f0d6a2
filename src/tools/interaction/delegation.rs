//! Shared parts of the subagent tools: texts for the model.
//!
//! Must not know any tool, nor how agents work.

use serde_json::Value;

use crate::base::json::json;

use super::delegate::{AgentReport, AgentStatus, AgentTask, DelegateResult};
use crate::llm::model::Part;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::CallView;
use crate::tools::output::limits::{Keep, Limits};

/// Limits on a subagent's answer for its parent.
pub const LIMITS: Limits = Limits { chars: 20_000, keep: Keep::Ends, lines: None };

/// Error when no subagents can be started.
const NO_SUBAGENTS: &str = "No other agents can be started from here. Do it yourself.";

fn id(call: &Invocation) -> &str {
    call.args.get("agent_id").and_then(Value::as_str).unwrap_or_default()
}

/// Starts a subagent and returns its id.
pub async fn spawn(call: &Invocation, task: AgentTask) -> Outcome {
    let Some(delegate) = &call.shared.delegate else { return Outcome::error(NO_SUBAGENTS) };
    unless_interrupted(call, "Interrupted before the agent was started.", delegate.spawn(task)).await
}

/// Returns an operation's result, or an error if the wait was interrupted.
async fn unless_interrupted(
    call: &Invocation,
    interrupted: &str,
    done: impl Future<Output = DelegateResult>,
) -> Outcome {
    tokio::select! {
        biased;
        done = done => status_outcome(done),
        () = call.cancel.cancelled() => Outcome::error(interrupted),
    }
}

/// Starts a subagent and waits for its answer. An interruption closes it.
pub async fn spawn_and_wait(call: &Invocation, task: AgentTask) -> Outcome {
    let Some(delegate) = &call.shared.delegate else { return Outcome::error(NO_SUBAGENTS) };
    let started = tokio::select! {
        biased;
        started = delegate.spawn(task) => started,
        () = call.cancel.cancelled() => return Outcome::error("Interrupted before the agent was started."),
    };
    let started = match started {
        Ok(started) => started,
        Err(error) => return Outcome::error(error),
    };
    tokio::select! {
        biased;
        () = call.cancel.cancelled() => {
            let last = answer_outcome(delegate.close(&started.id).await);
            let content = [Part::text("Interrupted; the agent was ended.\n\n")].into_iter().chain(last.content);
            Outcome { content: content.collect(), is_error: true, ..last }
        }
        ended = delegate.wait(&started.id, call.progress.clone()) => answer_outcome(ended),
    }
}

/// Sends a message to a subagent.
pub async fn send(call: &Invocation) -> Outcome {
    let message = call.args.get("message").and_then(Value::as_str).unwrap_or_default();
    let Some(delegate) = &call.shared.delegate else { return Outcome::error(NO_SUBAGENTS) };
    let sent = delegate.send(id(call), message.to_string());
    unless_interrupted(call, "Interrupted; the agent may or may not have been told.", sent).await
}

/// Waits for a subagent's answer; the subagent continues when the wait is interrupted.
pub async fn wait(call: &Invocation) -> Outcome {
    let Some(delegate) = &call.shared.delegate else { return Outcome::error(NO_SUBAGENTS) };
    tokio::select! {
        biased;
        () = call.cancel.cancelled() => Outcome::error("Interrupted; the agent works on."),
        ended = delegate.wait(id(call), call.progress.clone()) => answer_outcome(ended),
    }
}

/// Ends an agent.
pub async fn close(call: &Invocation) -> Outcome {
    let Some(delegate) = &call.shared.delegate else { return Outcome::error(NO_SUBAGENTS) };
    let closed = delegate.close(id(call));
    unless_interrupted(call, "Interrupted; the agent is being ended all the same.", closed).await
}

/// Returns the state of a subagent, without its answer.
fn status_outcome(done: DelegateResult) -> Outcome {
    match done {
        Ok(report) => {
            let state = json!({"agent_id": report.id, "status": report.status.name()});
            Outcome::text(state.to_string()).details(report.details())
        }
        Err(error) => Outcome::error(error),
    }
}

/// Returns a subagent's answer after a line with its state.
fn answer_outcome(done: DelegateResult) -> Outcome {
    let report = match done {
        Ok(report) => report,
        Err(error) => return Outcome::error(error),
    };
    let AgentReport { id, status, output, turns, .. } = &report;
    let success = *status == AgentStatus::Completed;
    let text = format!("Agent {id} {}: success {success}, turns used {turns}.\n\n{output}", status.name());
    Outcome { is_error: !success, ..Outcome::text(text) }.details(report.details())
}

/// Returns the view of a call with a text: its first line, and the whole text as body.
pub fn view(text: Option<&Value>) -> CallView {
    let text = text.and_then(Value::as_str).unwrap_or_default();
    let mut lines = text.lines();
    let title = lines.next().unwrap_or_default().to_string();
    CallView { title, body: lines.next().map(|_| text.to_string()), ..CallView::default() }
}
