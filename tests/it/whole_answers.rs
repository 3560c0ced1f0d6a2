//! Answers of every dialect as servers send them that do not stream, or that count oddly.

use bowline::llm::model::{ErrorKind, StopReason, StreamEvent};
use serde_json::{Value, json};

use crate::conformance::{adapter, check_event_order, request};
use crate::support::server::{Piece, Reply, Server};
use crate::support::wires::{WIRES, Wire};
use futures::StreamExt;

/// Text and a call, as the dialect's answer without a stream.
fn unary_response(api: &str) -> Value {
    let arguments = json!({"path": "a.rs"});
    match api {
        "anthropic-messages" => json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "Hello."},
                {"type": "tool_use", "id": "call_a1b2", "name": "read", "input": arguments}],
            "stop_reason": "tool_use", "usage": {"input_tokens": 100, "output_tokens": 7}}),
        "bedrock-converse-stream" => json!({"output": {"message": {"role": "assistant", "content": [
                {"text": "Hello."},
                {"toolUse": {"toolUseId": "call_a1b2", "name": "read", "input": arguments}}]}},
            "stopReason": "tool_use", "usage": {"inputTokens": 100, "outputTokens": 7}}),
        "openai-completions" | "mistral-conversations" => {
            json!({"id": "c1", "object": "chat.completion", "model": "m",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant",
                "content": "Hello.", "tool_calls": [{"id": "call_a1b2", "type": "function",
                    "function": {"name": "read", "arguments": arguments.to_string()}}]}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 7}})
        }
        "google-generative-ai" | "google-vertex" => {
            json!({"responseId": "r1", "candidates": [{"finishReason": "STOP",
            "content": {"role": "model", "parts": [{"text": "Hello."},
                {"functionCall": {"name": "read", "args": arguments}}]}}],
            "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 7}})
        }
        _ => json!({"id": "resp_1", "object": "response", "status": "completed", "output": [
                {"type": "message", "id": "msg_1", "role": "assistant",
                    "content": [{"type": "output_text", "text": "Hello."}]},
                {"type": "function_call", "id": "fc_1", "call_id": "call_a1b2", "name": "read",
                    "arguments": arguments.to_string()}],
            "usage": {"input_tokens": 100, "output_tokens": 7}}),
    }
}

async fn collect_events(wire: &dyn Wire, pieces: Vec<Piece>) -> Vec<StreamEvent> {
    let server = Server::start(vec![Reply::Stream(pieces)]);
    adapter(wire, &server.url).stream(request(wire)).collect().await
}

/// Every dialect but the socket, where each message is an event.
fn wires() -> impl Iterator<Item = &'static &'static dyn Wire> {
    WIRES.iter().filter(|wire| !wire.is_socket())
}

#[tokio::test]
async fn stream_request_accepts_json_reply() {
    for wire in wires() {
        let api = wire.api();
        let answer = unary_response(api);
        let mut forms = vec![answer.to_string(), serde_json::to_string_pretty(&answer).unwrap()];
        if api.starts_with("google") {
            forms.push(json!([answer]).to_string());
        }
        for text in forms {
            let pieces = text.into_bytes().chunks(50).map(|piece| Piece::Raw(piece.to_vec())).collect();
            let events = collect_events(*wire, pieces).await;
            check_event_order(*wire, &events, false);
            let Some(StreamEvent::Done { message }) = events.last() else { panic!("{api}: {events:?}") };
            let calls: Vec<_> = message.tool_calls().map(|call| (&*call.name, &call.arguments)).collect();
            assert_eq!(
                (message.text().as_str(), calls),
                ("Hello.", vec![("read", &json!({"path": "a.rs"}))]),
                "{api}"
            );
            assert_eq!(message.stop_reason, StopReason::ToolUse, "{api}");
            assert_eq!((message.usage.input, message.usage.output), (100, 7), "{api}");
        }
    }
}

#[tokio::test]
async fn stream_request_truncated_json_reply_is_retryable() {
    for wire in wires() {
        let half = unary_response(wire.api()).to_string().into_bytes()[..60].to_vec();
        for pieces in [vec![Piece::Raw(half.clone())], vec![Piece::Raw(half.clone()), Piece::Cut]] {
            let events = collect_events(*wire, pieces).await;
            let Some(StreamEvent::Error { error, .. }) = events.last() else { panic!("{events:?}") };
            assert!(error.retryable(), "{}: {error}", wire.api());
            assert_eq!(error.kind, ErrorKind::Stream, "{}: {error}", wire.api());
        }
    }
}
