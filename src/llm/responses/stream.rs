//! Stream reader of Responses events. Pure: I/O is elsewhere.
//!
//! Every event names its item; one that does not is ambiguous, so it ends the answer rather than mixing two
//! calls up.

use serde::Deserialize;
use serde_json::Value;

use super::items::{FullInput, Items};
use super::terminal::{self, Ending};
use crate::base::json::json;
use crate::llm::errors::error_classification::RequestInfo;
use crate::llm::errors::error_codes;
use crate::llm::model::{LlmError, Model, StopReason, StreamEvent};
use crate::llm::stream::answer;
use crate::llm::stream_builder::StreamBuilder;
use crate::net::sse::Event;

/// Reads one stream.
#[derive(Debug)]
pub struct Reader {
    request_info: RequestInfo,
    model: Model,
    /// `None` once the final event was emitted.
    builder: Option<StreamBuilder>,
    started: bool,
    items: Items,
    /// The requested service tier.
    tier: Option<String>,
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<std::borrow::Cow<'a, str>>,
}

/// The relevant fields of all events, each only in its own events.
#[derive(Deserialize)]
struct Body {
    output_index: Option<u64>,
    summary_index: Option<u64>,
    delta: Option<String>,
    arguments: Option<String>,
    input: Option<String>,
    item: Option<Value>,
    response: Option<Value>,
}

impl Reader {
    /// Creates a reader for an answer of a model; `now_ms` is the message's timestamp, `tier` the requested
    /// service tier.
    pub fn new(model: &Model, request_info: RequestInfo, now_ms: u64, tier: Option<String>) -> Self {
        let draft = Some(StreamBuilder::new(model, now_ms));
        Self {
            request_info,
            model: model.clone(),
            builder: draft,
            started: false,
            items: Items::default(),
            tier,
        }
    }
}

impl answer::StreamReader for Reader {
    fn read_event(&mut self, event: &Event, out: &mut Vec<StreamEvent>) {
        if self.builder.is_none() || event.data.trim() == "[DONE]" {
            return;
        }
        let taken = match kind(event) {
            Ok(kind) => self.event(&kind, &event.data, out),
            Err(error) => Err(error.to_string()),
        };
        if let Err(what) = taken {
            self.fail(self.request_info.invalid_stream(&format!("invalid response: {what}")), out);
        }
    }

    fn read_complete(&mut self, answer: &Value, out: &mut Vec<StreamEvent>) -> bool {
        if !answer["output"].is_array() {
            return false;
        }
        self.read_event(&answer::event(&json!({"type": "response.completed", "response": answer})), out);
        true
    }

    fn fail(&mut self, error: LlmError, out: &mut Vec<StreamEvent>) {
        out.extend(self.builder.take().map(|draft| draft.fail(error)));
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) {
        self.fail(self.request_info.invalid_stream("the answer ended too early"), out);
    }

    fn has_ended(&self) -> bool {
        self.builder.is_none()
    }
}

/// Returns the event's name from the frame, else from its data.
fn kind(event: &Event) -> Result<std::borrow::Cow<'_, str>, serde_json::Error> {
    if event.name.starts_with("response.") || event.name == "error" {
        return Ok(event.name.as_str().into());
    }
    Ok(serde_json::from_str::<Kind>(&event.data)?.kind.unwrap_or_default())
}

impl Reader {
    fn event(&mut self, kind: &str, data: &str, out: &mut Vec<StreamEvent>) -> Result<(), String> {
        let Some(known) = kind.strip_prefix("response.") else {
            // Servers may send unknown events.
            if kind == "error" {
                let event: Value = serde_json::from_str(data).map_err(|error| error.to_string())?;
                self.end_with_error(if event["error"].is_object() { &event["error"] } else { &event }, out);
            }
            return Ok(());
        };
        let of_item = matches!(
            known,
            "output_item.added"
                | "output_item.done"
                | "output_text.delta"
                | "refusal.delta"
                | "reasoning_summary_text.delta"
                | "reasoning_text.delta"
                | "reasoning_summary_part.added"
                | "function_call_arguments.delta"
                | "function_call_arguments.done"
                | "custom_tool_call_input.delta"
                | "custom_tool_call_input.done"
        );
        let of_answer = matches!(
            known,
            "created"
                | "in_progress"
                | "queued"
                | "completed"
                | "done"
                | "incomplete"
                | "failed"
                | "cancelled"
        );
        if !of_item && !of_answer {
            return Ok(());
        }
        let body: Body = serde_json::from_str(data).map_err(|error| error.to_string())?;
        if !std::mem::replace(&mut self.started, true) {
            out.push(StreamEvent::Start);
        }
        if of_answer {
            self.answer(known, body.response.unwrap_or_default(), out);
            return Ok(());
        }
        self.item(known, body, out)
    }

    fn item(&mut self, kind: &str, body: Body, out: &mut Vec<StreamEvent>) -> Result<(), String> {
        let index =
            body.output_index.ok_or_else(|| format!("`{kind}` does not say which item it is about"))?;
        let Some(draft) = self.builder.as_mut() else { return Ok(()) };
        let delta = body.delta.unwrap_or_default();
        let items = &mut self.items;
        match kind {
            "output_item.added" => items.open(index, &body.item.unwrap_or_default(), draft, out),
            "output_item.done" => items.close(index, body.item.unwrap_or_default(), draft, out),
            "output_text.delta" | "refusal.delta" => items.text(index, delta, draft, out),
            "reasoning_summary_text.delta" | "reasoning_text.delta" => {
                items.thinking(index, delta, draft, out);
            }
            "reasoning_summary_part.added" if body.summary_index.unwrap_or(0) > 0 => {
                items.paragraph(index, draft, out);
            }
            "function_call_arguments.delta" => items.arguments(index, delta, draft, out),
            "function_call_arguments.done" => {
                items.set_full_input(index, &FullInput::Json(body.arguments.unwrap_or_default()), draft, out);
            }
            "custom_tool_call_input.delta" => items.input(index, &delta, draft, out),
            "custom_tool_call_input.done" => {
                items.set_full_input(index, &FullInput::Text(body.input), draft, out);
            }
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, kind: &str, response: Value, out: &mut Vec<StreamEvent>) {
        let Some(draft) = self.builder.as_mut() else { return };
        if kind == "created" && draft.has_content() {
            out.push(draft.restart(&self.model));
            self.items = Items::default();
        }
        let word = |name: &str| response[name].as_str().filter(|word| !word.is_empty()).map(str::to_string);
        draft.response(word("id"), word("model"));
        if matches!(kind, "created" | "in_progress" | "queued") {
            return;
        }
        terminal::count(draft, &response["usage"]);
        if let Some(factor) = terminal::price_factor(&self.model, &response, self.tier.as_deref()) {
            draft.set_price_factor(factor);
        }
        match terminal::ending(kind, &response) {
            Ending::Complete(reason, word) => self.finish(reason, word, response, out),
            Ending::Refused => answer::StreamReader::fail(self, self.request_info.model_refused(), out),
            Ending::Failed(error) => self.end_with_error(&error, out),
            Ending::Interrupted(what) => {
                answer::StreamReader::fail(self, self.request_info.invalid_stream(&what), out);
            }
        }
    }

    fn finish(&mut self, reason: StopReason, word: String, mut response: Value, out: &mut Vec<StreamEvent>) {
        let Some(draft) = self.builder.as_mut() else { return };
        // The field may have any type.
        if let Some(Value::Array(output)) = response.get_mut("output").map(Value::take) {
            self.items.complete(output, draft, out);
        }
        let cut = reason == StopReason::Length;
        if let Err(name) = self.items.end(cut, draft, out) {
            let what = format!("the answer ended with an unfinished call of `{name}`");
            return answer::StreamReader::fail(self, self.request_info.invalid_stream(&what), out);
        }
        let calls = self.items.calls() > 0 && !cut;
        let Some(mut draft) = self.builder.take() else { return };
        draft.stop(if calls { StopReason::ToolUse } else { reason }, Some(word));
        out.push(draft.done());
    }

    fn end_with_error(&mut self, error: &Value, out: &mut Vec<StreamEvent>) {
        answer::StreamReader::fail(self, self.request_info.stream_error(error, error_codes::kind), out);
    }
}

#[cfg(test)]
mod tests;
