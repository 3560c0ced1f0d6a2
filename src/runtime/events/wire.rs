//! Events of a live session as pi's JSON events (JSON and RPC mode, pi 1.5), one object each.
//!
//! Must not know who writes them where. Derived from the agent's events, as the library's are.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::base::json::json;

use super::event::RuntimeEvent;
use crate::agent::event::{AgentEvent, Compacted};
use crate::llm::model::{Message, StreamEvent, Usage};

/// State for fields that pi's events repeat.
#[derive(Debug, Default)]
pub struct Wire {
    /// The messages of the run.
    messages: Vec<Arc<Message>>,
    /// The answer of a turn whose end was not emitted yet.
    open_answer: Option<Arc<Message>>,
    /// The texts of the streaming answer, by index.
    texts: BTreeMap<usize, String>,
    /// Its usage so far.
    usage: Usage,
    /// Tool and arguments of running calls.
    calls: BTreeMap<String, (String, Value)>,
    /// Whether the last run was interrupted, while something may still follow its end.
    ended: Option<bool>,
    /// The last retry attempt and its cause.
    retry: Option<(u32, String)>,
}

impl Wire {
    /// Returns the pi events that correspond to one of ours, in order; none for kinds that pi does not have.
    pub fn events(&mut self, event: &RuntimeEvent) -> Vec<Value> {
        match event {
            RuntimeEvent::Agent(event) => self.agent_events(event),
            RuntimeEvent::Settled => {
                let ended = self.ended.take();
                ended
                    .map(|aborted| json!({"type": "agent_settled", "aborted": aborted}))
                    .into_iter()
                    .collect()
            }
            RuntimeEvent::ThinkingChanged(level) => {
                vec![json!({"type": "thinking_level_changed", "level": level.name()})]
            }
            RuntimeEvent::SessionRenamed(name) => {
                let mut changed = json!({"type": "session_info_changed"});
                if let Some(name) = name {
                    changed["name"] = json!(name);
                }
                vec![changed]
            }
            RuntimeEvent::EntryAppended(line) => match serde_json::from_str::<Value>(line) {
                Ok(entry) => vec![json!({"type": "entry_appended", "entry": entry})],
                Err(error) => {
                    tracing::error!(%error, "a new entry of the session is no JSON");
                    Vec::new()
                }
            },
            _ => Vec::new(),
        }
    }

    fn agent_events(&mut self, event: &AgentEvent) -> Vec<Value> {
        let one = match event {
            AgentEvent::AgentStart => {
                self.messages.clear();
                json!({"type": "agent_start"})
            }
            AgentEvent::TurnStart => json!({"type": "turn_start"}),
            AgentEvent::MessageStart(message) => {
                self.texts.clear();
                self.usage = match &**message {
                    Message::Assistant(answer) => answer.usage.clone(),
                    _ => Usage::default(),
                };
                json!({"type": "message_start", "message": **message})
            }
            AgentEvent::MessageUpdate(update) => match self.update(update) {
                Some(update) => {
                    json!({"type": "message_update", "usage": self.usage, "assistantMessageEvent": update})
                }
                None => return Vec::new(),
            },
            AgentEvent::MessageEnd(message) => {
                if matches!(**message, Message::Assistant(_)) {
                    self.open_answer = Some(message.clone());
                }
                self.messages.push(message.clone());
                json!({"type": "message_end", "message": **message})
            }
            AgentEvent::ToolStart { .. } | AgentEvent::ToolUpdate { .. } | AgentEvent::ToolEnd { .. } => {
                self.tool_event(event)
            }
            AgentEvent::TurnEnd { message, results } => {
                self.open_answer = None;
                let results: Vec<Message> =
                    results.iter().map(|r| Message::ToolResult((**r).clone())).collect();
                let message = Message::Assistant((**message).clone());
                json!({"type": "turn_end", "message": message, "toolResults": results})
            }
            AgentEvent::QueueUpdate { steering, follow_up } => {
                json!({"type": "queue_update", "steering": steering, "followUp": follow_up})
            }
            AgentEvent::RetryStart { attempt, max, delay, error } => {
                self.retry = Some((*attempt, error.clone()));
                json!({
                    "type": "auto_retry_start", "attempt": attempt, "maxAttempts": max,
                    "delayMs": delay.as_millis() as u64, "errorMessage": error,
                })
            }
            AgentEvent::RetryEnd { success, cancelled } => self.retry_end(*success, *cancelled),
            AgentEvent::CompactionStart { .. }
            | AgentEvent::CompactionEnd { .. }
            | AgentEvent::SummaryRetryStart { .. }
            | AgentEvent::SummaryRetry { .. }
            | AgentEvent::SummaryRetryEnd => compaction_event(event),
            AgentEvent::AgentEnd { aborted, .. } => return self.agent_end(*aborted),
            _ => return Vec::new(),
        };
        vec![one]
    }

    /// Returns the end of the run, after the end of a turn that is still open.
    fn agent_end(&mut self, aborted: bool) -> Vec<Value> {
        let messages: Vec<&Message> = self.messages.iter().map(|message| &**message).collect();
        let end = json!({"type": "agent_end", "messages": messages, "willRetry": false});
        self.messages.clear();
        self.ended = Some(aborted);
        // An answer that was cut off or failed emits no end of turn here, but pi has one.
        let turn = self.open_answer.take().map(
            |message| json!({"type": "turn_end", "message": *message, "toolResults": Vec::<Value>::new()}),
        );
        turn.into_iter().chain([end]).collect()
    }

    /// Returns the event of a tool call.
    fn tool_event(&mut self, event: &AgentEvent) -> Value {
        match event {
            AgentEvent::ToolStart { call_id, tool, args } => {
                self.calls.insert(call_id.clone(), (tool.clone(), args.clone()));
                json!({"type": "tool_execution_start", "toolCallId": call_id, "toolName": tool, "args": args})
            }
            AgentEvent::ToolUpdate { call_id, text } => {
                let partial = json!({"content": [{"type": "text", "text": text}]});
                let (tool, args) = self.calls.get(call_id).cloned().unwrap_or_default();
                json!({
                    "type": "tool_execution_update", "toolCallId": call_id, "toolName": tool, "args": args,
                    "partialResult": partial,
                })
            }
            AgentEvent::ToolEnd { call_id, tool, result, took, .. } => {
                self.calls.remove(call_id);
                let result_json = json!({"content": result.content, "details": result.details});
                json!({
                    "type": "tool_execution_end", "toolCallId": call_id, "toolName": tool, "result": result_json,
                    "isError": result.is_error, "durationMs": took.as_millis() as u64,
                })
            }
            _ => Value::Null,
        }
    }

    fn retry_end(&mut self, success: bool, cancelled: bool) -> Value {
        let (attempt, error) = self.retry.take().unwrap_or_default();
        let mut end = json!({"type": "auto_retry_end", "success": success, "attempt": attempt});
        if !success {
            // pi's exact message, which its clients match.
            end["finalError"] = if cancelled { json!("Retry cancelled") } else { json!(error) };
        }
        end
    }

    fn update(&mut self, update: &StreamEvent) -> Option<Value> {
        if let StreamEvent::TextStart { index } | StreamEvent::ThinkingStart { index } = update {
            self.texts.remove(index);
        }
        let (kind, index) = match update {
            StreamEvent::Start => {
                self.texts.clear();
                return Some(json!({"type": "start"}));
            }
            StreamEvent::TextStart { index } => ("text_start", index),
            StreamEvent::ThinkingStart { index } => ("thinking_start", index),
            StreamEvent::TextDelta { index, delta } => return Some(self.delta("text_delta", *index, delta)),
            StreamEvent::ThinkingDelta { index, delta } => {
                return Some(self.delta("thinking_delta", *index, delta));
            }
            StreamEvent::TextEnd { index } => return Some(self.end("text_end", *index)),
            StreamEvent::ThinkingEnd { index } => return Some(self.end("thinking_end", *index)),
            StreamEvent::ToolCallStart { index, id, name } => {
                return Some(
                    json!({"type": "toolcall_start", "contentIndex": index, "id": id, "toolName": name}),
                );
            }
            StreamEvent::ToolCallDelta { index, delta } => {
                return Some(json!({"type": "toolcall_delta", "contentIndex": index, "delta": delta}));
            }
            StreamEvent::ToolCallEnd { index, call } => {
                let call = json!({"type": "toolCall", "id": call.id, "name": call.name, "arguments": call.arguments});
                return Some(json!({"type": "toolcall_end", "contentIndex": index, "toolCall": call}));
            }
            // Emitted with the next event, as pi does.
            StreamEvent::Usage(usage) => {
                self.usage.clone_from(usage);
                return None;
            }
            _ => return None,
        };
        Some(json!({"type": kind, "contentIndex": index}))
    }

    fn delta(&mut self, kind: &str, index: usize, delta: &str) -> Value {
        self.texts.entry(index).or_default().push_str(delta);
        json!({"type": kind, "contentIndex": index, "delta": delta})
    }

    fn end(&mut self, kind: &str, index: usize) -> Value {
        let content = self.texts.remove(&index).unwrap_or_default();
        json!({"type": kind, "contentIndex": index, "content": content})
    }
}

/// Returns the event of a compaction or summary.
fn compaction_event(event: &AgentEvent) -> Value {
    match event {
        AgentEvent::CompactionStart { reason } => {
            json!({"type": "compaction_start", "reason": reason.name()})
        }
        AgentEvent::CompactionEnd { .. } => compaction_end(event),
        AgentEvent::SummaryRetryStart { attempt, max, delay, error } => json!({
            "type": "summarization_retry_scheduled", "attempt": attempt, "maxAttempts": max,
            "delayMs": delay.as_millis() as u64, "errorMessage": error,
        }),
        AgentEvent::SummaryRetry { reason: Some(reason) } => json!({
            "type": "summarization_retry_attempt_start", "source": "compaction", "reason": reason.name(),
        }),
        AgentEvent::SummaryRetry { reason: None } => {
            json!({"type": "summarization_retry_attempt_start", "source": "branchSummary"})
        }
        AgentEvent::SummaryRetryEnd => json!({"type": "summarization_retry_finished"}),
        _ => Value::Null,
    }
}

/// Returns the end of a compaction, in pi's fields.
fn compaction_end(event: &AgentEvent) -> Value {
    let AgentEvent::CompactionEnd { reason, result, aborted, will_retry, error } = event else {
        return Value::Null;
    };
    let mut end = json!({
        "type": "compaction_end", "reason": reason.name(), "aborted": aborted, "willRetry": will_retry,
    });
    if let Some(result) = result {
        end["result"] = compacted(result);
    }
    if let Some(error) = error {
        end["errorMessage"] = json!(error);
    }
    end
}

/// Returns pi's result of a compaction.
pub fn compacted(done: &Compacted) -> Value {
    let mut result = json!({
        "summary": done.summary, "firstKeptEntryId": done.first_kept, "tokensBefore": done.tokens_before,
        "estimatedTokensAfter": done.tokens_after,
    });
    if let Some(usage) = &done.usage {
        result["usage"] = json!(usage);
    }
    if let Some(details) = &done.details {
        result["details"] = details.clone();
    }
    result
}

#[cfg(test)]
mod tests;
