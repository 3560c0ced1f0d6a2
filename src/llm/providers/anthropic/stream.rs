//! Stream reader of the Messages API. Pure: I/O is elsewhere.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{compat, errors};
use crate::base::json::json;
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::model::{ErrorKind, LlmError, Model, StopReason, StreamEvent};
use crate::llm::stream::answer;
use crate::llm::stream::answer::StreamReader as _;
use crate::llm::stream::answer::event;
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
    /// The open blocks by their index in the stream.
    open: BTreeMap<usize, Block>,
    stop: Option<String>,
    /// The explanation of a refusal.
    stop_details: Option<String>,
    /// The requested model.
    model: Model,
}

#[derive(Debug, Clone, Copy)]
enum Block {
    Text(usize),
    Thinking(usize),
    Call(usize),
    /// A type that is not displayed, such as a search on the server.
    Other,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    index: usize,
    delta: Option<Delta>,
    content_block: Option<Value>,
    message: Option<Head>,
    #[serde(default, deserialize_with = "token_counts::group")]
    usage: Option<Counts>,
}

#[derive(Deserialize)]
struct Delta {
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    partial_json: Option<String>,
    stop_reason: Option<String>,
    stop_details: Option<Value>,
}

#[derive(Deserialize)]
struct Head {
    id: Option<String>,
    model: Option<String>,
    #[serde(default, deserialize_with = "token_counts::group")]
    usage: Option<Counts>,
}

/// Running totals: a missing or null field is unchanged.
#[derive(Deserialize)]
struct Counts {
    #[serde(default, deserialize_with = "token_counts::count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::group")]
    cache_creation: Option<Written>,
}

/// Cache writes by cache duration.
#[derive(Deserialize)]
struct Written {
    #[serde(default, deserialize_with = "token_counts::count")]
    ephemeral_1h_input_tokens: Option<u64>,
}

impl Reader {
    /// Creates a reader for an answer of a model; `now_ms` is the message's timestamp.
    pub fn new(model: &Model, request_info: RequestInfo, now_ms: u64) -> Self {
        let draft = Some(StreamBuilder::new(model, now_ms));
        let (open, model) = (BTreeMap::new(), model.clone());
        Self { request_info, builder: draft, started: false, open, stop: None, stop_details: None, model }
    }
}

impl answer::StreamReader for Reader {
    fn has_ended(&self) -> bool {
        self.builder.is_none()
    }

    fn read_event(&mut self, event: &Event, out: &mut Vec<StreamEvent>) {
        let Some(draft) = self.builder.as_mut() else { return };
        let wire: Wire = match serde_json::from_str(&event.data) {
            Ok(wire) => wire,
            Err(error) => {
                let what = format!("invalid response: {error}");
                return self.fail(self.request_info.invalid_stream(&what), out);
            }
        };
        // Some servers omit the head, or send it again.
        let of_answer = wire.kind.starts_with("message_") || wire.kind.starts_with("content_block_");
        if of_answer && !std::mem::replace(&mut self.started, true) {
            out.push(StreamEvent::Start);
        }
        match &*wire.kind {
            "message_start" => {
                if draft.has_content() {
                    out.push(draft.restart(&self.model));
                    self.open.clear();
                    (self.stop, self.stop_details) = (None, None);
                }
                if let Some(head) = wire.message {
                    let other = head.model.as_deref();
                    if let Some(prices) = other.and_then(|other| compat::fallback_prices(&self.model, other))
                    {
                        draft.set_prices(prices);
                    }
                    draft.response(head.id, head.model);
                    count(draft, head.usage, out);
                }
            }
            "content_block_start" => self.open_block(wire.index, wire.content_block.unwrap_or_default(), out),
            "content_block_delta" => self.delta(wire.index, wire.delta, out),
            "content_block_stop" => self.close_block(wire.index, out),
            "message_delta" => {
                count(draft, wire.usage, out);
                if let Some(delta) = wire.delta {
                    let explanation = delta.stop_details.as_ref().and_then(|d| d["explanation"].as_str());
                    self.stop_details = explanation.map(str::to_string).or(self.stop_details.take());
                    self.stop = delta.stop_reason.or(self.stop.take());
                }
            }
            "message_stop" => self.finish(out),
            "error" => {
                let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
                self.fail(self.request_info.stream_error(&data["error"], errors::kind), out);
            }
            // `ping`, and unknown types of later versions.
            _ => {}
        }
    }

    fn read_complete(&mut self, answer: &Value, out: &mut Vec<StreamEvent>) -> bool {
        let Some(content) = answer["content"].as_array() else { return false };
        self.read_event(&event(&json!({"type": "message_start", "message": answer})), out);
        for (at, block) in content.iter().enumerate() {
            self.read_event(
                &event(&json!({"type": "content_block_start", "index": at, "content_block": block})),
                out,
            );
            self.read_event(&event(&json!({"type": "content_block_stop", "index": at})), out);
        }
        let delta = json!({"stop_reason": answer["stop_reason"], "stop_details": answer["stop_details"]});
        self.read_event(&event(&json!({"type": "message_delta", "delta": delta})), out);
        self.read_event(&event(&json!({"type": "message_stop"})), out);
        true
    }

    fn fail(&mut self, error: LlmError, out: &mut Vec<StreamEvent>) {
        out.extend(self.builder.take().map(|draft| draft.fail(error)));
    }

    /// A stream without a final event is an error.
    fn end(&mut self, out: &mut Vec<StreamEvent>) {
        self.fail(self.request_info.invalid_stream("the answer ended too early"), out);
    }
}

impl Reader {
    fn open_block(&mut self, at: usize, mut block: Value, out: &mut Vec<StreamEvent>) {
        // A block at the same index ends the previous one.
        self.close_block(at, out);
        let Some(draft) = self.builder.as_mut() else { return };
        let mut take = |name: &str| match block.get_mut(name).map(Value::take) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let opened = match take("type").as_str() {
            "text" => {
                let (index, event) = draft.open_text();
                out.extend([event]);
                // Some servers include the first text in the start event.
                out.extend(Some(take("text")).filter(|t| !t.is_empty()).map(|t| draft.text(index, t)));
                Block::Text(index)
            }
            "thinking" => {
                let (index, event) = draft.open_thinking();
                out.extend([event]);
                let first = Some(take("thinking")).filter(|t| !t.is_empty());
                out.extend(first.map(|t| draft.thinking(index, t)));
                draft.sign(index, &take("signature"));
                Block::Thinking(index)
            }
            "redacted_thinking" => {
                draft.redacted(take("data"));
                Block::Other
            }
            "tool_use" => {
                let (index, event) = draft.open_call(take("id"), take("name"));
                out.extend([event]);
                let whole = block.get("input").and_then(Value::as_object).filter(|input| !input.is_empty());
                out.extend(whole.map(|input| draft.arguments(index, Value::from(input.clone()).to_string())));
                Block::Call(index)
            }
            _ => Block::Other,
        };
        self.open.insert(at, opened);
    }

    fn delta(&mut self, at: usize, delta: Option<Delta>, out: &mut Vec<StreamEvent>) {
        let (Some(draft), Some(block), Some(delta)) = (self.builder.as_mut(), self.open.get(&at), delta)
        else {
            return;
        };
        match *block {
            Block::Text(index) => out.extend(delta.text.map(|t| draft.text(index, t))),
            Block::Thinking(index) => {
                out.extend(delta.thinking.map(|t| draft.thinking(index, t)));
                draft.sign(index, delta.signature.as_deref().unwrap_or_default());
            }
            Block::Call(index) => {
                let piece = delta.partial_json.filter(|t| !t.is_empty());
                out.extend(piece.map(|t| draft.arguments(index, t)));
            }
            Block::Other => {}
        }
    }

    fn close_block(&mut self, at: usize, out: &mut Vec<StreamEvent>) {
        let (Some(draft), Some(block)) = (self.builder.as_mut(), self.open.remove(&at)) else { return };
        match block {
            Block::Text(index) => out.extend([StreamEvent::TextEnd { index }]),
            Block::Thinking(index) => out.extend([StreamEvent::ThinkingEnd { index }]),
            Block::Call(index) => out.extend(draft.close_call(index)),
            Block::Other => {}
        }
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        let still_open: Vec<usize> = self.open.keys().copied().collect();
        for at in still_open {
            self.close_block(at, out);
        }
        if let Some("refusal" | "sensitive") = self.stop.as_deref() {
            let error = match self.stop_details.take() {
                Some(explanation) => {
                    let what = format!(": the model refused to answer this: {explanation}");
                    self.request_info.error_of_kind(ErrorKind::ContentFilter, &what)
                }
                None => self.request_info.model_refused(),
            };
            if let Some(draft) = self.builder.as_mut() {
                draft.stop(StopReason::Error, self.stop.take());
            }
            return self.fail(error, out);
        }
        let Some(mut draft) = self.builder.take() else { return };
        draft.stop(reason(self.stop.as_deref()), self.stop.take());
        out.extend([draft.done()]);
    }
}

fn count(draft: &mut StreamBuilder, counts: Option<Counts>, out: &mut Vec<StreamEvent>) {
    let Some(counts) = counts else { return };
    let usage = draft.usage();
    // Anthropic's `input_tokens` excludes cached tokens already.
    usage.input = counts.input_tokens.unwrap_or(usage.input);
    usage.output = counts.output_tokens.unwrap_or(usage.output);
    usage.cache_read = counts.cache_read_input_tokens.unwrap_or(usage.cache_read);
    usage.cache_write = counts.cache_creation_input_tokens.unwrap_or(usage.cache_write);
    let hour = counts.cache_creation.and_then(|written| written.ephemeral_1h_input_tokens);
    usage.cache_write_hour = hour.filter(|hour| *hour > 0).or(usage.cache_write_hour);
    out.extend(draft.changed_counts());
}

fn reason(word: Option<&str>) -> StopReason {
    match word {
        Some("tool_use") => StopReason::ToolUse,
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
        // `end_turn`, `stop_sequence`, `pause_turn`, and unknown values.
        _ => StopReason::Stop,
    }
}

#[cfg(test)]
mod tests;
