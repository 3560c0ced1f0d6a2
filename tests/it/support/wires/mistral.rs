//! `mistral-conversations`: Chat Completions with its own ids and parts.

use serde_json::{Value, json};

use super::completions::Completions;
use super::{Answer, Bit, Facts, Feature, Wire, list, sse};

pub struct Mistral;

impl Wire for Mistral {
    fn api(&self) -> &'static str {
        "mistral-conversations"
    }

    fn has(&self, feature: Feature) -> bool {
        !matches!(
            feature,
            Feature::Signatures | Feature::CacheWrites | Feature::Refusals | Feature::ReasoningCounts
        )
    }

    fn events(&self, answer: &Answer) -> Vec<Vec<u8>> {
        // As the others, but for thinking, which is a part of the content.
        let mut plain = answer.clone();
        plain.bits.retain(|bit| !matches!(bit, Bit::Thinking(..)));
        let mut out = Completions.events(&plain);
        let thinking = answer.bits.iter().filter_map(|bit| match bit {
            Bit::Thinking(pieces, _) => Some(pieces.iter()),
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

    fn refusal(&self, status: u16, words: &str) -> String {
        json!({"object": "error", "message": words, "type": "invalid_request_error", "param": null,
            "code": if status == 401 { json!("1001") } else { Value::Null }})
        .to_string()
    }

    fn facts(&self, body: &Value) -> Facts {
        let mut facts = Completions.facts(body);
        if facts.choice == "any" {
            facts.choice = "required".into();
        }
        let thoughts = list(&body["messages"]).flat_map(|message| list(&message["content"]));
        assert!(thoughts.filter(|part| part["type"] == "thinking").all(|part| part["thinking"].is_array()));
        facts
    }
}
