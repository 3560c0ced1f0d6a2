//! `openai-completions`.

use serde_json::{Value, json};

use super::{Answer, AnswerPart, Feature, ParsedRequest, Wire, WireStop, list, sse};

pub struct Completions;

impl Wire for Completions {
    fn api(&self) -> &'static str {
        "openai-completions"
    }

    fn supports(&self, feature: Feature) -> bool {
        !matches!(feature, Feature::Signatures | Feature::CacheWrites)
    }

    fn encode_events(&self, answer: &Answer) -> Vec<Vec<u8>> {
        let chunk = |delta: Value, reason: Option<&str>| {
            json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
        };
        let mut out = vec![chunk(json!({"role": "assistant", "content": ""}), None)];
        let mut calls = 0;
        for bit in &answer.parts {
            match bit {
                AnswerPart::Text(pieces) => {
                    out.extend(pieces.iter().map(|text| chunk(json!({"content": text}), None)));
                }
                AnswerPart::Thinking(pieces, _) => {
                    out.extend(pieces.iter().map(|text| chunk(json!({"reasoning_content": text}), None)));
                }
                AnswerPart::Call { id, name, args } => {
                    let call = |more: Value| {
                        let mut call = json!({"index": calls});
                        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                        chunk(json!({"tool_calls": [call]}), None)
                    };
                    let function = json!({"name": name, "arguments": ""});
                    out.push(call(json!({"id": id, "type": "function", "function": function})));
                    out.extend(args.iter().map(|args| call(json!({"function": {"arguments": args}}))));
                    calls += 1;
                }
            }
        }
        let reason = match answer.stop {
            WireStop::End => "stop",
            WireStop::Length => "length",
            WireStop::Tools => "tool_calls",
            WireStop::Refusal => "content_filter",
        };
        out.push(chunk(json!({}), Some(reason)));
        let counts = answer.tokens;
        let prompt = counts.input + counts.cache_reads;
        out.push(
            json!({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": counts.output,
            "total_tokens": prompt + counts.output, "prompt_tokens_details": {"cached_tokens": counts.cache_reads},
            "completion_tokens_details": {"reasoning_tokens": counts.reasoning}}}),
        );
        out.iter().map(sse).chain([b"data: [DONE]\n\n".to_vec()]).collect()
    }

    fn error_body(&self, status: u16, words: &str) -> String {
        let code = match status {
            401 => json!("invalid_api_key"),
            404 => json!("model_not_found"),
            429 => json!("rate_limit_exceeded"),
            500.. => json!("server_error"),
            _ => Value::Null,
        };
        json!({"error": {"message": words, "type": "invalid_request_error", "param": null, "code": code}})
            .to_string()
    }

    fn parse_request(&self, body: &Value) -> ParsedRequest {
        let messages: Vec<Value> = list(&body["messages"]).cloned().collect();
        let of = |role: &'static str| messages.iter().filter(move |message| message["role"] == role);
        let system = of("system").chain(of("developer")).filter_map(|m| m["content"].as_str());
        let calls = of("assistant").flat_map(|message| list(&message["tool_calls"]));
        let text = |value: &Value| value.as_str().unwrap().to_string();
        let parts = messages.iter().flat_map(|message| list(&message["content"]));
        let choice = match &body["tool_choice"] {
            Value::String(word) => word.clone(),
            Value::Null => (if body.get("tools").is_some() { "auto" } else { "none" }).to_string(),
            named => text(&named["function"]["name"]),
        };
        ParsedRequest {
            system: system.collect::<Vec<_>>().join("\n"),
            tools: list(&body["tools"]).map(|tool| text(&tool["function"]["name"])).collect(),
            choice,
            images: parts.filter(|part| part["type"] == "image_url").count(),
            calls: calls.map(|call| text(&call["id"])).collect(),
            results: of("tool").map(|message| text(&message["tool_call_id"])).collect(),
            schema: body["response_format"]["type"] == "json_schema",
            messages: messages.clone(),
        }
    }
}
