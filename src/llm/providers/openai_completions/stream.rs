//! Stream reader of Chat Completions chunks. Pure: I/O is elsewhere.

use serde::Deserialize;
use serde_json::Value;

use super::calls::{CallDelta, Calls};
use super::compat::Compat;
use super::counts::{self, Counts};
use super::reasoning::{Details, FIELDS};
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::errors::error_codes;
use crate::llm::model::{LlmError, Model, StopReason, StreamEvent};
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
    /// The part that text or thinking is appended to. The stream does not mark where parts begin or end.
    open: Option<Open>,
    /// The first thinking part, and the field name of its text.
    thought: Option<(usize, Option<&'static str>)>,
    details: Details,
    calls: Calls,
    stop: Option<String>,
    /// Whether only the end of the body marks the end of the answer.
    silent_end: bool,
    /// Whether the server reports charges.
    charges: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Open {
    Text(usize),
    Thinking(usize),
}

#[derive(Deserialize)]
struct Chunk {
    id: Option<String>,
    model: Option<String>,
    choices: Option<Vec<Choice>>,
    #[serde(default, deserialize_with = "token_counts::group")]
    usage: Option<Counts>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    index: Option<u32>,
    delta: Option<Delta>,
    finish_reason: Option<String>,
    /// Some servers put the usage here.
    #[serde(default, deserialize_with = "token_counts::group")]
    usage: Option<Counts>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    /// Three names for the same field; a server that sends several sends the same text in each.
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    reasoning_text: Option<String>,
    reasoning_details: Option<Vec<Value>>,
    tool_calls: Option<Vec<CallDelta>>,
}

impl Reader {
    /// Creates a reader for an answer of a model; `now_ms` is the message's timestamp.
    pub fn new(model: &Model, request_info: RequestInfo, now_ms: u64) -> Self {
        let draft = Some(StreamBuilder::new(model, now_ms));
        let compat = Compat::of(model);
        let (silent_end, charges) = (!compat.sends_finish_reason(), compat.is_openrouter());
        let (thought, details, calls) = (None, Details::default(), Calls::default());
        Self {
            request_info,
            builder: draft,
            started: false,
            open: None,
            thought,
            details,
            calls,
            stop: None,
            silent_end,
            charges,
        }
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
        let chunk: Chunk = match serde_json::from_str(&event.data) {
            Ok(chunk) => chunk,
            Err(error) => {
                let what = format!("invalid response: {error}");
                return self.fail(self.request_info.invalid_stream(&what), out);
            }
        };
        if let Some(error) = &chunk.error {
            return self.fail(self.request_info.stream_error(error, error_codes::kind), out);
        }
        self.head(chunk.id, chunk.model, chunk.usage, out);
        // Only one choice is requested.
        for choice in
            chunk.choices.unwrap_or_default().into_iter().filter(|choice| choice.index.unwrap_or(0) == 0)
        {
            if let Some(delta) = choice.delta {
                self.delta(delta, out);
            }
            self.stop = choice.finish_reason.filter(|word| !word.is_empty()).or(self.stop.take());
            if let (Some(counts), Some(draft)) = (choice.usage, self.builder.as_mut()) {
                counts::apply_counts(&counts, draft);
                out.extend(draft.changed_counts());
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

    /// Some servers omit the end marker; a finish reason shows that the answer is complete.
    fn end(&mut self, out: &mut Vec<StreamEvent>) {
        if self.stop.is_some() || (self.silent_end && self.started) {
            return self.finish(out);
        }
        self.fail(self.request_info.invalid_stream("the answer ended too early"), out);
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
        counts: Option<Counts>,
        out: &mut Vec<StreamEvent>,
    ) {
        let Some(draft) = self.builder.as_mut() else { return };
        if !std::mem::replace(&mut self.started, true) {
            out.push(StreamEvent::Start);
            draft.response(id.filter(|id| !id.is_empty()), model.filter(|model| !model.is_empty()));
        }
        if let Some(counts) = counts {
            counts::apply_counts(&counts, draft);
            if self.charges {
                counts::apply_charge(&counts, draft);
            }
            out.extend(draft.changed_counts());
        }
    }

    fn delta(&mut self, delta: Delta, out: &mut Vec<StreamEvent>) {
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        let named = [delta.reasoning_content, delta.reasoning, delta.reasoning_text];
        if let Some((name, text)) =
            FIELDS.into_iter().zip(named).find_map(|(name, text)| Some((name, filled(text)?)))
        {
            self.thinking(name, text, out);
        }
        for detail in delta.reasoning_details.unwrap_or_default() {
            if self.details.push(detail) && self.thought.is_none() {
                self.open_thinking(None, out);
            }
        }
        // A refusal text is part of the answer's text.
        for text in [delta.content, delta.refusal].into_iter().filter_map(filled) {
            self.text(text, out);
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.close(out);
            if let Some(draft) = self.builder.as_mut() {
                self.calls.push(call, draft, out);
            }
        }
    }

    fn thinking(&mut self, name: &'static str, text: String, out: &mut Vec<StreamEvent>) {
        if !matches!(self.open, Some(Open::Thinking(_))) {
            self.open_thinking(Some(name), out);
        }
        if let (Some(draft), Some(Open::Thinking(index))) = (self.builder.as_mut(), self.open) {
            out.push(draft.thinking(index, text));
        }
    }

    fn open_thinking(&mut self, name: Option<&'static str>, out: &mut Vec<StreamEvent>) {
        self.close(out);
        let Some(draft) = self.builder.as_mut() else { return };
        let (index, event) = draft.open_thinking();
        out.push(event);
        self.open = Some(Open::Thinking(index));
        match &mut self.thought {
            Some((_, known)) => *known = known.or(name),
            none => *none = Some((index, name)),
        }
    }

    fn text(&mut self, text: String, out: &mut Vec<StreamEvent>) {
        if !matches!(self.open, Some(Open::Text(_))) {
            self.close(out);
        }
        let Some(draft) = self.builder.as_mut() else { return };
        let index = if let Some(Open::Text(index)) = self.open {
            index
        } else {
            let (index, event) = draft.open_text();
            out.push(event);
            self.open = Some(Open::Text(index));
            index
        };
        out.push(draft.text(index, text));
    }

    fn close(&mut self, out: &mut Vec<StreamEvent>) {
        out.extend(self.open.take().map(|open| match open {
            Open::Text(index) => StreamEvent::TextEnd { index },
            Open::Thinking(index) => StreamEvent::ThinkingEnd { index },
        }));
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        self.close(out);
        match self.stop.as_deref() {
            Some("content_filter") => {
                return answer::StreamReader::fail(self, self.request_info.model_refused(), out);
            }
            Some("error" | "network_error") => {
                let error = self.request_info.invalid_stream("the server gave the answer up");
                return answer::StreamReader::fail(self, error, out);
            }
            _ => {}
        }
        if self.calls.has_nameless() {
            let error = self.request_info.invalid_stream("a tool call has no name");
            return answer::StreamReader::fail(self, error, out);
        }
        let Some(mut draft) = self.builder.take() else { return };
        if let Some((part, name)) = self.thought {
            // Determines the field for sending the thoughts back.
            let signature = self.details.signature().or_else(|| name.map(str::to_string));
            draft.sign(part, &signature.unwrap_or_default());
        }
        self.calls.close(&mut draft, out);
        draft.stop(reason(self.stop.as_deref(), !self.calls.is_empty()), self.stop.take());
        out.push(draft.done());
    }
}

/// Some servers report `stop`, or nothing, when there are calls to run.
fn reason(word: Option<&str>, calls: bool) -> StopReason {
    match word {
        Some("length") => StopReason::Length,
        _ if calls => StopReason::ToolUse,
        _ => StopReason::Stop,
    }
}

#[cfg(test)]
mod tests;
