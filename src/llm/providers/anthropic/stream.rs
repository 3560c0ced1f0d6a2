//! Anthropic's stream events to ours. Pure: bytes and sockets are elsewhere.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{compat, errors};
use crate::llm::answer::{self, Reader as _};
use crate::llm::draft::Draft;
use crate::llm::failure::Asked;
use crate::llm::model::{ErrorKind, LlmError, Model, StopReason, StreamEvent};
use crate::net::sse::Event;

/// Reads one stream.
#[derive(Debug)]
pub struct Reader {
    asked: Asked,
    /// `None` once the last event is out.
    draft: Option<Draft>,
    started: bool,
    /// The open blocks by their index on the wire.
    open: BTreeMap<usize, Block>,
    stop: Option<String>,
    /// What is said beside a refusal.
    why: Option<String>,
    /// Of the model that was asked.
    model: Model,
}

#[derive(Debug, Clone, Copy)]
enum Block {
    Text(usize),
    Thinking(usize),
    Call(usize),
    /// A kind that we do not show, such as a search on the server.
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
    usage: Option<Counts>,
}

/// Running totals: what an event leaves out or sends as null has not changed.
#[derive(Deserialize)]
struct Counts {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_creation: Option<Written>,
}

/// How what was written to the cache divides by how long it is kept.
#[derive(Deserialize)]
struct Written {
    ephemeral_1h_input_tokens: Option<u64>,
}

impl Reader {
    /// A reader of the answer of one model; `now_ms` is the message's time stamp.
    pub fn new(model: &Model, asked: Asked, now_ms: u64) -> Self {
        let draft = Some(Draft::new(model, now_ms));
        let (open, model) = (BTreeMap::new(), model.clone());
        Self { asked, draft, started: false, open, stop: None, why: None, model }
    }
}

impl answer::Reader for Reader {
    fn ended(&self) -> bool {
        self.draft.is_none()
    }

    fn take(&mut self, event: &Event, out: &mut Vec<StreamEvent>) {
        let Some(draft) = self.draft.as_mut() else { return };
        let wire: Wire = match serde_json::from_str(&event.data) {
            Ok(wire) => wire,
            Err(error) => {
                let what = format!("the stream made no sense: {error}");
                return self.fail(self.asked.nonsense(&what), out);
            }
        };
        // Some servers leave the head out, or send it again.
        let of_answer = wire.kind.starts_with("message_") || wire.kind.starts_with("content_block_");
        if of_answer && !std::mem::replace(&mut self.started, true) {
            out.push(StreamEvent::Start);
        }
        match &*wire.kind {
            "message_start" => {
                if let Some(head) = wire.message {
                    let other = head.model.as_deref();
                    if let Some(prices) = other.and_then(|other| compat::fallback_prices(&self.model, other))
                    {
                        draft.priced_as(prices);
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
                    let why = delta.stop_details.as_ref().and_then(|d| d["explanation"].as_str());
                    self.why = why.map(str::to_string).or(self.why.take());
                    self.stop = delta.stop_reason.or(self.stop.take());
                }
            }
            "message_stop" => self.finish(out),
            "error" => {
                let data: Value = serde_json::from_str(&event.data).unwrap_or_default();
                self.fail(self.asked.broke_off(&data["error"], errors::kind), out);
            }
            // `ping`, and whatever comes in later versions.
            _ => {}
        }
    }

    fn fail(&mut self, error: LlmError, out: &mut Vec<StreamEvent>) {
        out.extend(self.draft.take().map(|draft| draft.fail(error)));
    }

    /// Without a last event that is an error.
    fn end(&mut self, out: &mut Vec<StreamEvent>) {
        self.fail(self.asked.nonsense("the answer ended too early"), out);
    }
}

impl Reader {
    fn open_block(&mut self, at: usize, mut block: Value, out: &mut Vec<StreamEvent>) {
        // One that stands in the place of another ends it.
        self.close_block(at, out);
        let Some(draft) = self.draft.as_mut() else { return };
        let mut take = |name: &str| match block.get_mut(name).map(Value::take) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let opened = match take("type").as_str() {
            "text" => {
                let (index, event) = draft.open_text();
                out.extend([event]);
                // Some servers put the first words into the start.
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
        let (Some(draft), Some(block), Some(delta)) = (self.draft.as_mut(), self.open.get(&at), delta) else {
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
        let (Some(draft), Some(block)) = (self.draft.as_mut(), self.open.remove(&at)) else { return };
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
            let error = match self.why.take() {
                Some(why) => {
                    let what = format!(": the model refused to answer this: {why}");
                    self.asked.failed(ErrorKind::ContentFilter, &what)
                }
                None => self.asked.would_not(),
            };
            if let Some(draft) = self.draft.as_mut() {
                draft.stop(StopReason::Error, self.stop.take());
            }
            return self.fail(error, out);
        }
        let Some(mut draft) = self.draft.take() else { return };
        draft.stop(reason(self.stop.as_deref()), self.stop.take());
        out.extend([draft.done()]);
    }
}

fn count(draft: &mut Draft, counts: Option<Counts>, out: &mut Vec<StreamEvent>) {
    let Some(counts) = counts else { return };
    let usage = draft.usage();
    // Anthropic's `input_tokens` leaves cached tokens out already.
    usage.input = counts.input_tokens.unwrap_or(usage.input);
    usage.output = counts.output_tokens.unwrap_or(usage.output);
    usage.cache_read = counts.cache_read_input_tokens.unwrap_or(usage.cache_read);
    usage.cache_write = counts.cache_creation_input_tokens.unwrap_or(usage.cache_write);
    let hour = counts.cache_creation.and_then(|written| written.ephemeral_1h_input_tokens);
    usage.cache_write_hour = hour.filter(|hour| *hour > 0).or(usage.cache_write_hour);
    out.extend(draft.counts());
}

fn reason(word: Option<&str>) -> StopReason {
    match word {
        Some("tool_use") => StopReason::ToolUse,
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
        // `end_turn`, `stop_sequence`, `pause_turn`, and words that are yet to come.
        _ => StopReason::Stop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::accumulate::Accumulator;
    use crate::llm::catalog::Catalog;
    use crate::llm::heard::{heard, last};
    use crate::llm::model::{KnownPart, Part};

    fn read(data: &[Value]) -> Vec<StreamEvent> {
        let reader = Reader::new(
            &Catalog::builtin().model("anthropic", "claude-opus-5-5").unwrap(),
            Asked::default(),
            5,
        );
        heard(reader, data)
    }

    fn start(index: usize, block: &Value) -> Value {
        json!({"type": "content_block_start", "index": index, "content_block": block})
    }

    fn delta(index: usize, delta: &Value) -> Value {
        json!({"type": "content_block_delta", "index": index, "delta": delta})
    }

    fn head() -> Value {
        json!({"type": "message_start", "message": {"id": "msg_1", "model": "claude-opus-5-5",
            "usage": {"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 20, "cache_creation": {
                    "ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 15}}}})
    }

    fn tail(reason: &str) -> [Value; 2] {
        let delta = json!({"stop_reason": reason, "stop_sequence": null});
        [
            json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7, "input_tokens": null}}),
            json!({"type": "message_stop"}),
        ]
    }

    #[test]
    fn the_start_comes_once_and_first_whatever_the_server_sends() {
        let starts = |data: &[Value]| {
            let events = read(data);
            let all = events.iter().filter(|event| **event == StreamEvent::Start).count();
            (all, events.first() == Some(&StreamEvent::Start))
        };
        let text = start(0, &json!({"type": "text", "text": "a"}));
        assert_eq!(
            starts(&[vec![head(), head(), text.clone(), head()], tail("end_turn").to_vec()].concat()),
            (1, true)
        );
        assert_eq!(starts(&[vec![text], tail("end_turn").to_vec()].concat()), (1, true));
        assert_eq!(starts(&[json!({"type": "ping"}), json!({"type": "error", "error": {}})]), (0, false));
    }

    fn whole() -> Vec<Value> {
        let mut data = vec![
            head(),
            start(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
            delta(0, &json!({"type": "thinking_delta", "thinking": "hm"})),
            delta(0, &json!({"type": "signature_delta", "signature": "si"})),
            delta(0, &json!({"type": "signature_delta", "signature": "g"})),
            json!({"type": "content_block_stop", "index": 0}),
            start(1, &json!({"type": "redacted_thinking", "data": "blob"})),
            json!({"type": "ping"}),
            start(2, &json!({"type": "text", "text": ""})),
            delta(2, &json!({"type": "text_delta", "text": "Hel"})),
            start(3, &json!({"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}})),
            delta(3, &json!({"type": "input_json_delta", "partial_json": ""})),
            delta(3, &json!({"type": "input_json_delta", "partial_json": "{\"path\""})),
            delta(2, &json!({"type": "text_delta", "text": "lo"})),
            delta(3, &json!({"type": "input_json_delta", "partial_json": ": \"a\"}"})),
            json!({"type": "content_block_stop", "index": 2}),
            json!({"type": "content_block_stop", "index": 3}),
        ];
        data.extend(tail("tool_use"));
        data
    }

    #[test]
    fn a_whole_answer_with_everything_in_it() {
        let message = last(&read(&whole()));
        let thinking = |text: &str, signature: &str, redacted| {
            Part::Known(KnownPart::Thinking {
                thinking: text.into(),
                thinking_signature: Some(signature.into()),
                redacted,
            })
        };
        assert_eq!(message.content[..2], [thinking("hm", "sig", false), thinking("", "blob", true)]);
        assert_eq!(message.text(), "Hello");
        assert_eq!(message.tool_calls().next().unwrap().arguments, json!({"path": "a"}));
        assert_eq!(
            (message.stop_reason, message.response_id.as_deref()),
            (StopReason::ToolUse, Some("msg_1"))
        );
        assert_eq!((message.response_model, message.timestamp), (None, 5));
        let usage = message.usage;
        assert_eq!((usage.input, usage.cache_read, usage.cache_write, usage.output), (10, 100, 20, 7));
        assert_eq!(usage.cache_write_hour, Some(15));
        assert_eq!(usage.total_tokens, 137);
        // 10 at $4, 7 at $20, 100 at $0.20, 5 at $5, 15 for an hour at $8, each per million.
        assert!((usage.cost.total - 345e-6).abs() < 1e-12, "{:?}", usage.cost);
    }

    #[test]
    fn folding_the_events_gives_the_same_message() {
        let events = read(&whole());
        let mut all = Accumulator::new(&Catalog::builtin().model("anthropic", "claude-opus-5-5").unwrap(), 5);
        events[..events.len() - 1].iter().for_each(|event| all.push(event));
        assert_eq!(all.finish().text(), last(&events).text());
    }

    #[test]
    fn every_reason_to_stop() {
        for (word, expected) in [
            ("end_turn", StopReason::Stop),
            ("stop_sequence", StopReason::Stop),
            ("pause_turn", StopReason::Stop),
            ("max_tokens", StopReason::Length),
            ("model_context_window_exceeded", StopReason::Length),
            ("refusal", StopReason::Error),
        ] {
            let mut data = vec![head()];
            data.extend(tail(word));
            assert_eq!(last(&read(&data)).stop_reason, expected, "{word}");
        }
    }

    #[test]
    fn what_breaks_off_keeps_what_had_come() {
        let begun = || {
            vec![head(), start(0, &json!({"type": "text", "text": ""})), delta(0, &json!({"text": "par"}))]
        };
        let kind = |events: &[StreamEvent]| match events.last().unwrap() {
            StreamEvent::Error { error, .. } => error.kind,
            other => panic!("{other:?}"),
        };
        let cut = read(&begun());
        assert_eq!((kind(&cut), last(&cut).text().as_str()), (ErrorKind::Stream, "par"));
        let mut data = begun();
        data.push(json!("{not json"));
        data.push(delta(0, &json!({"text": "ignored"})));
        let broken = read(&data);
        assert_eq!((kind(&broken), last(&broken).text().as_str()), (ErrorKind::Stream, "par"));
        let mut data = begun();
        data.push(json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}));
        let failed = read(&data);
        assert_eq!((kind(&failed), last(&failed).stop_reason), (ErrorKind::Server, StopReason::Error));
        assert!(last(&failed).error_message.unwrap().contains("Overloaded"));
    }

    #[test]
    fn a_refusal_says_why_and_keeps_its_word() {
        let details = json!({"explanation": "too dangerous"});
        let data = [
            head(),
            json!({"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}}),
            json!({"type": "message_stop"}),
        ];
        let events = read(&data);
        let StreamEvent::Error { error, message } = events.last().unwrap() else { panic!("{events:?}") };
        assert_eq!(
            (error.kind, message.raw_stop_reason.as_deref()),
            (ErrorKind::ContentFilter, Some("refusal"))
        );
        assert!(error.message.ends_with("the model refused to answer this: too dangerous"), "{error}");
    }

    #[test]
    fn the_model_that_answered_instead_is_paid_at_its_price() {
        let mut model = (*Catalog::builtin().model("anthropic", "claude-opus-5-5").unwrap()).clone();
        let cost = json!({"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0});
        let fallback = json!([{"provider": "anthropic", "model": "other", "cost": cost}]);
        model.compat.insert("allowedFallbackModels".into(), fallback);
        let mut reader = Reader::new(&model, Asked::default(), 5);
        let mut start = head();
        start["message"]["model"] = "other".into();
        let mut out = Vec::new();
        for data in [vec![start], tail("end_turn").to_vec()].concat() {
            reader.take(&Event { name: String::new(), data: data.to_string() }, &mut out);
        }
        let message = last(&out);
        assert_eq!(message.response_model.as_deref(), Some("other"));
        // 10 at $1, 7 at $2, 15 for an hour at $2.
        assert!((message.usage.cost.total - 54e-6).abs() < 1e-12, "{:?}", message.usage.cost);
    }

    #[test]
    fn a_block_that_is_no_object_is_passed_over() {
        for odd in [json!("text"), json!([]), json!(3), Value::Null] {
            let data =
                [vec![head(), start(0, &odd), delta(0, &json!({"text": "x"}))], tail("end_turn").to_vec()];
            let message = last(&read(&data.concat()));
            assert_eq!((message.content, message.stop_reason), (vec![], StopReason::Stop), "{odd}");
        }
    }

    #[test]
    fn broken_arguments_are_kept_as_text() {
        let mut data =
            vec![head(), start(0, &json!({"type": "tool_use", "id": "t", "name": "read", "input": {}}))];
        data.push(delta(0, &json!({"partial_json": "{\"path\": \"a\""})));
        data.extend(tail("tool_use"));
        let call = last(&read(&data)).tool_calls().next().unwrap().clone();
        assert_eq!(call.arguments, json!("{\"path\": \"a\""));
    }
}
