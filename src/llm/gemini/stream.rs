//! Gemini stream reader: each event is a part of the whole response. Pure.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;

use super::errors;
use super::partial_args::{PartialArgs, Piece};
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::model::{ErrorKind, LlmError, Model, StopReason, StreamEvent};
use crate::llm::stream::answer;
use crate::llm::stream::token_counts;
use crate::llm::stream_builder::StreamBuilder;
use crate::net::sse::Event;

/// Reads one stream. Only the end of the stream marks the end of the answer.
#[derive(Debug)]
pub struct Reader {
    request_info: RequestInfo,
    /// `None` once the final event was emitted.
    builder: Option<StreamBuilder>,
    begun: bool,
    open: Option<Open>,
    /// The part of a call whose arguments arrive in pieces, and the pieces so far.
    partial: Option<(usize, PartialArgs)>,
    /// The call ids so far.
    ids: HashSet<String>,
    /// For generated ids.
    now_ms: u64,
    finish: Option<String>,
    /// The message with the finish reason.
    finish_message: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Text(usize),
    Thinking(usize),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    #[serde(default)]
    candidates: Vec<Candidate>,
    #[serde(default, deserialize_with = "token_counts::group")]
    usage_metadata: Option<Counts>,
    prompt_feedback: Option<Feedback>,
    model_version: Option<String>,
    response_id: Option<String>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    thought_signature: Option<String>,
    function_call: Option<Call>,
    inline_data: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    id: Option<String>,
    #[serde(default)]
    name: String,
    args: Option<Value>,
    /// Pieces of the arguments, if they are not complete.
    partial_args: Option<Vec<Piece>>,
    /// Whether more of the call follows.
    #[serde(default)]
    will_continue: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
    block_reason_message: Option<String>,
}

/// Running totals; the prompt count includes cached tokens.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names on the wire")]
struct Counts {
    #[serde(default, deserialize_with = "token_counts::count")]
    prompt_token_count: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    candidates_token_count: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    thoughts_token_count: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    cached_content_token_count: Option<u64>,
    #[serde(default, deserialize_with = "token_counts::count")]
    tool_use_prompt_token_count: Option<u64>,
}

impl Reader {
    /// Creates a reader for an answer of a model; `now_ms` is the message's timestamp.
    pub fn new(model: &Model, request_info: RequestInfo, now_ms: u64) -> Self {
        let draft = Some(StreamBuilder::new(model, now_ms));
        let ids = HashSet::new();
        Self {
            request_info,
            builder: draft,
            begun: false,
            open: None,
            partial: None,
            ids,
            now_ms,
            finish: None,
            finish_message: None,
        }
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
                return self.end_with_error(self.request_info.invalid_stream(&what), out);
            }
        };
        if let Some(error) = wire.error {
            return self.end_with_error(self.request_info.stream_error(&error, errors::kind), out);
        }
        if !self.begun {
            self.begun = true;
            draft.response(wire.response_id, wire.model_version);
            out.push(StreamEvent::Start);
        }
        count(draft, wire.usage_metadata);
        out.extend(draft.changed_counts());
        if let Some(Feedback { block_reason: Some(reason), block_reason_message }) = wire.prompt_feedback {
            self.finish = Some(reason);
            self.finish_message = block_reason_message;
            return self.end_refused(out);
        }
        // One answer is requested, so there is one candidate.
        for candidate in wire.candidates.into_iter().take(1) {
            for part in candidate.content.into_iter().flat_map(|content| content.parts) {
                self.part(part, out);
            }
            self.finish = candidate.finish_reason.or(self.finish.take());
            self.finish_message = candidate.finish_message.or(self.finish_message.take());
        }
    }

    /// Without `alt=sse` the response is a list of the events.
    fn read_complete(&mut self, answer: &Value, out: &mut Vec<StreamEvent>) -> bool {
        let all = answer.as_array().map_or(std::slice::from_ref(answer), Vec::as_slice);
        let is_answer = |event: &Value| event["candidates"].is_array() || event["promptFeedback"].is_object();
        if !all.iter().any(is_answer) {
            return false;
        }
        for event in all {
            self.read_event(&answer::event(event), out);
        }
        if self.builder.is_some() {
            self.end(out);
        }
        true
    }

    /// An error after the answer is complete is ignored.
    fn fail(&mut self, error: LlmError, out: &mut Vec<StreamEvent>) {
        if self.finish.is_some() && matches!(error.kind, ErrorKind::Stream | ErrorKind::Timeout) {
            return self.end(out);
        }
        self.end_with_error(error, out);
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) {
        self.close(out);
        self.close_partial(out);
        let Some(finish) = self.finish.clone() else {
            return self.end_with_error(self.request_info.invalid_stream("the answer ended too early"), out);
        };
        let reason = match finish.as_str() {
            "STOP" if self.ids.is_empty() => StopReason::Stop,
            "STOP" => StopReason::ToolUse,
            "MAX_TOKENS" => StopReason::Length,
            _ => return self.end_refused(out),
        };
        let Some(mut draft) = self.builder.take() else { return };
        draft.stop(reason, Some(finish));
        out.push(draft.done());
    }
}

impl Reader {
    fn part(&mut self, part: Part, out: &mut Vec<StreamEvent>) {
        let signature = part.thought_signature.filter(|signature| !signature.is_empty());
        if let Some(call) = part.function_call {
            return self.call(call, signature, out);
        }
        if part.inline_data.is_some() {
            out.push(StreamEvent::Warning("a picture in the answer was left out".into()));
        }
        let Some(text) = part.text else { return };
        if text.is_empty() && signature.is_none() {
            return;
        }
        let fits = matches!(
            (self.open, part.thought),
            (Some(Open::Text(_)), false) | (Some(Open::Thinking(_)), true)
        );
        if !fits {
            self.close(out);
        }
        let Some(draft) = self.builder.as_mut() else { return };
        let open = *self.open.get_or_insert_with(|| {
            let (index, event) = if part.thought { draft.open_thinking() } else { draft.open_text() };
            out.push(event);
            if part.thought { Open::Thinking(index) } else { Open::Text(index) }
        });
        let (Open::Text(index) | Open::Thinking(index)) = open;
        if !text.is_empty() {
            out.push(match open {
                Open::Text(_) => draft.text(index, text),
                Open::Thinking(_) => draft.thinking(index, text),
            });
        }
        // A signature ends its part: it does not cover what follows.
        if let Some(signature) = signature {
            draft.attach(index, signature);
            self.close(out);
        }
    }

    /// Handles a call, complete or in pieces until the last one.
    fn call(&mut self, mut call: Call, signature: Option<String>, out: &mut Vec<StreamEvent>) {
        self.close(out);
        let pieces = call.partial_args.take().unwrap_or_default();
        if self.partial.is_none() || !call.name.is_empty() && self.is_new(&call) {
            self.close_partial(out);
            if pieces.is_empty() && !call.will_continue {
                return self.whole_call(call, signature, out);
            }
            self.open_call(&mut call, signature, out);
        }
        let Some((_, args)) = self.partial.as_mut() else { return };
        for piece in pieces {
            if let Err(what) = args.push(piece) {
                return self.end_with_error(self.request_info.invalid_stream(&what), out);
            }
        }
        if !call.will_continue {
            self.close_partial(out);
        }
    }

    /// Whether a named piece belongs to another call than the current one: servers may repeat the name in
    /// each piece.
    fn is_new(&self, call: &Call) -> bool {
        call.id.as_ref().is_none_or(|id| !self.ids.contains(id))
    }

    fn open_call(&mut self, call: &mut Call, signature: Option<String>, out: &mut Vec<StreamEvent>) {
        let id = self.id(call);
        let Some(draft) = self.builder.as_mut() else { return };
        let (index, event) = draft.open_call(id, std::mem::take(&mut call.name));
        out.push(event);
        if let Some(signature) = signature {
            draft.attach(index, signature);
        }
        self.partial = Some((index, PartialArgs::new(call.args.take())));
    }

    /// Completes a call in pieces.
    fn close_partial(&mut self, out: &mut Vec<StreamEvent>) {
        let (Some((index, args)), Some(draft)) = (self.partial.take(), self.builder.as_mut()) else { return };
        out.push(draft.arguments(index, args.finish().to_string()));
        out.extend(draft.close_call(index));
    }

    /// Returns a unique id for the call.
    fn id(&mut self, call: &Call) -> String {
        let given = call.id.clone().filter(|id| !id.is_empty() && !self.ids.contains(id));
        let own = || format!("{}_{}_{}", call.name, self.now_ms, self.ids.len() + 1);
        let id = given.unwrap_or_else(own);
        self.ids.insert(id.clone());
        id
    }

    fn whole_call(&mut self, call: Call, signature: Option<String>, out: &mut Vec<StreamEvent>) {
        let id = self.id(&call);
        let Some(draft) = self.builder.as_mut() else { return };
        let (index, event) = draft.open_call(id, call.name);
        out.push(event);
        let args = call.args.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
        out.push(draft.arguments(index, args.to_string()));
        if let Some(signature) = signature {
            draft.attach(index, signature);
        }
        out.extend(draft.close_call(index));
    }

    fn close(&mut self, out: &mut Vec<StreamEvent>) {
        out.extend(self.open.take().map(|open| match open {
            Open::Text(index) => StreamEvent::TextEnd { index },
            Open::Thinking(index) => StreamEvent::ThinkingEnd { index },
        }));
    }

    /// Ends the answer for a reason other than a regular stop.
    fn end_refused(&mut self, out: &mut Vec<StreamEvent>) {
        let word = self.finish.clone().unwrap_or_default();
        let message = self
            .finish_message
            .take()
            .filter(|message| !message.trim().is_empty())
            .unwrap_or_else(|| word.clone());
        let error = match word.as_str() {
            "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => {
                self.request_info.error_of_kind(
                    ErrorKind::InvalidToolCall,
                    &format!(": the model called a tool wrongly: {message}"),
                )
            }
            "MISSING_THOUGHT_SIGNATURE" => self
                .request_info
                .error_of_kind(ErrorKind::InvalidRequest, &format!(": the request was refused: {message}")),
            "OTHER" | "FINISH_REASON_UNSPECIFIED" | "LANGUAGE" | "NO_IMAGE" | "IMAGE_OTHER" => {
                self.request_info.error_of_kind(
                    ErrorKind::Server,
                    &format!(": the model stopped for no known reason: {message}"),
                )
            }
            _ => {
                let what = format!(": the model refused to answer this ({message}); rephrase it");
                self.request_info.error_of_kind(ErrorKind::ContentFilter, &what)
            }
        };
        if let Some(draft) = self.builder.as_mut() {
            draft.stop(StopReason::Error, Some(word));
        }
        self.end_with_error(error, out);
    }

    fn end_with_error(&mut self, error: LlmError, out: &mut Vec<StreamEvent>) {
        self.close(out);
        self.close_partial(out);
        out.extend(self.builder.take().map(|draft| draft.fail(error)));
    }
}

fn count(draft: &mut StreamBuilder, counts: Option<Counts>) {
    let Some(counts) = counts else { return };
    let usage = draft.usage();
    let cached = counts.cached_content_token_count.unwrap_or(0);
    let thoughts = counts.thoughts_token_count;
    if let Some(prompt) = counts.prompt_token_count {
        usage.cache_read = cached.min(prompt);
        let of_tools = counts.tool_use_prompt_token_count.unwrap_or(0);
        usage.input = (prompt - usage.cache_read).saturating_add(of_tools);
    }
    if counts.candidates_token_count.is_some() || thoughts.is_some() {
        usage.output = counts.candidates_token_count.unwrap_or(0).saturating_add(thoughts.unwrap_or(0));
    }
    usage.reasoning = thoughts.or(usage.reasoning);
}

#[cfg(test)]
mod tests;
