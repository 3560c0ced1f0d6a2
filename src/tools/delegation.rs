//! What the tools that have other agents work have in common: the words for the model.
//!
//! Must not know any tool, nor how agents work.

use serde_json::{Value, json};

use super::delegate::{AgentReport, Done, Status, Task};
use super::limits::{Keep, Limits};
use super::tool::{Invocation, Outcome};
use super::view::CallView;

/// How much of an agent's answer another gets.
pub const LIMITS: Limits = Limits { chars: 20_000, keep: Keep::Ends, lines: None };

/// What the model is told where no agents can be started.
const NOBODY: &str = "No other agents can be started from here. Do it yourself.";

fn id(call: &Invocation) -> &str {
    call.args.get("agent_id").and_then(Value::as_str).unwrap_or_default()
}

/// Starts an agent and says how it is spoken to.
pub async fn spawn(call: &Invocation, task: Task) -> Outcome {
    match &call.shared.delegate {
        Some(delegate) => short(delegate.spawn(task).await),
        None => Outcome::error(NOBODY),
    }
}

/// Starts an agent and waits for its answer. One who is interrupted ends it.
pub async fn spawn_and_wait(call: &Invocation, task: Task) -> Outcome {
    let Some(delegate) = &call.shared.delegate else { return Outcome::error(NOBODY) };
    let started = match delegate.spawn(task).await {
        Ok(started) => started,
        Err(why) => return Outcome::error(why),
    };
    let ended = tokio::select! {
        biased;
        () = call.cancel.cancelled() => delegate.close(&started.id).await,
        ended = delegate.wait(&started.id, call.progress.clone()) => ended,
    };
    told(ended)
}

/// Says something to an agent.
pub async fn send(call: &Invocation) -> Outcome {
    let message = call.args.get("message").and_then(Value::as_str).unwrap_or_default();
    match &call.shared.delegate {
        Some(delegate) => short(delegate.send(id(call), message.to_string()).await),
        None => Outcome::error(NOBODY),
    }
}

/// Waits for an agent's answer; the agent works on when the wait is interrupted.
pub async fn wait(call: &Invocation) -> Outcome {
    let Some(delegate) = &call.shared.delegate else { return Outcome::error(NOBODY) };
    tokio::select! {
        biased;
        () = call.cancel.cancelled() => Outcome::error("Interrupted; the agent works on."),
        ended = delegate.wait(id(call), call.progress.clone()) => told(ended),
    }
}

/// Ends an agent.
pub async fn close(call: &Invocation) -> Outcome {
    match &call.shared.delegate {
        Some(delegate) => short(delegate.close(id(call)).await),
        None => Outcome::error(NOBODY),
    }
}

/// The state of an agent, without its words.
fn short(done: Done) -> Outcome {
    match done {
        Ok(report) => {
            let told = json!({"agent_id": report.id, "status": report.status.name()});
            Outcome::text(told.to_string()).details(report.details())
        }
        Err(why) => Outcome::error(why),
    }
}

/// An agent's words behind a line that says how it ended.
fn told(done: Done) -> Outcome {
    let report = match done {
        Ok(report) => report,
        Err(why) => return Outcome::error(why),
    };
    let AgentReport { id, status, output, turns, .. } = &report;
    let success = *status == Status::Completed;
    let text = format!("Agent {id} {}: success {success}, turns used {turns}.\n\n{output}", status.name());
    Outcome { is_error: !success, ..Outcome::text(text) }.details(report.details())
}

/// A call about a text: its first line, and all of it below.
pub fn view(text: Option<&Value>) -> CallView {
    let text = text.and_then(Value::as_str).unwrap_or_default();
    let mut lines = text.lines();
    let title = lines.next().unwrap_or_default().to_string();
    CallView { title, body: lines.next().map(|_| text.to_string()) }
}
