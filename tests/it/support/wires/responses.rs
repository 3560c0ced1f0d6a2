//! `openai-responses` and the two dialects that speak the same: Azure's, and the one behind a login.

use serde_json::{Value, json};

use super::{Answer, AnswerPart, Feature, ParsedRequest, Wire, WireStop, list, sse, texts};

pub struct Responses(pub &'static str);

/// The one that answers over a WebSocket, too.
pub struct Socket;

impl Wire for Socket {
    fn api(&self) -> &'static str {
        "openai-codex-responses"
    }

    fn supports(&self, feature: Feature) -> bool {
        Responses(self.api()).supports(feature)
    }

    fn encode_events(&self, answer: &Answer) -> Vec<Vec<u8>> {
        Responses(self.api()).encode_events(answer)
    }

    fn error_body(&self, status: u16, words: &str) -> String {
        Responses(self.api()).error_body(status, words)
    }

    fn parse_request(&self, body: &Value) -> ParsedRequest {
        Responses(self.api()).parse_request(body)
    }

    fn account(&self) -> Vec<(&'static str, &'static str)> {
        Responses(self.api()).account()
    }

    fn is_socket(&self) -> bool {
        true
    }
}

impl Wire for Responses {
    fn api(&self) -> &'static str {
        self.0
    }

    fn supports(&self, feature: Feature) -> bool {
        feature != Feature::CacheWrites
    }

    fn encode_events(&self, answer: &Answer) -> Vec<Vec<u8>> {
        let response = |status: &str, more: Value| {
            let mut response = json!({"id": "resp_1", "object": "response", "model": "m", "status": status});
            response.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            response
        };
        let started = response("in_progress", json!({"output": []}));
        let mut out = vec![
            json!({"type": "response.created", "response": started}),
            json!({"type": "response.in_progress", "response": started}),
        ];
        out.extend(answer.parts.iter().enumerate().flat_map(|(index, bit)| item_events(index, bit)));
        let counts = answer.tokens;
        let read = counts.input + counts.cache_reads;
        let usage = json!({"input_tokens": read, "output_tokens": counts.output,
            "total_tokens": read + counts.output, "input_tokens_details": {"cached_tokens": counts.cache_reads},
            "output_tokens_details": {"reasoning_tokens": counts.reasoning}});
        let ended = |status: &str, reason: &str| {
            let details = if reason.is_empty() { Value::Null } else { json!({"reason": reason}) };
            let whole = response(status, json!({"usage": usage, "incomplete_details": details}));
            json!({"type": format!("response.{status}"), "response": whole})
        };
        out.push(match answer.stop {
            WireStop::End | WireStop::Tools => ended("completed", ""),
            WireStop::Length => ended("incomplete", "max_output_tokens"),
            WireStop::Refusal => ended("incomplete", "content_filter"),
        });
        out.iter().map(sse).collect()
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
        let items: Vec<Value> = list(&body["input"]).cloned().collect();
        let of = |kind: &'static str| {
            let found = items.iter().filter(move |item| item["type"] == kind);
            found.map(|item| item["call_id"].as_str().unwrap().to_string()).collect::<Vec<_>>()
        };
        let blocks = items.iter().flat_map(|item| list(&item["content"]).chain(list(&item["output"])));
        let choice = match &body["tool_choice"] {
            Value::String(word) => word.clone(),
            Value::Null => "auto".to_string(),
            named => named["name"].as_str().unwrap().to_string(),
        };
        ParsedRequest {
            system: body["instructions"].as_str().unwrap_or_default().to_string(),
            tools: texts(&body["tools"], "name"),
            choice,
            images: blocks.filter(|block| block["type"] == "input_image").count(),
            calls: of("function_call"),
            results: of("function_call_output"),
            schema: body["text"]["format"]["type"] == "json_schema",
            messages: items.clone(),
        }
    }

    fn account(&self) -> Vec<(&'static str, &'static str)> {
        vec![("accountId", "account-1")]
    }
}

/// The events of one part of an answer.
fn item_events(index: usize, bit: &AnswerPart) -> Vec<Value> {
    let event = |kind: &str, more: Value| {
        let mut event = json!({"type": format!("response.{kind}"), "output_index": index});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let (empty, whole, deltas): (Value, Value, Vec<Value>) = match bit {
        AnswerPart::Text(pieces) => {
            let item = |status: &str, content: Value| {
                json!({"id": "msg_1", "type": "message", "role": "assistant", "status": status,
                    "content": content})
            };
            let content = json!([{"type": "output_text", "text": pieces.concat(), "annotations": []}]);
            let delta = |text: &&str| event("output_text.delta", json!({"content_index": 0, "delta": text}));
            (item("in_progress", json!([])), item("completed", content), pieces.iter().map(delta).collect())
        }
        AnswerPart::Thinking(pieces, signature) => {
            let item = |summary: Value, secret: Value| json!({"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": secret});
            let summary = json!([{"type": "summary_text", "text": pieces.concat()}]);
            let part = json!({"type": "summary_text", "text": ""});
            let added = event("reasoning_summary_part.added", json!({"summary_index": 0, "part": part}));
            let delta = |text: &&str| {
                event("reasoning_summary_text.delta", json!({"summary_index": 0, "delta": text}))
            };
            let deltas = std::iter::once(added).chain(pieces.iter().map(delta)).collect();
            (item(json!([]), Value::Null), item(summary, (*signature).into()), deltas)
        }
        AnswerPart::Call { id, name, args } => {
            let item = |args: String| {
                json!({"id": format!("fc_{id}"), "type": "function_call", "call_id": id, "name": name,
                    "arguments": args})
            };
            let delta = |args: &String| event("function_call_arguments.delta", json!({"delta": args}));
            let done = event("function_call_arguments.done", json!({"arguments": args.concat()}));
            let deltas = args.iter().map(delta).chain([done]).collect();
            (item(String::new()), item(args.concat()), deltas)
        }
    };
    let mut out = vec![event("output_item.added", json!({"item": empty}))];
    out.extend(deltas);
    out.push(event("output_item.done", json!({"item": whole})));
    out
}
