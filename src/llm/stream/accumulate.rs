//! Accumulates stream events into a message.
//!
//! Must not know any wire format. Each delta is appended once, so the cost is linear.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::llm::model::{AssistantMessage, KnownPart, Model, Part, StopReason, StreamEvent, ToolCall, Usage};
use crate::llm::stream::partial_json::PartialJson;

/// A message that is built from the events of its stream.
#[derive(Debug, Clone)]
pub struct Accumulator {
    /// The message without its content, which is in `parts` until the end.
    message: AssistantMessage,
    parts: BTreeMap<usize, PartBuilder>,
    ended: bool,
}

#[derive(Debug, Clone)]
enum PartBuilder {
    Text { text: String, signature: Option<String> },
    Thinking { text: String, signature: String, redacted: bool },
    Call { id: String, name: String, raw: String, signature: Option<String>, call: Option<ToolCall> },
}

impl Accumulator {
    /// Creates an empty answer of this model; `now_ms` is its timestamp.
    pub fn new(model: &Model, now_ms: u64) -> Self {
        let message = AssistantMessage {
            content: Vec::new(),
            api: model.api.clone(),
            provider: model.provider.clone(),
            model: model.id.clone(),
            response_model: None,
            response_id: None,
            usage: Usage::default(),
            stop_reason: StopReason::Stop,
            raw_stop_reason: None,
            error_message: None,
            timestamp: now_ms,
            extra: Map::new(),
        };
        Self { message, parts: BTreeMap::new(), ended: false }
    }

    /// Adds an event. A delta for a part that was not started starts it; events after the end of the stream
    /// are ignored.
    pub fn push(&mut self, event: &StreamEvent) {
        if self.ended {
            return;
        }
        match event {
            StreamEvent::Start => self.parts.clear(),
            StreamEvent::Limits(_)
            | StreamEvent::Raw { .. }
            | StreamEvent::Warning(_)
            | StreamEvent::TextEnd { .. }
            | StreamEvent::ThinkingEnd { .. } => {}
            StreamEvent::Usage(usage) => self.message.usage.clone_from(usage),
            StreamEvent::TextStart { index } => {
                self.text(*index).clear();
            }
            StreamEvent::TextDelta { index, delta } => self.text(*index).push_str(delta),
            StreamEvent::ThinkingStart { index } => {
                if let PartBuilder::Thinking { text, .. } = self.thinking(*index) {
                    text.clear();
                }
            }
            StreamEvent::ThinkingDelta { index, delta } => {
                if let PartBuilder::Thinking { text, .. } = self.thinking(*index) {
                    text.push_str(delta);
                }
            }
            StreamEvent::ToolCallStart { index, id, name } => {
                let (id, name, raw) = (id.clone(), name.clone(), String::new());
                self.parts.insert(*index, PartBuilder::Call { id, name, raw, signature: None, call: None });
            }
            StreamEvent::ToolCallDelta { index, delta } => {
                if let Some(PartBuilder::Call { raw, .. }) = self.parts.get_mut(index) {
                    raw.push_str(delta);
                }
            }
            StreamEvent::ToolCallEnd { index, call } => self.end_call(*index, call),
            StreamEvent::Done { message } | StreamEvent::Error { message, .. } => {
                self.message = (**message).clone();
                self.parts.clear();
                self.ended = true;
            }
        }
    }

    /// Whether any content has arrived.
    pub fn has_content(&self) -> bool {
        !self.parts.is_empty() || !self.message.content.is_empty()
    }

    /// Returns a part's content so far: its text, or a call's raw arguments.
    pub fn so_far(&self, index: usize) -> &str {
        match self.parts.get(&index) {
            Some(PartBuilder::Text { text, .. } | PartBuilder::Thinking { text, .. }) => text,
            Some(PartBuilder::Call { raw, .. }) => raw,
            None => "",
        }
    }

    /// Returns the index for the next part.
    pub fn next_index(&self) -> usize {
        self.parts.last_key_value().map_or(0, |(last, _)| last + 1)
    }

    /// Returns the fields other than the content.
    pub fn meta(&mut self) -> &mut AssistantMessage {
        &mut self.message
    }

    /// Marks a thinking part as encrypted, with the signature as its only content.
    pub fn redact(&mut self, index: usize, data: String) {
        self.parts
            .insert(index, PartBuilder::Thinking { text: String::new(), signature: data, redacted: true });
    }

    /// Appends to the signature of a thinking part.
    pub fn sign(&mut self, index: usize, piece: &str) {
        if let PartBuilder::Thinking { signature, .. } = self.thinking(index) {
            signature.push_str(piece);
        }
    }

    /// Sets the opaque data that must go back with a text or a call.
    pub fn attach(&mut self, index: usize, data: String) {
        match self.parts.get_mut(&index) {
            Some(PartBuilder::Text { signature, .. } | PartBuilder::Call { signature, .. }) => {
                *signature = Some(data);
            }
            Some(PartBuilder::Thinking { .. }) | None => self.sign(index, &data),
        }
    }

    /// Replaces a call's arguments.
    pub fn arguments(&mut self, index: usize, whole: String) {
        if let Some(PartBuilder::Call { raw, .. }) = self.parts.get_mut(&index) {
            *raw = whole;
        }
    }

    /// Returns a call with the arguments so far, parsed: invalid JSON stays text.
    pub fn call(&self, index: usize) -> Option<ToolCall> {
        match self.parts.get(&index)? {
            PartBuilder::Call { call: Some(call), .. } => Some(call.clone()),
            PartBuilder::Call { id, name, raw, signature, call: None } => {
                Some(finish_call(id.clone(), name.clone(), raw, signature.clone()))
            }
            _ => None,
        }
    }

    /// Returns the message with everything received so far.
    pub fn finish(self) -> AssistantMessage {
        let Self { mut message, parts, ended } = self;
        if !ended {
            message.content = parts.into_values().map(PartBuilder::finish).collect();
        }
        message
    }

    /// Returns the message, marked as interrupted by the user.
    pub fn finish_aborted(self) -> AssistantMessage {
        let ended = self.ended;
        let mut message = self.finish();
        if !ended {
            message.stop_reason = StopReason::Aborted;
            message.error_message = Some("interrupted".to_string());
        }
        message
    }

    fn text(&mut self, index: usize) -> &mut String {
        let empty = || PartBuilder::Text { text: String::new(), signature: None };
        let part = self.parts.entry(index).or_insert_with(empty);
        if !matches!(part, PartBuilder::Text { .. }) {
            *part = empty();
        }
        match part {
            PartBuilder::Text { text, .. } => text,
            _ => unreachable!("the part was made a text above"),
        }
    }

    fn thinking(&mut self, index: usize) -> &mut PartBuilder {
        self.parts.entry(index).or_insert_with(|| PartBuilder::Thinking {
            text: String::new(),
            signature: String::new(),
            redacted: false,
        })
    }

    fn end_call(&mut self, index: usize, ended: &ToolCall) {
        let (id, name) = (ended.id.clone(), ended.name.clone());
        let call = Some(ended.clone());
        let part = PartBuilder::Call { id, name, raw: String::new(), signature: None, call };
        self.parts.insert(index, part);
    }
}

impl PartBuilder {
    fn finish(self) -> Part {
        Part::Known(match self {
            Self::Text { text, signature } => KnownPart::Text { text, text_signature: signature },
            Self::Thinking { text, signature, redacted } => KnownPart::Thinking {
                thinking: text,
                thinking_signature: Some(signature).filter(|s| !s.is_empty()),
                redacted,
            },
            Self::Call { call: Some(call), .. } => KnownPart::ToolCall(call),
            Self::Call { id, name, raw, signature, call: None } => {
                KnownPart::ToolCall(finish_call(id, name, &raw, signature))
            }
        })
    }
}

/// Parses the final arguments. Missing arguments become an empty object; invalid ones stay text.
fn finish_call(id: String, name: String, raw: &str, signature: Option<String>) -> ToolCall {
    let arguments = if raw.trim().is_empty() {
        Value::Object(Map::new())
    } else {
        serde_json::from_str(raw).unwrap_or_else(|_| parse_lenient(raw))
    };
    ToolCall { id, name, arguments, thought_signature: signature }
}

/// Parses arguments with invalid escapes, which models write. If the result is unambiguous it is used;
/// anything else stays text, which no tool accepts as arguments.
fn parse_lenient(raw: &str) -> Value {
    let mut partial = PartialJson::default();
    partial.push(raw);
    if partial.is_complete() { partial.value().clone() } else { Value::String(raw.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use proptest::prelude::*;

    fn empty() -> Accumulator {
        Accumulator::new(&Model::unknown("p", "m", "a", ""), 7)
    }

    fn fold(events: &[StreamEvent]) -> AssistantMessage {
        let mut all = empty();
        for event in events {
            all.push(event);
        }
        all.finish()
    }

    #[test]
    fn accumulate_open_parts_keep_order() {
        let message = fold(&[
            StreamEvent::Start,
            StreamEvent::ThinkingStart { index: 0 },
            StreamEvent::ToolCallStart { index: 2, id: "c".into(), name: "read".into() },
            StreamEvent::TextDelta { index: 1, delta: "he".into() },
            StreamEvent::ToolCallDelta { index: 2, delta: "{\"a\":".into() },
            StreamEvent::TextDelta { index: 1, delta: "llo".into() },
            StreamEvent::ToolCallDelta { index: 2, delta: "1}".into() },
            StreamEvent::ThinkingDelta { index: 0, delta: "hm".into() },
        ]);
        assert_eq!(message.text(), "hello");
        assert_eq!(message.tool_calls().next().unwrap().arguments, json!({"a": 1}));
        assert!(
            matches!(&message.content[0], Part::Known(KnownPart::Thinking { thinking, .. }) if thinking == "hm")
        );
        assert_eq!((message.timestamp, message.content.len()), (7, 3));
    }

    #[test]
    fn accumulate_broken_tool_arguments_stay_text() {
        let call = |raw: &str| {
            fold(&[
                StreamEvent::ToolCallStart { index: 0, id: "c".into(), name: "n".into() },
                StreamEvent::ToolCallDelta { index: 0, delta: raw.into() },
            ])
            .tool_calls()
            .next()
            .unwrap()
            .arguments
            .clone()
        };
        assert_eq!(call("{\"a\": "), json!("{\"a\": "));
        assert_eq!(call(""), json!({}));
        assert_eq!(call(r#"{"path": "C:\dir"}"#), json!({"path": "C:\\dir"}), "an escape that is none");
    }

    #[test]
    fn accumulate_restart_discards_earlier_parts() {
        let begun = [
            StreamEvent::Start,
            StreamEvent::TextDelta { index: 0, delta: "old".into() },
            StreamEvent::ToolCallStart { index: 1, id: "c".into(), name: "n".into() },
        ];
        let anew = [StreamEvent::Start, StreamEvent::TextDelta { index: 0, delta: "new".into() }];
        let message = fold(&[&begun[..], &anew].concat());
        assert_eq!((message.text().as_str(), message.content.len()), ("new", 1));
        let again =
            [StreamEvent::TextStart { index: 0 }, StreamEvent::TextDelta { index: 0, delta: "b".into() }];
        assert_eq!(fold(&[&begun[..2], &again].concat()).text(), "b", "one part");
    }

    #[test]
    fn accumulate_aborted_stream_sets_stop_reason() {
        let mut all = empty();
        all.push(&StreamEvent::TextDelta { index: 0, delta: "par".into() });
        assert_eq!(all.clone().finish_aborted().stop_reason, StopReason::Aborted);
        all.push(&StreamEvent::Done { message: Box::new(fold(&[])) });
        assert_eq!(all.finish_aborted().stop_reason, StopReason::Stop);
    }

    fn event() -> impl Strategy<Value = StreamEvent> {
        let delta = "[a-z{}\":]{0,4}";
        prop_oneof![
            Just(StreamEvent::Start),
            (0usize..4).prop_map(|index| StreamEvent::TextStart { index }),
            (0usize..4, delta).prop_map(|(index, delta)| StreamEvent::TextDelta { index, delta }),
            (0usize..4, delta).prop_map(|(index, delta)| StreamEvent::ThinkingDelta { index, delta }),
            (0usize..4, delta).prop_map(|(index, delta)| StreamEvent::ToolCallDelta { index, delta }),
            (0usize..4).prop_map(|index| StreamEvent::ToolCallStart {
                index,
                id: "i".into(),
                name: "n".into()
            }),
        ]
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(128))]

        #[test]
        fn accumulate_any_event_sequence_is_safe(events in prop::collection::vec(event(), 0..30)) {
            let message = fold(&events);
            prop_assert!(message.content.len() <= 4);
        }
    }
}
