//! Reasoning that must be sent back to its server: the name of its field, or structured details. Both are
//! stored in place of a signature. Pure.

use serde_json::{Map, Value};

use crate::base::json::json;

use super::compat::Compat;

/// Field names for reasoning text, most common first.
pub const FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// Details that arrive in pieces.
#[derive(Debug, Default)]
pub struct Details(Vec<Value>);

impl Details {
    /// Adds a piece: consecutive texts are joined, others stay separate. `false` if it is not a detail.
    pub fn push(&mut self, detail: Value) -> bool {
        let (kind, field) = match detail["type"].as_str() {
            Some(kind @ "reasoning.text") => (kind, "text"),
            Some(kind @ "reasoning.summary") => (kind, "summary"),
            Some(kind @ "reasoning.encrypted") => (kind, "data"),
            _ => return false,
        };
        let Some(text) = detail[field].as_str() else { return false };
        if let Some(last) = self.0.last_mut().filter(|last| field != "data" && last["type"] == kind) {
            if let Value::String(so_far) = &mut last[field] {
                so_far.push_str(text);
            }
            for name in ["signature", "id", "format", "index"] {
                if last[name].is_null() && !detail[name].is_null() {
                    last[name] = detail[name].clone();
                }
            }
            return true;
        }
        self.0.push(detail);
        true
    }

    /// Returns the data to send back; `None` if there is none.
    pub fn signature(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| json!(self.0).to_string())
    }
}

/// Adds an answer's thoughts with their signatures to its message.
pub fn add(message: &mut Map<String, Value>, thoughts: &[(&str, Option<&str>)], compat: Compat) {
    let details = thoughts.iter().find_map(|(_, signature)| {
        serde_json::from_str::<Value>((*signature)?)
            .ok()
            .filter(|value| value.as_array().is_some_and(|all| !all.is_empty()))
    });
    let non_empty = thoughts.iter().filter(|(text, _)| !text.trim().is_empty());
    let text = || non_empty.clone().map(|(text, _)| *text).collect::<Vec<_>>().join("\n");
    let named =
        non_empty.clone().find_map(|(_, signature)| FIELDS.iter().find(|field| Some(**field) == *signature));
    if let Some(details) = details {
        message.insert("reasoning_details".into(), details);
    } else if let Some(field) = named {
        message.insert((*field).into(), text().into());
    }
    if compat.requires_reasoning() {
        message.entry(FIELDS[0]).or_insert_with(|| text().into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::Model;

    #[test]
    fn completions_reasoning_details_pieces_are_joined() {
        let mut details = Details::default();
        assert_eq!(details.signature(), None);
        assert!(details.push(json!({"type": "reasoning.text", "text": "a", "index": 0})));
        assert!(details.push(json!({"type": "reasoning.text", "text": "b", "signature": "s"})));
        assert!(details.push(json!({"type": "reasoning.encrypted", "data": "x", "id": "1"})));
        assert!(details.push(json!({"type": "reasoning.encrypted", "data": "y", "id": "2"})));
        assert!(details.push(json!({"type": "reasoning.summary", "summary": "c"})));
        assert!(details.push(json!({"type": "reasoning.summary", "summary": "d"})));
        for odd in [json!(null), json!({"type": "other"}), json!({"type": "reasoning.text", "text": 1})] {
            assert!(!details.push(odd));
        }
        let expected = json!([
            {"type": "reasoning.text", "text": "ab", "index": 0, "signature": "s"},
            {"type": "reasoning.encrypted", "data": "x", "id": "1"},
            {"type": "reasoning.encrypted", "data": "y", "id": "2"},
            {"type": "reasoning.summary", "summary": "cd"},
        ]);
        assert_eq!(details.signature(), Some(expected.to_string()));
    }

    #[test]
    fn completions_reasoning_returns_under_original_field() {
        let model = Model::unknown("p", "m", "a", "");
        let of = |thoughts: &[(&str, Option<&str>)]| {
            let mut message = Map::new();
            add(&mut message, thoughts, Compat::of(&model));
            Value::Object(message)
        };
        assert_eq!(of(&[("a", Some("reasoning")), ("b", None)]), json!({"reasoning": "a\nb"}));
        assert_eq!(of(&[("a", None)]), json!({}));
        assert_eq!(of(&[("a", Some("role"))]), json!({}));
        let details = json!([{"type": "reasoning.encrypted", "data": "x"}]).to_string();
        let sent = json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]});
        assert_eq!(of(&[("", Some(&details)), ("b", Some("reasoning"))]), sent);
    }
}
