//! Amazon's binary event stream, for a server's script.

use serde_json::Value;

use super::server::Piece;

/// One event.
pub fn event(name: &str, payload: &Value) -> Piece {
    Piece::Raw(bytes(name, payload))
}

/// The bytes of one event.
pub fn bytes(name: &str, payload: &Value) -> Vec<u8> {
    frame(&[(":message-type", "event"), (":event-type", name)], payload)
}

/// One exception.
pub fn exception(name: &str, payload: &Value) -> Piece {
    Piece::Raw(frame(&[(":message-type", "exception"), (":exception-type", name)], payload))
}

fn frame(headers: &[(&str, &str)], payload: &Value) -> Vec<u8> {
    let payload = payload.to_string();
    let mut block = Vec::new();
    for (key, value) in headers {
        block.push(key.len() as u8);
        block.extend_from_slice(key.as_bytes());
        block.push(7);
        block.extend_from_slice(&(value.len() as u16).to_be_bytes());
        block.extend_from_slice(value.as_bytes());
    }
    let total = (16 + block.len() + payload.len()) as u32;
    let mut frame = [total.to_be_bytes(), (block.len() as u32).to_be_bytes()].concat();
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    frame.extend_from_slice(&block);
    frame.extend_from_slice(payload.as_bytes());
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    frame
}
