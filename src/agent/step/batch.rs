//! The running tool calls of one answer. Pure.
//!
//! Must not know what precedes or follows them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Map;

use crate::agent::effect::{Effect, FinishedCall};
use crate::agent::event::AgentEvent;
use crate::llm::model::{AssistantMessage, Message, Part, ToolCall, ToolResultMessage};

pub(super) const ABORTED: &str = "Not run: the user interrupted.";
const ABORTED_RUNNING: &str =
    "The user interrupted this call while it ran; what it had done by then stays done.";
pub(super) const CUT_OFF: &str = "Skipped: the response was cut off at the output limit, so this call may be incomplete. \
                       Send it again, in smaller pieces.";

/// The tool calls of one answer.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) message: Arc<AssistantMessage>,
    pub(super) calls: Vec<ToolCall>,
    pub(super) results: Vec<Option<Arc<ToolResultMessage>>>,
    /// Live output of running calls, by id.
    pub(super) live_output: BTreeMap<String, String>,
    /// Whether every call that ended requests the end of the run.
    pub(super) terminate: bool,
    /// Number of calls that were started.
    pub(super) started: usize,
}

impl Batch {
    pub(super) fn start_next(&mut self, out: &mut Vec<Effect>) {
        let (index, call) = (self.started, self.calls[self.started].clone());
        self.started += 1;
        out.push(Effect::Emit(AgentEvent::ToolStart {
            call_id: call.id.clone(),
            tool: call.name.clone(),
            args: call.arguments.clone(),
        }));
        out.push(Effect::RunTool { index, call });
    }

    pub(super) fn end_call(&mut self, index: usize, ended: FinishedCall, out: &mut Vec<Effect>) {
        let FinishedCall { result, full_text, took, terminate } = ended;
        let result = Arc::new(result);
        self.results[index] = Some(result.clone());
        self.terminate &= terminate;
        let call = &self.calls[index];
        out.push(Effect::Emit(AgentEvent::ToolEnd {
            call_id: call.id.clone(),
            tool: call.name.clone(),
            result,
            full_text,
            took,
        }));
    }

    /// Returns the result of a call that was abandoned.
    pub(super) fn abandoned_result(&self, index: usize) -> ToolResultMessage {
        let call = &self.calls[index];
        match self.live_output.get(&call.id).map(|text| text.trim_end()).filter(|text| !text.is_empty()) {
            Some(text) => {
                error_result(call, &format!("{ABORTED_RUNNING} What it had shown by then:\n\n{text}"))
            }
            None => error_result(call, ABORTED_RUNNING),
        }
    }

    /// Whether all running tools are waiting for a user's answer.
    pub(super) fn waits_only_for_user(&self, asking: &BTreeSet<String>) -> bool {
        let pending = self.calls[..self.started].iter().zip(&self.results);
        let mut pending = pending.filter(|(_, result)| result.is_none()).peekable();
        pending.peek().is_some() && pending.all(|(call, _)| asking.contains(&call.name))
    }

    pub(super) fn is_running(&self) -> bool {
        self.results[..self.started].iter().any(Option::is_none)
    }
}

/// Answers every call of a message with an error, so that the history stays valid.
pub(super) fn refuse_calls(message: AssistantMessage, reason: &str, out: &mut Vec<Effect>) {
    let results: Vec<_> = message.tool_calls().map(|call| Arc::new(error_result(call, reason))).collect();
    out.extend(results.iter().map(|result| Effect::Record(Message::ToolResult((**result).clone()))));
    out.push(Effect::Emit(AgentEvent::TurnEnd { message: Arc::new(message), results }));
}

pub(super) fn error_result(call: &ToolCall, text: &str) -> ToolResultMessage {
    ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: vec![Part::text(text)],
        details: None,
        is_error: true,
        timestamp: 0,
        extra: Map::new(),
    }
}
