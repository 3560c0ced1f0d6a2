//! Chat Completions chunks to our events. Pure: bytes and sockets are elsewhere.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::llm::answer;
use crate::llm::draft::Draft;
use crate::llm::error_codes;
use crate::llm::failure::Asked;
use crate::llm::model::{LlmError, Model, StopReason, StreamEvent};
use crate::net::sse::Event;

/// Reads one stream.
#[derive(Debug)]
pub struct Reader {
    asked: Asked,
    /// `None` once the last event is out.
    draft: Option<Draft>,
    started: bool,
    /// The part that text or thinking goes to. The wire says where neither begins nor ends.
    open: Option<Open>,
    /// By a number that is the index on the wire, where that is to be trusted.
    calls: BTreeMap<usize, Call>,
    stop: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Open {
    Text(usize),
    Thinking(usize),
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    /// `None` until its name has come.
    part: Option<usize>,
    /// Arguments that came before the name.
    early: String,
}

#[derive(Deserialize)]
struct Chunk {
    id: Option<String>,
    model: Option<String>,
    choices: Option<Vec<Choice>>,
    usage: Option<Counts>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u32,
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    /// Three names for the same; a server that sends several sends the same text in each.
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    reasoning_text: Option<String>,
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    index: Option<usize>,
    id: Option<String>,
    function: Option<Function>,
}

#[derive(Deserialize, Default)]
struct Function {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct Counts {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

impl Reader {
    /// A reader of the answer of one model; `now_ms` is the message's time stamp.
    pub fn new(model: &Model, asked: Asked, now_ms: u64) -> Self {
        let draft = Some(Draft::new(model, now_ms));
        Self { asked, draft, started: false, open: None, calls: BTreeMap::new(), stop: None }
    }
}

impl answer::Reader for Reader {
    fn take(&mut self, event: &Event, out: &mut Vec<StreamEvent>) {
        if self.draft.is_none() {
            return;
        }
        if event.data.trim() == "[DONE]" {
            return self.finish(out);
        }
        let chunk: Chunk = match serde_json::from_str(&event.data) {
            Ok(chunk) => chunk,
            Err(error) => {
                let what = format!("the stream made no sense: {error}");
                return self.fail(self.asked.nonsense(&what), out);
            }
        };
        if let Some(error) = &chunk.error {
            return self.fail(self.asked.broke_off(error, error_codes::kind), out);
        }
        self.head(chunk.id, chunk.model, chunk.usage, out);
        // We ask for one choice only.
        for choice in chunk.choices.unwrap_or_default().into_iter().filter(|choice| choice.index == 0) {
            if let Some(delta) = choice.delta {
                self.delta(delta, out);
            }
            self.stop = choice.finish_reason.or(self.stop.take());
        }
    }

    fn fail(&mut self, error: LlmError, out: &mut Vec<StreamEvent>) {
        out.extend(self.draft.take().map(|draft| draft.fail(error)));
    }

    /// Some servers leave the end mark out; the reason to stop tells that the answer is whole.
    fn end(&mut self, out: &mut Vec<StreamEvent>) {
        if self.stop.is_some() {
            return self.finish(out);
        }
        self.fail(self.asked.nonsense("the answer ended too early"), out);
    }

    fn ended(&self) -> bool {
        self.draft.is_none()
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
        let Some(draft) = self.draft.as_mut() else { return };
        if !std::mem::replace(&mut self.started, true) {
            out.push(StreamEvent::Start);
            draft.response(id.filter(|id| !id.is_empty()), model.filter(|model| !model.is_empty()));
        }
        count(draft, counts);
    }

    fn delta(&mut self, delta: Delta, out: &mut Vec<StreamEvent>) {
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        let reasoning = filled(delta.reasoning_content)
            .or_else(|| filled(delta.reasoning))
            .or_else(|| filled(delta.reasoning_text));
        if let Some(text) = reasoning {
            self.thinking(text, out);
        }
        // A refusal in words is what the model says.
        for text in [delta.content, delta.refusal].into_iter().filter_map(filled) {
            self.text(text, out);
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.call(call, out);
        }
    }

    fn thinking(&mut self, text: String, out: &mut Vec<StreamEvent>) {
        if !matches!(self.open, Some(Open::Thinking(_))) {
            self.close(out);
        }
        let Some(draft) = self.draft.as_mut() else { return };
        let index = if let Some(Open::Thinking(index)) = self.open {
            index
        } else {
            let (index, event) = draft.open_thinking();
            out.push(event);
            self.open = Some(Open::Thinking(index));
            index
        };
        out.push(draft.thinking(index, text));
    }

    fn text(&mut self, text: String, out: &mut Vec<StreamEvent>) {
        if !matches!(self.open, Some(Open::Text(_))) {
            self.close(out);
        }
        let Some(draft) = self.draft.as_mut() else { return };
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

    fn call(&mut self, delta: CallDelta, out: &mut Vec<StreamEvent>) {
        self.close(out);
        let id = delta.id.unwrap_or_default();
        let at = self.slot(delta.index, &id);
        let Some(draft) = self.draft.as_mut() else { return };
        let call = self.calls.entry(at).or_default();
        if call.id.is_empty() {
            call.id = id;
        }
        let Function { name, arguments } = delta.function.unwrap_or_default();
        if let (None, Some(name)) = (call.part, name.filter(|name| !name.is_empty())) {
            if call.id.is_empty() {
                call.id = format!("call_{at}");
            }
            let (part, event) = draft.open_call(call.id.clone(), name);
            out.push(event);
            call.part = Some(part);
        }
        call.early.push_str(&arguments.unwrap_or_default());
        if let Some(part) = call.part.filter(|_| !call.early.is_empty()) {
            out.push(draft.arguments(part, std::mem::take(&mut call.early)));
        }
    }

    /// Which call a delta belongs to. Some servers leave the index out, or give each of several
    /// calls the same one: a new id tells a new call.
    fn slot(&self, index: Option<usize>, id: &str) -> usize {
        let Some((last, _)) = self.calls.last_key_value() else { return index.unwrap_or(0) };
        let same = |at: usize| {
            self.calls.get(&at).is_none_or(|call| id.is_empty() || call.id.is_empty() || call.id == id)
        };
        let by_id = || self.calls.iter().find(|(_, call)| !id.is_empty() && call.id == id).map(|(at, _)| *at);
        match index {
            Some(at) if same(at) => at,
            None if same(*last) => *last,
            _ => by_id().unwrap_or(last.saturating_add(1)),
        }
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        self.close(out);
        match self.stop.as_deref() {
            Some("content_filter") => return answer::Reader::fail(self, self.asked.would_not(), out),
            Some("error" | "network_error") => {
                let error = self.asked.nonsense("the server gave the answer up");
                return answer::Reader::fail(self, error, out);
            }
            _ => {}
        }
        if self.calls.values().any(|call| call.part.is_none()) {
            let error = self.asked.nonsense("a tool call has no name");
            return answer::Reader::fail(self, error, out);
        }
        let Some(mut draft) = self.draft.take() else { return };
        for part in self.calls.values().filter_map(|call| call.part) {
            out.extend(draft.close_call(part));
        }
        draft.stop(reason(self.stop.as_deref(), !self.calls.is_empty()), self.stop.take());
        out.push(draft.done());
    }
}

/// Running totals, most often in the last chunk alone.
fn count(draft: &mut Draft, counts: Option<Counts>) {
    let Some(counts) = counts else { return };
    let usage = draft.usage();
    if let Some(prompt) = counts.prompt_tokens {
        let cached = counts.prompt_tokens_details.and_then(|d| d.cached_tokens).unwrap_or(0).min(prompt);
        // Cached tokens are part of the prompt's on this wire.
        usage.input = prompt - cached;
        usage.cache_read = cached;
    }
    usage.output = counts.completion_tokens.unwrap_or(usage.output);
    usage.reasoning = counts.completion_tokens_details.and_then(|d| d.reasoning_tokens).or(usage.reasoning);
}

/// Some servers say `stop`, or nothing, where there are calls to run.
fn reason(word: Option<&str>, calls: bool) -> StopReason {
    match word {
        Some("length") => StopReason::Length,
        _ if calls => StopReason::ToolUse,
        _ => StopReason::Stop,
    }
}

#[cfg(test)]
mod tests;
