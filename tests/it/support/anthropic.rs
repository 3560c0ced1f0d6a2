//! Anthropic's wire format, for a server's script.

use serde_json::{Value, json};

use super::server::{Piece, Reply};

/// An error as Anthropic says it.
pub fn error_reply(code: u16, name: &str, message: &str) -> Reply {
    let body = json!({"type": "error", "error": {"type": name, "message": message}}).to_string();
    Reply::Status { code, headers: vec![("content-type", "application/json".into())], body }
}

/// The events that open an answer.
pub fn open() -> Vec<Piece> {
    let usage = json!({"input_tokens": 12, "output_tokens": 1});
    vec![Piece::Event(json!({"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5", "content": [],
        "stop_reason": null, "usage": usage}}))]
}

/// A text block with one delta each.
pub fn text(index: usize, deltas: &[&str]) -> Vec<Piece> {
    let start =
        json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}});
    let deltas = deltas.iter().map(|text| {
        json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}})
    });
    let stop = json!({"type": "content_block_stop", "index": index});
    std::iter::once(start).chain(deltas).chain([stop]).map(Piece::Event).collect()
}

/// A block of thinking.
pub fn thinking(index: usize, text: &str) -> Vec<Piece> {
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    [
        json!({"type": "content_block_start", "index": index, "content_block": {"type": "thinking", "thinking": ""}}),
        delta(json!({"type": "thinking_delta", "thinking": text})),
        delta(json!({"type": "signature_delta", "signature": "c2ln"})),
        json!({"type": "content_block_stop", "index": index}),
    ]
    .map(Piece::Event)
    .to_vec()
}

/// A tool call.
pub fn tool_call(index: usize, id: &str, name: &str, args: &Value) -> Vec<Piece> {
    let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
    let delta = json!({"type": "input_json_delta", "partial_json": args.to_string()});
    [
        json!({"type": "content_block_start", "index": index, "content_block": block}),
        json!({"type": "content_block_delta", "index": index, "delta": delta}),
        json!({"type": "content_block_stop", "index": index}),
    ]
    .map(Piece::Event)
    .to_vec()
}

/// The events that close an answer.
pub fn close(reason: &str) -> Vec<Piece> {
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    let usage = json!({"output_tokens": 9});
    [json!({"type": "message_delta", "delta": delta, "usage": usage}), json!({"type": "message_stop"})]
        .map(Piece::Event)
        .to_vec()
}

/// A whole answer of one text.
pub fn text_reply(words: &str) -> Reply {
    Reply::Stream([open(), text(0, &[words]), close("end_turn")].concat())
}

/// A whole answer of one tool call.
pub fn tool_call_reply(id: &str, name: &str, args: &Value) -> Reply {
    Reply::Stream([open(), tool_call(0, id, name, args), close("tool_use")].concat())
}
