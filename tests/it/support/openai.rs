//! The Chat Completions wire format, for a server's script.

use serde_json::{Value, json};

use super::server::{Piece, Reply};

/// A chunk with one delta.
pub fn delta(delta: &Value) -> Piece {
    Piece::Event(
        json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}]}),
    )
}

/// A text in pieces.
pub fn text(deltas: &[&str]) -> Vec<Piece> {
    deltas.iter().map(|text| delta(&json!({"content": text}))).collect()
}

/// A tool call whose arguments come after its name.
pub fn tool_call(index: usize, id: &str, name: &str, args: &Value) -> Vec<Piece> {
    let function = json!({"name": name, "arguments": ""});
    let first = json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]});
    let then = json!({"tool_calls": [{"index": index, "function": {"arguments": args.to_string()}}]});
    vec![delta(&first), delta(&then)]
}

/// The end of an answer: why, the counts, the mark.
pub fn close(reason: &str) -> Vec<Piece> {
    let usage = json!({"prompt_tokens": 12, "completion_tokens": 9, "total_tokens": 21,
        "prompt_tokens_details": {"cached_tokens": 8}});
    vec![
        Piece::Event(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": null})),
        Piece::Event(json!({"choices": [], "usage": usage})),
        Piece::Raw(b"data: [DONE]\n\n".to_vec()),
    ]
}

/// A whole answer of one text.
pub fn text_reply(words: &str) -> Reply {
    Reply::Stream([text(&[words]), close("stop")].concat())
}

/// A whole answer of one tool call.
pub fn tool_call_reply(id: &str, name: &str, args: &Value) -> Reply {
    Reply::Stream([tool_call(0, id, name, args), close("tool_calls")].concat())
}

/// An error as it is said in the body of an answer.
pub fn error_reply(code: u16, name: &str, message: &str) -> Reply {
    let error = json!({"message": message, "type": "invalid_request_error", "param": null, "code": name});
    let headers = vec![("content-type", "application/json".into())];
    Reply::Status { code, headers, body: json!({"error": error}).to_string() }
}
