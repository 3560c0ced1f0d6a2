//! Continuation on the same socket: the server remembers the previous request, so only new items are sent.
//! Pure.
//!
//! Conversations are compared by hashes of their items, so no second copy is kept.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value};

/// A request and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuation {
    /// Hash of everything except the conversation.
    rest: u64,
    /// Hashes of the conversation's items, including those of the answer.
    items: Vec<u64>,
    /// The id of the answer.
    response: String,
}

impl Continuation {
    /// Creates a continuation from a body, the `input` that the next body starts with if only results and
    /// user messages follow the answer, and the answer's id.
    pub fn new(body: &Map<String, Value>, after: &[Value], response: &str) -> Option<Self> {
        let before = input(body);
        // Calls without results got placeholders, for which the next request has the actual results.
        let (old, new) = after.split_at_checked(before.len())?;
        if old != before {
            return None;
        }
        let is_not_output =
            |item: &&Value| !item["type"].as_str().is_some_and(|kind| kind.ends_with("_call_output"));
        let items = old.iter().chain(new.iter().filter(is_not_output)).map(digest).collect();
        Some(Self { rest: rest(body), items, response: response.to_string() })
    }

    /// Returns the shortened body: the items after the answer. `None` if the body does not continue this
    /// conversation.
    pub fn delta_body(&self, body: &Map<String, Value>) -> Option<Map<String, Value>> {
        let (old, new) = input(body).split_at_checked(self.items.len())?;
        let goes_on = !new.is_empty()
            && rest(body) == self.rest
            && old.iter().map(digest).eq(self.items.iter().copied());
        goes_on.then(|| {
            let mut short: Map<String, Value> = body
                .iter()
                .filter(|(name, _)| *name != "input")
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            short.insert("previous_response_id".into(), self.response.clone().into());
            short.insert("input".into(), new.to_vec().into());
            short
        })
    }
}

fn input(body: &Map<String, Value>) -> &[Value] {
    body.get("input").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn rest(body: &Map<String, Value>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (name, value) in body.iter().filter(|(name, _)| *name != "input") {
        (name, value.to_string()).hash(&mut hasher);
    }
    hasher.finish()
}

fn digest(item: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    item.to_string().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn body(tools: &str, input: &Value) -> Map<String, Value> {
        json!({"model": "m", "tools": tools, "input": input}).as_object().cloned().unwrap()
    }

    fn after(first: &Value, all: &Value) -> Option<Continuation> {
        Continuation::new(&body("t", first), all.as_array().unwrap(), "resp_1")
    }

    #[test]
    fn codex_continuation_sends_only_new_input() {
        let call = json!({"type": "function_call", "call_id": "a"});
        let output = |said: &str| json!({"type": "function_call_output", "call_id": "a", "output": said});
        let known = after(&json!(["hi"]), &json!(["hi", "look", call, output("none")])).unwrap();
        let next = body("t", &json!(["hi", "look", call, output("found")]));
        let short = Value::Object(known.delta_body(&next).unwrap());
        let expected = json!({"model": "m", "tools": "t", "previous_response_id": "resp_1",
            "input": [output("found")]});
        assert_eq!(short.to_string(), expected.to_string(), "also the order of the fields");
        let answered = body("t", &json!(["hi", "look", call, output("found"), "and now?"]));
        let short = known.delta_body(&answered).unwrap();
        assert_eq!(short["input"], json!([output("found"), "and now?"]));
    }

    #[test]
    fn codex_continuation_mismatch_sends_full_input() {
        let known = after(&json!(["hi"]), &json!(["hi", "hello"])).unwrap();
        for other in [
            body("t", &json!(["hi", "hello"])),
            body("t", &json!(["hi"])),
            body("t", &json!([])),
            body("t", &json!(["ho", "hello", "more"])),
            body("t", &json!(["hi", "changed", "more"])),
            body("others", &json!(["hi", "hello", "more"])),
        ] {
            assert_eq!(known.delta_body(&other), None, "{other:?}");
        }
        assert!(known.delta_body(&body("t", &json!(["hi", "hello", "more"]))).is_some());
        assert_eq!(after(&json!(["hi"]), &json!(["changed", "hello"])), None);
        assert_eq!(after(&json!(["hi", "ho"]), &json!(["hi"])), None);
    }
}
