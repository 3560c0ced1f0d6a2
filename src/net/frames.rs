//! Decoder of Amazon's binary event stream (`application/vnd.amazon.eventstream`). A frame is: total length,
//! length of headers, checksum of both; headers; payload; checksum of everything. Numbers are big-endian,
//! checksums CRC-32.
//!
//! Must not know what events mean. Every byte is read a bounded number of times.

use std::mem;

use super::sse::Event;

/// Bytes of the two lengths and their checksum.
const PRELUDE: usize = 12;
/// Bytes of the checksum at the end.
const TRAILER: usize = 4;
/// Maximum bytes of a frame: Amazon's own limit is 16 MiB of payload and 128 KiB of headers.
pub const FRAME_BYTES_MAX: usize = 17 << 20;

/// Why bytes are not a valid frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The lengths are impossible.
    #[error("a frame of {0} bytes with {1} bytes of headers")]
    Length(u32, u32),
    /// A checksum is wrong.
    #[error("a frame of the stream was damaged on its way")]
    Checksum,
    /// The headers are inconsistent.
    #[error("the headers of a frame make no sense")]
    Headers,
}

/// Incremental decoder of one stream.
#[derive(Debug, Default)]
pub struct Decoder {
    /// An incomplete frame.
    rest: Vec<u8>,
}

impl Decoder {
    /// Decodes bytes of the stream and appends complete events. The name of an event is its `:event-type`, or
    /// `:exception-type` prefixed with an exclamation mark.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Event>) -> Result<(), FrameError> {
        self.rest.extend_from_slice(bytes);
        let rest = mem::take(&mut self.rest);
        let mut at = 0;
        while let Some(total) = frame_len(&rest[at..])? {
            let Some(frame) = rest.get(at..at + total) else { break };
            out.push(event(frame)?);
            at += total;
        }
        self.rest = if at == 0 { rest } else { rest[at..].to_vec() };
        Ok(())
    }
}

/// Returns the length of the frame that starts here, once it is known.
fn frame_len(bytes: &[u8]) -> Result<Option<usize>, FrameError> {
    let Some((total, headers, check)) =
        number(bytes, 0).zip(number(bytes, 4)).zip(number(bytes, 8)).map(|((a, b), c)| (a, b, c))
    else {
        return Ok(None);
    };
    if crc32fast::hash(&bytes[..8]) != check {
        return Err(FrameError::Checksum);
    }
    let least = (PRELUDE + TRAILER) as u64 + u64::from(headers);
    if u64::from(total) < least || total as usize > FRAME_BYTES_MAX {
        return Err(FrameError::Length(total, headers));
    }
    Ok(Some(total as usize))
}

fn event(frame: &[u8]) -> Result<Event, FrameError> {
    let body = frame.len() - TRAILER;
    if number(frame, body) != Some(crc32fast::hash(&frame[..body])) {
        return Err(FrameError::Checksum);
    }
    let headers = number(frame, 4).ok_or(FrameError::Headers)? as usize;
    let name = name(&frame[PRELUDE..PRELUDE + headers])?;
    let data = String::from_utf8_lossy(&frame[PRELUDE + headers..body]).into_owned();
    Ok(Event { name, data })
}

/// Returns the name of the event from its headers: each is a length byte, a name, a type, a value.
fn name(mut headers: &[u8]) -> Result<String, FrameError> {
    let mut found = String::new();
    while !headers.is_empty() {
        let key = take(&mut headers, 1)?[0];
        let key = take(&mut headers, key.into())?;
        let kind = take(&mut headers, 1)?[0];
        let len = match kind {
            0 | 1 => 0,
            2 => 1,
            3 => 2,
            4 => 4,
            5 | 8 => 8,
            6 | 7 => {
                let len = take(&mut headers, 2)?;
                usize::from(u16::from_be_bytes([len[0], len[1]]))
            }
            9 => 16,
            _ => return Err(FrameError::Headers),
        };
        let value = take(&mut headers, len)?;
        let is_text = kind == 7;
        match key {
            b":event-type" if is_text => found = String::from_utf8_lossy(value).into_owned(),
            b":exception-type" | b":error-code" if is_text => {
                found = format!("!{}", String::from_utf8_lossy(value));
            }
            _ => {}
        }
    }
    Ok(found)
}

fn take<'a>(bytes: &mut &'a [u8], len: usize) -> Result<&'a [u8], FrameError> {
    let (head, tail) = bytes.split_at_checked(len).ok_or(FrameError::Headers)?;
    *bytes = tail;
    Ok(head)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Returns the bytes of a frame with text headers, for tests of decoders.
#[cfg(test)]
pub fn encode(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    for (key, value) in headers {
        block.push(key.len() as u8);
        block.extend_from_slice(key.as_bytes());
        block.push(7);
        block.extend_from_slice(&(value.len() as u16).to_be_bytes());
        block.extend_from_slice(value.as_bytes());
    }
    let total = (PRELUDE + block.len() + payload.len() + TRAILER) as u32;
    let mut frame = total.to_be_bytes().to_vec();
    frame.extend_from_slice(&(block.len() as u32).to_be_bytes());
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    frame.extend_from_slice(&block);
    frame.extend_from_slice(payload);
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    frame
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(pieces: &[&[u8]]) -> Result<Vec<(String, String)>, FrameError> {
        let mut decoder = Decoder::default();
        let mut out = Vec::new();
        for piece in pieces {
            decoder.push(piece, &mut out)?;
        }
        Ok(out.into_iter().map(|event| (event.name, event.data)).collect())
    }

    #[test]
    fn frames_minimal_message_from_documentation() {
        // The smallest legal message: no headers, no payload.
        let empty = [0, 0, 0, 16, 0, 0, 0, 0, 0x05, 0xc2, 0x48, 0xeb, 0x7d, 0x98, 0xc8, 0xff];
        assert_eq!(decode(&[&empty]), Ok(vec![(String::new(), String::new())]));
        assert_eq!(encode(&[], b""), empty);
    }

    #[test]
    fn frames_event_and_exception_names() {
        let frame = encode(&[(":message-type", "event"), (":event-type", "messageStart")], b"{}");
        assert_eq!(decode(&[&frame]), Ok(vec![("messageStart".into(), "{}".into())]));
        let frame = encode(&[(":exception-type", "throttlingException")], b"{\"message\":\"slow\"}");
        assert_eq!(decode(&[&frame]).unwrap()[0].0, "!throttlingException");
    }

    #[test]
    fn frames_damage_is_error() {
        let frame = encode(&[(":event-type", "x")], b"payload");
        for at in 0..frame.len() {
            let mut bad = frame.clone();
            bad[at] ^= 0x40;
            assert!(decode(&[&bad]).is_err(), "byte {at}");
        }
        let mut huge = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0].to_vec();
        huge.extend_from_slice(&crc32fast::hash(&huge).to_be_bytes());
        assert_eq!(decode(&[&huge]), Err(FrameError::Length(u32::MAX, 0)));
        assert_eq!(decode(&[&frame[..frame.len() - 1]]), Ok(vec![]), "what is not whole waits");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn frames_any_split_gives_same_events(
            payloads in prop::collection::vec(".{0,40}", 0..6),
            cuts in prop::collection::vec(1usize..30, 1..20),
        ) {
            let bytes: Vec<u8> =
                payloads.iter().flat_map(|data| encode(&[(":event-type", "e")], data.as_bytes())).collect();
            let (mut rest, mut cuts, mut pieces) = (&bytes[..], cuts.iter().cycle(), Vec::new());
            while !rest.is_empty() {
                let at = (*cuts.next().unwrap()).min(rest.len());
                pieces.push(&rest[..at]);
                rest = &rest[at..];
            }
            let expected: Vec<_> = payloads.into_iter().map(|data| ("e".to_string(), data)).collect();
            prop_assert_eq!(decode(&pieces), Ok(expected));
        }

        #[test]
        fn frames_any_bytes_are_safe(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(events) = decode(&[&bytes]) {
                prop_assert!(events.len() * (PRELUDE + TRAILER) <= bytes.len());
            }
        }
    }
}
