//! `mistral-conversations`: Chat Completions with its own ids and parts.

use serde_json::{Value, json};

use super::completions::Completions;
use super::{Answer, AnswerPart, Feature, ParsedRequest, Wire, list, sse};

pub struct Mistral;

impl Wire for Mistral {
    fn api(&self) -> &'static str {
        "mistral-conversations"
    }

    fn supports(&self, feature: Feature) -> bool {
        !matches!(
            feature,
            Feature::Signatures | Feature::CacheWrites | Feature::Refusals | Feature::ReasoningCounts
        )
    }

    fn encode_events(&self, answer: &Answer) -> Vec<Vec<u8>> {
        // As the others, but for thinking, which is a part of the content.
        let mut plain = answer.clone();
        plain.parts.retain(|bit| !matches!(bit, AnswerPart::Thinking(..)));
        let mut out = Completions.encode_events(&plain);
        let thinking = answer.parts.iter().filter_map(|bit| match bit {
            AnswerPart::Thinking(pieces, _) => Some(pieces.iter()),
            _ => None,
        });
        let chunk = |text: &&str| {
            let part = json!([{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]);
            sse(&json!({"id": "1", "model": "m",
                "choices": [{"index": 0, "delta": {"content": part}, "finish_reason": null}]}))
        };
        let thoughts: Vec<_> = thinking.flatten().map(chunk).collect();
        out.splice(1..1, thoughts);
        out
    }

    fn error_body(&self, status: u16, words: &str) -> String {
        json!({"object": "error", "message": words, "type": "invalid_request_error", "param": null,
            "code": if status == 401 { json!("1001") } else { Value::Null }})
        .to_string()
    }

    fn parse_request(&self, body: &Value) -> ParsedRequest {
        let mut facts = Completions.parse_request(body);
        if facts.choice == "any" {
            facts.choice = "required".into();
        }
        let thoughts = list(&body["messages"]).flat_map(|message| list(&message["content"]));
        assert!(thoughts.filter(|part| part["type"] == "thinking").all(|part| part["thinking"].is_array()));
        facts
    }
}
