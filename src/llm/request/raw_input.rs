//! Free-text input of a tool call in the common form of arguments: `{"input": text}`.
//!
//! Must not know any wire format. Linear in the text's length, even for many deltas.

use serde_json::Value;

use crate::llm::model::{AssistantMessage, KnownPart, Part, Request, StreamEvent, ToolCall};

/// The only field.
pub const FIELD: &str = "input";

/// A growing text.
#[derive(Debug, Default)]
pub struct RawInput {
    begun: bool,
    /// Bytes of text so far.
    bytes: usize,
}

impl RawInput {
    /// Returns the JSON of a delta; `None` for an empty one.
    pub fn push(&mut self, text: &str) -> Option<String> {
        (!text.is_empty()).then(|| self.piece(text))
    }

    /// Returns the rest of the JSON, if the complete text is sent once more.
    pub fn close(&mut self, whole: Option<&str>) -> String {
        let rest = whole.and_then(|whole| whole.get(self.bytes..)).unwrap_or_default();
        let mut json = self.piece(rest);
        json.push_str("\"}");
        json
    }

    fn piece(&mut self, text: &str) -> String {
        self.bytes += text.len();
        let quoted = Value::from(text).to_string();
        let inner = &quoted[1..quoted.len() - 1];
        if std::mem::replace(&mut self.begun, true) {
            inner.to_string()
        } else {
            format!("{{\"{FIELD}\":\"{inner}")
        }
    }
}

/// Returns the complete text as arguments.
pub fn arguments(text: &str) -> String {
    format!("{{\"{FIELD}\":{}}}", Value::from(text))
}

/// Returns the text of a call with JSON arguments; other arguments as JSON.
pub fn text_of(call: &ToolCall) -> String {
    let arguments = &call.arguments;
    arguments[FIELD].as_str().or(arguments.as_str()).map_or_else(|| arguments.to_string(), str::to_string)
}

/// Returns the names of a request's tools with free-text input.
pub fn free_text(request: &Request) -> Vec<String> {
    request.tools.iter().filter(|tool| tool.grammar.is_some()).map(|tool| tool.name.clone()).collect()
}

/// Fixes a call of a free-text tool on a server without such tools, where it is a function: models that know
/// the tool write plain text in place of arguments, so invalid JSON is taken as the text.
pub fn accept(mut event: StreamEvent, free: &[String]) -> StreamEvent {
    match &mut event {
        StreamEvent::ToolCallEnd { call, .. } => accept_call(call, free),
        StreamEvent::Done { message } | StreamEvent::Error { message, .. } => accept_all(message, free),
        _ => {}
    }
    event
}

fn accept_all(message: &mut AssistantMessage, free: &[String]) {
    for part in &mut message.content {
        if let Part::Known(KnownPart::ToolCall(call)) = part {
            accept_call(call, free);
        }
    }
}

fn accept_call(call: &mut ToolCall, free: &[String]) {
    if let Value::String(text) = &mut call.arguments
        && free.contains(&call.name)
    {
        let text = Value::String(std::mem::take(text));
        call.arguments = Value::Object([(FIELD.to_string(), text)].into_iter().collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use proptest::prelude::*;

    #[test]
    fn raw_input_joins_pieces_and_final_text() {
        let json = |pieces: &[&str], whole: Option<&str>| {
            let mut input = RawInput::default();
            let mut json: String = pieces.iter().filter_map(|piece| input.push(piece)).collect();
            json.push_str(&input.close(whole));
            serde_json::from_str::<Value>(&json).unwrap()
        };
        assert_eq!(json(&["a\"b", "\né"], None), json!({"input": "a\"b\né"}));
        assert_eq!(json(&["ab"], Some("abc")), json!({"input": "abc"}));
        assert_eq!(json(&["ab"], Some("a")), json!({"input": "ab"}));
        assert_eq!(json(&[], Some("x")), json!({"input": "x"}));
        assert_eq!(json(&["", ""], None), json!({"input": ""}));
    }

    #[test]
    fn raw_input_text_of_call_arguments() {
        let of = |arguments| {
            let (id, name) = (String::new(), String::new());
            text_of(&ToolCall { id, name, arguments, thought_signature: None })
        };
        assert_eq!(of(json!({"input": "x"})), "x");
        assert_eq!(of(json!("broken")), "broken");
        assert_eq!(of(json!({"a": 1})), r#"{"a":1}"#);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn raw_input_any_pieces_roundtrip(pieces in prop::collection::vec(any::<String>(), 0..6)) {
            let mut input = RawInput::default();
            let mut json: String = pieces.iter().filter_map(|piece| input.push(piece)).collect();
            json.push_str(&input.close(Some(&pieces.concat())));
            prop_assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), json!({"input": pieces.concat()}));
        }
    }
}
