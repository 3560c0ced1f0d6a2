//! Amazon's binary event stream: frames for a server's script, taken apart and put together again.
//! The checksums are counted bit by bit: a second opinion on the decoder's.

use serde_json::Value;

use super::server::Piece;

/// One event.
pub fn event(name: &str, payload: &Value) -> Piece {
    Piece::Raw(bytes(name, payload))
}

/// The bytes of one event.
pub fn bytes(name: &str, payload: &Value) -> Vec<u8> {
    let headers = [(":event-type", name), (":content-type", "application/json"), (":message-type", "event")];
    seal(&block(&headers), payload.to_string().as_bytes())
}

/// One exception.
pub fn exception(name: &str, payload: &Value) -> Piece {
    let headers = [(":message-type", "exception"), (":exception-type", name)];
    Piece::Raw(seal(&block(&headers), payload.to_string().as_bytes()))
}

/// Headers, each a text.
fn block(headers: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (key, value) in headers {
        block.push(key.len() as u8);
        block.extend_from_slice(key.as_bytes());
        block.push(7);
        block.extend_from_slice(&(value.len() as u16).to_be_bytes());
        block.extend_from_slice(value.as_bytes());
    }
    block
}

/// The headers and the payload of a whole frame.
pub fn open(frame: &[u8]) -> (&[u8], &[u8]) {
    let headers = u32::from_be_bytes(frame[4..8].try_into().unwrap()) as usize;
    frame[12..frame.len() - 4].split_at(headers)
}

/// A frame: lengths, their checksum, headers, payload, the checksum of all.
pub fn seal(headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let total = (16 + headers.len() + payload.len()) as u32;
    let mut frame = [total.to_be_bytes(), (headers.len() as u32).to_be_bytes()].concat();
    frame.extend_from_slice(&crc(&frame).to_be_bytes());
    frame.extend_from_slice(headers);
    frame.extend_from_slice(payload);
    frame.extend_from_slice(&crc(&frame).to_be_bytes());
    frame
}

/// CRC-32.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    })
}
