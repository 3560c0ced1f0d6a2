//! Event notices for users of modes without a screen, one line each.
//!
//! Must not know where they are written.

use serde_json::Value;

use crate::agent::event::AgentEvent;
use crate::runtime::{RuntimeEvent, Snapshot};

/// Returns the notice for a session without a model, if it is one.
pub fn demo_note(snapshot: &Snapshot) -> Option<&'static str> {
    let is_demo = snapshot.model.as_ref().is_some_and(|model| model.provider == "demo");
    is_demo.then_some(if snapshot.offline {
        "bowline is offline, so this is the demo guide (start it without --offline and BOWLINE_OFFLINE to reach a model)"
    } else {
        "no model is connected; this is the demo guide (set ANTHROPIC_API_KEY to connect one)"
    })
}

/// Returns the notice for an event, if there is one.
pub fn event_note(event: &RuntimeEvent) -> Option<String> {
    match event {
        RuntimeEvent::Agent(event) => agent_event_note(event),
        RuntimeEvent::Failed(report) => Some(report.to_string()),
        RuntimeEvent::ErrorsLeft(left) => {
            let rest = if left.count > left.lines.len() { "; …" } else { "" };
            Some(format!("{}: {}{rest}", left.headline(), left.lines.join("; ")))
        }
        _ => None,
    }
}

fn agent_event_note(event: &AgentEvent) -> Option<String> {
    Some(match event {
        AgentEvent::AgentEnd { error: Some(error), .. }
        | AgentEvent::CompactionEnd { error: Some(error), .. } => error.clone(),
        AgentEvent::RetryStart { attempt, max, delay, error }
        | AgentEvent::SummaryRetryStart { attempt, max, delay, error } => {
            let seconds = delay.as_secs_f64();
            format!("{error}; try {attempt} of {max} in {seconds:.1} s")
        }
        // A refused call is worth a notice: the answer may lack its result.
        AgentEvent::ToolEnd { tool, result, .. } if result.is_error => {
            refusal_note(tool, result.details.as_ref())?
        }
        AgentEvent::LimitReached(text) => text.clone(),
        AgentEvent::ContextWarning { tokens, window } => {
            format!("the conversation has about {tokens} tokens of {window} that the model can hold")
        }
        AgentEvent::CompactionStart { .. } => "compacting the conversation".to_string(),
        AgentEvent::CompactionEnd { result: Some(done), .. } => {
            let (before, after) = (done.tokens_before, done.tokens_after);
            format!("the conversation has about {after} tokens now, before {before}")
        }
        AgentEvent::LoopDetected => "the model repeats its calls and was told so".to_string(),
        _ => return None,
    })
}

/// Returns the notice for a call that a rule refused: the rule, and the flag that would allow it.
pub fn refusal_note(tool: &str, details: Option<&Value>) -> Option<String> {
    let refused = details?.get("refused")?;
    let field = |name: &str| refused.get(name)?.as_str();
    Some(format!("{tool} was not run: {}; {} runs it unasked", field("rule")?, field("flag")?))
}
