//! A request as Anthropic's JSON. Pure: equal requests give equal bytes, which caching needs.
//!
//! No sampling parameter is ever sent: newer models refuse all of them.

use serde_json::{Map, Value, json};

use super::transcript::{self, cache_mark};
use crate::llm::model::{Model, Request, Thinking, ToolChoice, ToolSpec};

/// Smallest thinking budget that the API takes, and the least that we leave for the answer.
const BUDGET_MIN: u64 = 1024;
/// Tokens left free in the context window beside prompt and answer.
const WINDOW_RESERVE: u64 = 4096;

/// Models whose thinking blocks are valid only behind the very prompt and messages that they
/// were made behind. Where those have changed since (another tool, an edited `AGENTS.md`), the
/// server is to drop the blocks: refusing the request would end the session for good.
const BOUND: &str = "boundThinking";

/// The beta that a request to this model needs.
pub fn beta(model: &Model) -> Option<&'static str> {
    model.flag(BOUND).then_some("thinking-binding-controls-2026-08-01")
}

/// The body of `POST /v1/messages`.
pub fn body(request: &Request) -> Value {
    let mut messages = transcript::build(&request.messages, &request.model);
    transcript::mark_cache(&mut messages);
    let max_tokens = max_tokens(request, &messages);
    let mut body = Map::new();
    body.insert("model".into(), request.model.id.clone().into());
    body.insert("max_tokens".into(), max_tokens.into());
    body.insert("stream".into(), true.into());
    if let Some(system) = system(&request.system) {
        body.insert("system".into(), system);
    }
    // Without tools the model cannot call any: that is how `None` is said here.
    if request.tool_choice != ToolChoice::None && !request.tools.is_empty() {
        body.insert("tools".into(), tools(&request.tools));
    }
    if let Some(choice) = tool_choice(&request.tool_choice) {
        body.insert("tool_choice".into(), choice);
    }
    thinking(&mut body, &request.model, request.thinking, max_tokens);
    body.insert("messages".into(), Value::Array(messages));
    Value::Object(body)
}

fn system(parts: &[String]) -> Option<Value> {
    let texts = parts.iter().filter(|text| !text.trim().is_empty());
    let mut blocks: Vec<Value> = texts.map(|text| json!({"type": "text", "text": text})).collect();
    blocks.last_mut()?["cache_control"] = cache_mark();
    Some(Value::Array(blocks))
}

fn tools(specs: &[ToolSpec]) -> Value {
    let mut tools: Vec<Value> = specs
        .iter()
        .map(|s| json!({"name": s.name, "description": s.description, "input_schema": s.parameters}))
        .collect();
    if let Some(last) = tools.last_mut() {
        last["cache_control"] = cache_mark();
    }
    Value::Array(tools)
}

fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto | ToolChoice::None => None,
        ToolChoice::Required => Some(json!({"type": "any"})),
        ToolChoice::Named(name) => Some(json!({"type": "tool", "name": name})),
    }
}

/// What was asked for or the model's own limit, but never more than the window has left. The
/// prompt is estimated at 3.5 bytes a token.
fn max_tokens(request: &Request, messages: &[Value]) -> u64 {
    let wished = request.max_tokens.unwrap_or(request.model.max_tokens).min(request.model.max_tokens);
    let tools: usize = request.tools.iter().map(|t| t.description.len() + 500).sum();
    let system: usize = request.system.iter().map(String::len).sum();
    let prompt = (transcript::size(messages) + tools + system) as u64 * 2 / 7;
    let left = request.model.context_window.saturating_sub(prompt + WINDOW_RESERVE);
    wished.min(left).max(1)
}

fn thinking(body: &mut Map<String, Value>, model: &Model, level: Thinking, max_tokens: u64) {
    if !model.reasoning {
        return;
    }
    let level = model.nearest_level(level);
    if model.flag("forceAdaptiveThinking") {
        let word = model.thinking_level_map.get(level.name()).cloned().flatten();
        match word.as_deref() {
            Some("disabled") => {
                body.insert("thinking".into(), json!({"type": "disabled"}));
            }
            word => {
                // Without `display` newer models send thinking blocks without their text.
                let mut thinking = json!({"type": "adaptive", "display": "summarized"});
                if model.flag(BOUND) {
                    thinking["block_binding"] = json!({"prefix_mismatch_behavior": "drop_block"});
                }
                body.insert("thinking".into(), thinking);
                if let Some(effort) = word {
                    body.insert("output_config".into(), json!({"effort": effort}));
                }
            }
        }
        return;
    }
    let budget = budget(level).min(max_tokens.saturating_sub(BUDGET_MIN));
    if level != Thinking::Off && budget >= BUDGET_MIN {
        body.insert("thinking".into(), json!({"type": "enabled", "budget_tokens": budget}));
    }
}

/// pi's budgets; the three deepest levels are the same here.
fn budget(level: Thinking) -> u64 {
    match level {
        Thinking::Off => 0,
        Thinking::Minimal => 1024,
        Thinking::Low => 2048,
        Thinking::Medium => 8192,
        Thinking::High | Thinking::Xhigh | Thinking::Max => 16_384,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::catalog::Catalog;
    use crate::llm::model::{Message, UserMessage};

    fn request(model: &str) -> Request {
        let model = Catalog::builtin().model("anthropic", model).unwrap();
        let spec = |name: &str| ToolSpec {
            name: name.into(),
            description: "does".into(),
            parameters: json!({"type": "object"}),
            ..ToolSpec::default()
        };
        Request {
            model: (*model).clone(),
            system: vec!["one".into(), String::new(), "two".into()],
            messages: vec![Message::User(UserMessage::text("hi", 0))],
            tools: vec![spec("read"), spec("write")],
            tool_choice: ToolChoice::Auto,
            thinking: Thinking::Medium,
            max_tokens: None,
            session_id: None,
            ..Request::default()
        }
    }

    #[test]
    fn the_whole_body_of_a_first_request() {
        let mark = json!({"type": "ephemeral"});
        let expected = json!({
            "model": "claude-opus-5-5", "max_tokens": 128_000, "stream": true,
            "system": [{"type": "text", "text": "one"}, {"type": "text", "text": "two", "cache_control": mark}],
            "tools": [
                {"name": "read", "description": "does", "input_schema": {"type": "object"}},
                {"name": "write", "description": "does", "input_schema": {"type": "object"}, "cache_control": mark}],
            "thinking": {"type": "adaptive", "display": "summarized",
                "block_binding": {"prefix_mismatch_behavior": "drop_block"}},
            "output_config": {"effort": "medium"},
            "messages": [{"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": mark}]}],
        });
        assert_eq!(body(&request("claude-opus-5-5")), expected);
    }

    #[test]
    fn thinking_by_model_and_level() {
        let of = |model: &str, level| {
            let body = body(&Request { thinking: level, ..request(model) });
            (body.get("thinking").cloned(), body.get("output_config").cloned())
        };
        let budget = |n: u64| (Some(json!({"type": "enabled", "budget_tokens": n})), None);
        assert_eq!(of("claude-haiku-4-5", Thinking::Low), budget(2048));
        assert_eq!(of("claude-haiku-4-5", Thinking::Xhigh), budget(16_384));
        assert_eq!(of("claude-haiku-4-5", Thinking::Off), (None, None));
        assert_eq!(of("claude-opus-5", Thinking::Off), (Some(json!({"type": "disabled"})), None));
        let plain = json!({"type": "adaptive", "display": "summarized"});
        assert_eq!(of("claude-opus-5", Thinking::High).0, Some(plain));
        // A model that cannot stop thinking does as little of it as it can.
        assert_eq!(of("claude-opus-5-5", Thinking::Off).1, Some(json!({"effort": "low"})));
    }

    #[test]
    fn a_budget_leaves_room_for_the_answer() {
        let of = |max| {
            let body = body(&Request {
                max_tokens: Some(max),
                thinking: Thinking::High,
                ..request("claude-haiku-4-5")
            });
            (body["max_tokens"].as_u64().unwrap(), body["thinking"]["budget_tokens"].as_u64())
        };
        assert_eq!(of(9_000), (9_000, Some(7_976)));
        assert_eq!(of(2_047), (2_047, None));
        assert_eq!(of(1_000_000), (64_000, Some(16_384)));
    }

    #[test]
    fn a_full_window_shrinks_the_answer() {
        let long = Message::User(UserMessage::text("x".repeat(500_000), 0));
        let body = body(&Request { messages: vec![long], ..request("claude-haiku-4-5") });
        let max = body["max_tokens"].as_u64().unwrap();
        assert!((50_000..54_000).contains(&max), "{max}");
    }

    #[test]
    fn tool_choices() {
        let of = |choice| {
            let body = body(&Request { tool_choice: choice, ..request("claude-haiku-4-5") });
            (body.get("tools").is_some(), body.get("tool_choice").cloned())
        };
        assert_eq!(of(ToolChoice::None), (false, None));
        assert_eq!(of(ToolChoice::Required), (true, Some(json!({"type": "any"}))));
        assert_eq!(of(ToolChoice::Named("x".into())), (true, Some(json!({"type": "tool", "name": "x"}))));
    }
}
