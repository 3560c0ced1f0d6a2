//! `anthropic-messages`.

use serde_json::{Value, json};

use super::{Answer, AnswerPart, Feature, ParsedRequest, Wire, WireStop, list, sse, texts};

pub struct Anthropic;

impl Wire for Anthropic {
    fn api(&self) -> &'static str {
        "anthropic-messages"
    }

    fn supports(&self, feature: Feature) -> bool {
        feature != Feature::ReasoningCounts
    }

    fn encode_events(&self, answer: &Answer) -> Vec<Vec<u8>> {
        let counts = answer.tokens;
        let usage = json!({"input_tokens": counts.input, "cache_read_input_tokens": counts.cache_reads,
            "cache_creation_input_tokens": counts.cache_writes, "output_tokens": 1});
        let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [], "stop_reason": null, "usage": usage});
        let mut out = vec![json!({"type": "message_start", "message": message}), json!({"type": "ping"})];
        for (index, bit) in answer.parts.iter().enumerate() {
            let delta = |delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
            let (block, deltas): (Value, Vec<Value>) = match bit {
                AnswerPart::Text(pieces) => (
                    json!({"type": "text", "text": ""}),
                    pieces.iter().map(|text| delta(json!({"type": "text_delta", "text": text}))).collect(),
                ),
                AnswerPart::Thinking(pieces, signature) => {
                    let text = pieces.iter().map(|text| json!({"type": "thinking_delta", "thinking": text}));
                    let sign = json!({"type": "signature_delta", "signature": signature});
                    (json!({"type": "thinking", "thinking": ""}), text.chain([sign]).map(delta).collect())
                }
                AnswerPart::Call { id, name, args } => (
                    json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
                    args.iter()
                        .map(|json| delta(json!({"type": "input_json_delta", "partial_json": json})))
                        .collect(),
                ),
            };
            out.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
            out.extend(deltas);
            out.push(json!({"type": "content_block_stop", "index": index}));
        }
        let reason = match answer.stop {
            WireStop::End => "end_turn",
            WireStop::Length => "max_tokens",
            WireStop::Tools => "tool_use",
            WireStop::Refusal => "refusal",
        };
        out.push(json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": counts.output}}));
        out.push(json!({"type": "message_stop"}));
        out.iter().map(sse).collect()
    }

    fn error_body(&self, status: u16, words: &str) -> String {
        let name = match status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            500.. => "api_error",
            _ => "invalid_request_error",
        };
        json!({"type": "error", "error": {"type": name, "message": words}}).to_string()
    }

    fn parse_request(&self, body: &Value) -> ParsedRequest {
        let mut messages: Vec<Value> = list(&body["messages"]).cloned().collect();
        for block in messages.iter_mut().filter_map(|message| message["content"].as_array_mut()).flatten() {
            block.as_object_mut().unwrap().shift_remove("cache_control");
        }
        let blocks = || messages.iter().flat_map(|message| list(&message["content"]));
        let inner = blocks().flat_map(|block| std::iter::once(block).chain(list(&block["content"])));
        let of = |kind: &'static str, name: &'static str| {
            let found = blocks().filter(move |block| block["type"] == kind);
            found.map(|block| block[name].as_str().unwrap().to_string()).collect::<Vec<_>>()
        };
        let choice = match body["tool_choice"]["type"].as_str() {
            Some("any") => "required",
            Some("tool") => body["tool_choice"]["name"].as_str().unwrap(),
            Some(other) => other,
            None if body.get("tools").is_none() => "none",
            None => "auto",
        };
        let tools = texts(&body["tools"], "name");
        ParsedRequest {
            system: texts(&body["system"], "text").join("\n"),
            schema: tools.iter().any(|name| name == "shape") || body["output_config"]["format"].is_object(),
            tools,
            choice: choice.to_string(),
            images: inner.filter(|block| block["type"] == "image").count(),
            calls: of("tool_use", "id"),
            results: of("tool_result", "tool_use_id"),
            messages: messages.clone(),
        }
    }
}
