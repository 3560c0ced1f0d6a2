//! Stream reader of the Converse API. Pure: I/O is elsewhere.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

use super::errors;
use crate::base::json::json;
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
    begun: bool,
    /// The open blocks by their index in the stream.
    open: BTreeMap<usize, Block>,
    stop: Option<String>,
    model: Model,
}

#[derive(Debug)]
enum Block {
    Text(usize),
    Thinking(usize),
    /// Encrypted thinking so far.
    Redacted(Vec<u8>),
    Call(usize),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    #[serde(default)]
    content_block_index: usize,
    start: Option<Start>,
    delta: Option<Delta>,
    stop_reason: Option<String>,
    #[serde(default, deserialize_with = "token_counts::group")]
    usage: Option<Counts>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start {
    tool_use: Option<ToolUse>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolUse {
    #[serde(default)]
    tool_use_id: String,
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta {
    text: Option<String>,
    tool_use: Option<Input>,
    reasoning_content: Option<Reasoning>,
}

#[derive(Deserialize)]
struct Input {
    input: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reasoning {
    text: Option<String>,
    signature: Option<String>,
    redacted_content: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    #[serde(default, deserialize_with = "token_counts::count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    cache_write_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::group")]
    cache_details: Option<Vec<Written>>,
}

/// Cache writes by cache duration.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    ttl: Option<String>,
    #[serde(default, deserialize_with = "token_counts::count")]
    input_tokens: Option<u64>,
}

impl Reader {
    /// Creates a reader for an answer of a model; `now_ms` is the message's timestamp.
    pub fn new(model: &Model, request_info: RequestInfo, now_ms: u64) -> Self {
        let draft = Some(StreamBuilder::new(model, now_ms));
        Self {
            request_info,
            builder: draft,
            begun: false,
            open: BTreeMap::new(),
            stop: None,
            model: model.clone(),
        }
    }
}

impl answer::StreamReader for Reader {
    fn has_ended(&self) -> bool {
        self.builder.is_none()
    }

    fn read_event(&mut self, event: &Event, out: &mut Vec<StreamEvent>) {
        if self.builder.is_none() {
            return;
        }
        if let Some(exception) = event.name.strip_prefix('!') {
            let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
            let message = data["message"].as_str().or(data["Message"].as_str()).unwrap_or(exception);
            let error = json!({"type": exception, "message": message});
            return self.end_with_error(self.request_info.stream_error(&error, errors::kind), out);
        }
        let wire: Wire = match serde_json::from_str(&event.data) {
            Ok(wire) => wire,
            Err(error) => {
                let what = format!("invalid response: {error}");
                return self.end_with_error(self.request_info.invalid_stream(&what), out);
            }
        };
        if !self.begun {
            self.begun = true;
            out.push(StreamEvent::Start);
        }
        let at = wire.content_block_index;
        match event.name.as_str() {
            "messageStart" => self.begin(out),
            "contentBlockStart" => self.call(at, wire.start.and_then(|start| start.tool_use), out),
            "contentBlockDelta" => self.delta(at, wire.delta, out),
            "contentBlockStop" => self.close(at, out),
            "messageStop" => self.stop = wire.stop_reason.or_else(|| Some(String::new())),
            "metadata" => {
                self.count(wire.usage);
                // The usage comes last.
                if self.stop.is_some() {
                    self.finish(out);
                }
            }
            // Unknown types of later versions.
            _ => {}
        }
    }

    fn read_complete(&mut self, answer: &Value, out: &mut Vec<StreamEvent>) -> bool {
        let Some(content) = answer["output"]["message"]["content"].as_array() else { return false };
        let mut take = |name: &str, data: Value| {
            self.read_event(&Event { name: name.to_string(), data: data.to_string() }, out);
        };
        for (at, block) in content.iter().enumerate() {
            let (call, reasoning) = (&block["toolUse"], &block["reasoningContent"]);
            if call.is_object() {
                take("contentBlockStart", json!({"contentBlockIndex": at, "start": {"toolUse": call}}));
            }
            let delta = if call.is_object() {
                json!({"toolUse": {"input": call["input"].to_string()}})
            } else if reasoning.is_object() {
                let text = &reasoning["reasoningText"];
                json!({"reasoningContent": {"text": text["text"], "signature": text["signature"],
                    "redactedContent": reasoning["redactedContent"]}})
            } else {
                json!({"text": block["text"]})
            };
            take("contentBlockDelta", json!({"contentBlockIndex": at, "delta": delta}));
            take("contentBlockStop", json!({"contentBlockIndex": at}));
        }
        take("messageStop", json!({"stopReason": answer["stopReason"]}));
        take("metadata", json!({"usage": answer["usage"]}));
        true
    }

    /// After the answer is complete, an error only loses the usage.
    fn fail(&mut self, error: LlmError, out: &mut Vec<StreamEvent>) {
        if self.stop.is_some() && matches!(error.kind, ErrorKind::Stream | ErrorKind::Timeout) {
            return self.finish(out);
        }
        self.end_with_error(error, out);
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) {
        if self.stop.is_some() {
            return self.finish(out);
        }
        self.end_with_error(self.request_info.invalid_stream("the answer ended too early"), out);
    }
}

impl Reader {
    /// A message starts: after content the answer starts over.
    fn begin(&mut self, out: &mut Vec<StreamEvent>) {
        if let Some(draft) =
            self.builder.as_mut().filter(|draft| draft.has_content() || !self.open.is_empty())
        {
            out.push(draft.restart(&self.model));
            self.open.clear();
            self.stop = None;
        }
    }

    fn call(&mut self, at: usize, call: Option<ToolUse>, out: &mut Vec<StreamEvent>) {
        let Some(call) = call else { return };
        // A block at the same index ends the previous one.
        self.close(at, out);
        let Some(draft) = self.builder.as_mut() else { return };
        let (index, event) = draft.open_call(call.tool_use_id, call.name);
        out.push(event);
        self.open.insert(at, Block::Call(index));
    }

    /// Text and thinking start with their first delta, without a start event.
    fn delta(&mut self, at: usize, delta: Option<Delta>, out: &mut Vec<StreamEvent>) {
        let (Some(draft), Some(delta)) = (self.builder.as_mut(), delta) else { return };
        if let Some(text) = delta.text {
            let block = self.open.entry(at).or_insert_with(|| {
                let (index, event) = draft.open_text();
                out.push(event);
                Block::Text(index)
            });
            if let (Block::Text(index), false) = (block, text.is_empty()) {
                out.push(draft.text(*index, text));
            }
        } else if let Some(input) = delta.tool_use.and_then(|tool| tool.input).filter(|t| !t.is_empty()) {
            if let Some(Block::Call(index)) = self.open.get(&at) {
                out.push(draft.arguments(*index, input));
            }
        } else if let Some(reasoning) = delta.reasoning_content {
            self.reason(at, reasoning, out);
        }
    }

    fn reason(&mut self, at: usize, reasoning: Reasoning, out: &mut Vec<StreamEvent>) {
        if let Some(piece) = reasoning.redacted_content {
            if matches!(self.open.get(&at), Some(Block::Thinking(_))) {
                self.close(at, out);
            }
            // The chunks of one value, which must be sent back as a whole.
            let bytes = STANDARD.decode(piece).unwrap_or_default();
            let block = self.open.entry(at).or_insert(Block::Redacted(Vec::new()));
            if let Block::Redacted(all) = block {
                all.extend(bytes);
            }
            return;
        }
        let Some(draft) = self.builder.as_mut() else { return };
        let block = self.open.entry(at).or_insert_with(|| {
            let (index, event) = draft.open_thinking();
            out.push(event);
            Block::Thinking(index)
        });
        if let Block::Thinking(index) = block {
            let text = reasoning.text.filter(|text| !text.is_empty());
            out.extend(text.map(|text| draft.thinking(*index, text)));
            draft.sign(*index, reasoning.signature.as_deref().unwrap_or_default());
        }
    }

    fn close(&mut self, at: usize, out: &mut Vec<StreamEvent>) {
        let (Some(draft), Some(block)) = (self.builder.as_mut(), self.open.remove(&at)) else { return };
        match block {
            Block::Text(index) => out.push(StreamEvent::TextEnd { index }),
            Block::Thinking(index) => out.push(StreamEvent::ThinkingEnd { index }),
            Block::Redacted(all) => {
                draft.redacted(STANDARD.encode(all));
            }
            Block::Call(index) => out.extend(draft.close_call(index)),
        }
    }

    fn close_all(&mut self, out: &mut Vec<StreamEvent>) {
        let still_open: Vec<usize> = self.open.keys().copied().collect();
        for at in still_open {
            self.close(at, out);
        }
    }

    fn count(&mut self, counts: Option<Counts>) {
        let (Some(draft), Some(counts)) = (self.builder.as_mut(), counts) else { return };
        let usage = draft.usage();
        // `inputTokens` excludes cached tokens already.
        usage.input = counts.input_tokens.unwrap_or(usage.input);
        usage.output = counts.output_tokens.unwrap_or(usage.output);
        usage.cache_read = counts.cache_read_input_tokens.unwrap_or(usage.cache_read);
        usage.cache_write = counts.cache_write_input_tokens.unwrap_or(usage.cache_write);
        let written = counts.cache_details.unwrap_or_default();
        let hour = written.iter().filter(|part| part.ttl.as_deref() == Some("1h"));
        let hour = hour.filter_map(|part| part.input_tokens).fold(0, u64::saturating_add);
        usage.cache_write_hour = Some(hour).filter(|hour| *hour > 0).or(usage.cache_write_hour);
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        self.close_all(out);
        let word = self.stop.take().unwrap_or_default();
        let reason = match word.as_str() {
            "tool_use" => StopReason::ToolUse,
            "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
            "guardrail_intervened" | "content_filtered" => {
                let what = format!(": the model refused to answer this ({word}); rephrase it");
                return self.end_refused(word, ErrorKind::ContentFilter, &what, out);
            }
            "malformed_model_output" | "malformed_tool_use" => {
                let what = format!(": the model's answer cannot be read ({word})");
                return self.end_refused(word, ErrorKind::InvalidToolCall, &what, out);
            }
            // `end_turn`, `stop_sequence`, and unknown values.
            _ => StopReason::Stop,
        };
        let Some(mut draft) = self.builder.take() else { return };
        draft.stop(reason, Some(word));
        out.push(draft.done());
    }

    fn end_refused(&mut self, word: String, kind: ErrorKind, what: &str, out: &mut Vec<StreamEvent>) {
        if let Some(draft) = self.builder.as_mut() {
            draft.stop(StopReason::Error, Some(word));
        }
        self.end_with_error(self.request_info.error_of_kind(kind, what), out);
    }

    fn end_with_error(&mut self, error: LlmError, out: &mut Vec<StreamEvent>) {
        self.close_all(out);
        out.extend(self.builder.take().map(|draft| draft.fail(error)));
    }
}

#[cfg(test)]
mod tests;
