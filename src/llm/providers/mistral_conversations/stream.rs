//! Stream reader of Mistral's chunks. Pure: I/O is elsewhere.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::errors;
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::model::{ErrorKind, LlmError, Model, StopReason, StreamEvent};
use crate::llm::stream::answer;
use crate::llm::stream::token_counts;
use crate::llm::stream_builder::StreamBuilder;
use crate::net::sse::Event;

/// Reads one stream.
#[derive(Debug)]
pub struct Reader {
    request_info: RequestInfo,
    /// `None` once the final event was emitted.
    builder: Option<StreamBuilder>,
    started: bool,
    open: Option<Open>,
    /// Part indices of calls, by call index.
    calls: BTreeMap<usize, usize>,
    stop: Option<String>,
}

/// The part that text is appended to. The stream does not mark where parts begin or end.
#[derive(Debug, Clone, Copy)]
enum Open {
    Text(usize),
    Thinking(usize),
}

#[derive(Deserialize)]
struct Chunk {
    id: Option<String>,
    model: Option<String>,
    choices: Option<Vec<Choice>>,
    usage: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<Content>,
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Pieces(Vec<Value>),
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    index: Option<usize>,
    function: Option<Function>,
}

#[derive(Deserialize, Default)]
struct Function {
    name: Option<String>,
    /// A string, or a complete object.
    arguments: Option<Value>,
}

impl Reader {
    /// Creates a reader for an answer of a model; `now_ms` is the message's timestamp.
    pub fn new(model: &Model, request_info: RequestInfo, now_ms: u64) -> Self {
        let draft = Some(StreamBuilder::new(model, now_ms));
        Self { request_info, builder: draft, started: false, open: None, calls: BTreeMap::new(), stop: None }
    }
}

impl answer::StreamReader for Reader {
    fn read_event(&mut self, event: &Event, out: &mut Vec<StreamEvent>) {
        if self.builder.is_none() {
            return;
        }
        if event.data.trim() == "[DONE]" {
            return self.finish(out);
        }
        match serde_json::from_str::<Chunk>(&event.data) {
            Ok(Chunk { id, model, choices, usage }) if choices.is_some() || usage.is_some() => {
                self.head(id, model, &usage.unwrap_or_default(), out);
                if let Some(choice) = choices.into_iter().flatten().next() {
                    self.choice(choice, out);
                }
            }
            Ok(_) => {
                let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
                let error = if data["error"].is_null() { &data } else { &data["error"] };
                self.fail(self.request_info.stream_error(error, errors::kind), out);
            }
            Err(error) => {
                let what = format!("invalid response: {error}");
                self.fail(self.request_info.invalid_stream(&what), out);
            }
        }
    }

    fn read_complete(&mut self, answer: &Value, out: &mut Vec<StreamEvent>) -> bool {
        let Some(chunk) = answer::as_chunk(answer) else { return false };
        self.read_event(&answer::event(&chunk), out);
        if self.builder.is_some() {
            self.end(out);
        }
        true
    }

    fn fail(&mut self, error: LlmError, out: &mut Vec<StreamEvent>) {
        out.extend(self.builder.take().map(|draft| draft.fail(error)));
    }

    /// A stop reason shows that the answer is complete.
    fn end(&mut self, out: &mut Vec<StreamEvent>) {
        self.finish(out);
    }

    fn has_ended(&self) -> bool {
        self.builder.is_none()
    }
}

impl Reader {
    fn head(
        &mut self,
        id: Option<String>,
        model: Option<String>,
        counts: &Value,
        out: &mut Vec<StreamEvent>,
    ) {
        let Some(draft) = self.builder.as_mut() else { return };
        if !std::mem::replace(&mut self.started, true) {
            out.push(StreamEvent::Start);
            draft.response(id.filter(|id| !id.is_empty()), model.filter(|model| !model.is_empty()));
        }
        count(draft, counts);
        out.extend(draft.changed_counts());
    }

    fn choice(&mut self, choice: Choice, out: &mut Vec<StreamEvent>) {
        self.stop = choice.finish_reason.filter(|word| !word.is_empty()).or(self.stop.take());
        let Some(delta) = choice.delta else { return };
        match delta.content {
            Some(Content::Text(text)) => self.add_text(false, text, out),
            Some(Content::Pieces(pieces)) => pieces.iter().for_each(|piece| self.piece(piece, out)),
            None => {}
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.call(call, out);
        }
    }

    fn piece(&mut self, piece: &Value, out: &mut Vec<StreamEvent>) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        match piece["type"].as_str() {
            Some("thinking") => {
                let parts = piece["thinking"].as_array().into_iter().flatten();
                let thought: String = parts.filter_map(|part| part["text"].as_str()).collect();
                self.add_text(true, thought, out);
            }
            Some("text") => self.add_text(false, text(&piece["text"]), out),
            // A plain string, or a type without text of its own.
            _ => self.add_text(false, text(piece), out),
        }
    }

    fn add_text(&mut self, thinking: bool, words: String, out: &mut Vec<StreamEvent>) {
        if words.is_empty() {
            return;
        }
        if !matches!((self.open, thinking), (Some(Open::Thinking(_)), true) | (Some(Open::Text(_)), false)) {
            self.close(out);
        }
        let Some(draft) = self.builder.as_mut() else { return };
        let open = *self.open.get_or_insert_with(|| {
            let (index, event) = if thinking { draft.open_thinking() } else { draft.open_text() };
            out.push(event);
            if thinking { Open::Thinking(index) } else { Open::Text(index) }
        });
        out.push(match open {
            Open::Thinking(index) => draft.thinking(index, words),
            Open::Text(index) => draft.text(index, words),
        });
    }

    fn close(&mut self, out: &mut Vec<StreamEvent>) {
        out.extend(self.open.take().map(|open| match open {
            Open::Text(index) => StreamEvent::TextEnd { index },
            Open::Thinking(index) => StreamEvent::ThinkingEnd { index },
        }));
    }

    fn call(&mut self, call: Call, out: &mut Vec<StreamEvent>) {
        self.close(out);
        let Some(draft) = self.builder.as_mut() else { return };
        let Function { name, arguments } = call.function.unwrap_or_default();
        // Calls usually arrive complete; one without an index is a new call.
        let index = call.index.unwrap_or(self.calls.len());
        let part = *self.calls.entry(index).or_insert_with(|| {
            let id = call.id.filter(|id| !id.is_empty() && id != "null");
            let id = id.unwrap_or_else(|| format!("call{index:05}"));
            let (part, event) = draft.open_call(id, name.unwrap_or_default());
            out.push(event);
            part
        });
        let arguments = match arguments {
            Some(Value::String(text)) => text,
            Some(Value::Null) | None => String::new(),
            Some(whole) => whole.to_string(),
        };
        if !arguments.is_empty() {
            out.push(draft.arguments(part, arguments));
        }
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        self.close(out);
        let calls = !self.calls.is_empty();
        let reason = match self.stop.as_deref() {
            Some("length" | "model_length") => StopReason::Length,
            Some("stop" | "tool_calls") if calls => StopReason::ToolUse,
            Some("stop" | "tool_calls") => StopReason::Stop,
            Some("error") => {
                let failed = crate::base::json::json!({"type": "internal_server_error", "message": "the server gave it up"});
                return answer::StreamReader::fail(
                    self,
                    self.request_info.stream_error(&failed, errors::kind),
                    out,
                );
            }
            Some(word) => {
                let mut error = self.request_info.invalid_stream(&format!("the answer was stopped: {word}"));
                if word.contains("filter") {
                    error.kind = ErrorKind::ContentFilter;
                }
                return answer::StreamReader::fail(self, error, out);
            }
            None => {
                return answer::StreamReader::fail(
                    self,
                    self.request_info.invalid_stream("the answer ended too early"),
                    out,
                );
            }
        };
        let Some(mut draft) = self.builder.take() else { return };
        for part in self.calls.values() {
            out.extend(draft.close_call(*part));
        }
        draft.stop(reason, self.stop.take());
        out.push(draft.done());
    }
}

/// Adds the usage: the prompt count includes cached tokens, which are reported in several fields.
fn count(draft: &mut StreamBuilder, counts: &Value) {
    let Some(prompt) = token_counts::parse_count(&counts["prompt_tokens"]) else { return };
    let cached = [
        &counts["prompt_tokens_details"]["cached_tokens"],
        &counts["prompt_token_details"]["cached_tokens"],
        &counts["num_cached_tokens"],
    ];
    let usage = draft.usage();
    usage.cache_read = cached.into_iter().find_map(token_counts::parse_count).unwrap_or(0).min(prompt);
    usage.input = prompt - usage.cache_read;
    usage.output = token_counts::parse_count(&counts["completion_tokens"]).unwrap_or(0);
}

#[cfg(test)]
mod tests;
