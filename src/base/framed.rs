//! Messages behind headers with their length, as language servers and debug adapters send them: `Content-Length: 5`, an
//! empty line, five bytes. The reader takes bytes in pieces of any size and remembers no more than one message. Pure.
//!
//! Must not know what is in a message.

use std::mem;

/// Bytes of a message's headers, and of what a program prints between messages.
const HEAD_MAX: usize = 64 << 10;
/// The header that counts, in lower case; the others are ignored, as the protocol wants.
const LENGTH: &str = "content-length";

/// Why what was read is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// A message longer than allowed; it is left out, and reading goes on behind it.
    #[error("a message of {length} bytes exceeds the limit of {max}")]
    TooLong {
        /// Bytes that the header names.
        length: u64,
        /// Bytes that are allowed.
        max: usize,
    },
    /// Headers without a length, or other text; it is left out, and reading goes on with the next header.
    #[error("text between messages: {0:?}")]
    Noise(String),
    /// A length that is no number. Where the next message starts is not known.
    #[error("the length of a message is no number: {0:?}")]
    BadLength(String),
    /// Headers without an end.
    #[error("headers of a message exceed the limit of {HEAD_MAX} bytes")]
    EndlessHeaders,
}

impl FrameError {
    /// Whether nothing that follows can be read.
    pub fn is_fatal(&self) -> bool {
        matches!(self, Self::BadLength(_) | Self::EndlessHeaders)
    }
}

/// What was read.
pub type Frame = Result<Vec<u8>, FrameError>;

/// Where the reader is.
#[derive(Debug)]
enum Place {
    /// In the headers of a message, which are collected.
    Head,
    /// In a message of which so many bytes are missing.
    Body(usize),
    /// In a message that is too long, of which so many bytes follow.
    Skipped(u64),
    /// Behind an error after which nothing can be read.
    Lost,
}

/// A reader of messages.
#[derive(Debug)]
pub struct FrameReader {
    max: usize,
    place: Place,
    /// The part of the headers or of the message that has come.
    collected: Vec<u8>,
}

impl FrameReader {
    /// A reader of messages of at most `max` bytes.
    pub fn new(max: usize) -> Self {
        Self { max, place: Place::Head, collected: Vec::new() }
    }

    /// Takes bytes; returns the messages that are whole now, and what was wrong, in order.
    pub fn read(&mut self, mut bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        while !bytes.is_empty() {
            bytes = match self.place {
                Place::Head => self.read_head(bytes, &mut frames),
                Place::Body(missing) => self.read_body(bytes, missing, &mut frames),
                Place::Skipped(missing) => self.skip(bytes, missing),
                Place::Lost => return frames,
            };
        }
        frames
    }

    /// Whether the bytes so far end within a message.
    pub fn is_within(&self) -> bool {
        matches!(self.place, Place::Body(_) | Place::Skipped(_)) || !self.collected.is_empty()
    }

    /// Reads a line of the headers; returns what follows it.
    fn read_head<'a>(&mut self, bytes: &'a [u8], frames: &mut Vec<Frame>) -> &'a [u8] {
        let end = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
        self.collected.extend_from_slice(&bytes[..end]);
        if self.collected.len() > HEAD_MAX {
            self.lose(FrameError::EndlessHeaders, frames);
        } else if self.collected.ends_with(b"\n\n") || self.collected.ends_with(b"\n\r\n") {
            self.begin_body(frames);
        } else if matches!(&*self.collected, b"\n" | b"\r\n") {
            // An empty line before the headers.
            self.collected.clear();
        }
        &bytes[end..]
    }

    fn begin_body(&mut self, frames: &mut Vec<Frame>) {
        let head = mem::take(&mut self.collected);
        let head = String::from_utf8_lossy(&head);
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            name.trim().eq_ignore_ascii_case(LENGTH).then(|| value.trim().to_string())
        };
        // What a program printed before the headers is no reason to lose the message.
        let Some(value) = head.lines().rev().find_map(header) else {
            return frames.push(Err(FrameError::Noise(head.trim().to_string())));
        };
        let Ok(length) = value.parse::<u64>() else {
            return self.lose(FrameError::BadLength(value), frames);
        };
        match usize::try_from(length) {
            Ok(0) => frames.push(Ok(Vec::new())),
            Ok(length) if length <= self.max => self.place = Place::Body(length),
            _ => {
                frames.push(Err(FrameError::TooLong { length, max: self.max }));
                self.place = Place::Skipped(length);
            }
        }
    }

    fn read_body<'a>(&mut self, bytes: &'a [u8], missing: usize, frames: &mut Vec<Frame>) -> &'a [u8] {
        let (body, rest) = bytes.split_at(missing.min(bytes.len()));
        // Grows with what has come: a length alone takes no memory.
        self.collected.extend_from_slice(body);
        self.place = Place::Body(missing - body.len());
        if body.len() == missing {
            self.place = Place::Head;
            frames.push(Ok(mem::take(&mut self.collected)));
        }
        rest
    }

    fn skip<'a>(&mut self, bytes: &'a [u8], missing: u64) -> &'a [u8] {
        let here = usize::try_from(missing).map_or(bytes.len(), |missing| missing.min(bytes.len()));
        let left = missing - here as u64;
        self.place = if left == 0 { Place::Head } else { Place::Skipped(left) };
        &bytes[here..]
    }

    fn lose(&mut self, error: FrameError, frames: &mut Vec<Frame>) {
        frames.push(Err(error));
        self.collected = Vec::new();
        self.place = Place::Lost;
    }
}

/// Returns a message behind its header.
pub fn frame(message: &[u8]) -> Vec<u8> {
    let mut bytes = format!("Content-Length: {}\r\n\r\n", message.len()).into_bytes();
    bytes.extend_from_slice(message);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Vec<Frame> {
        FrameReader::new(1_000).read(bytes)
    }

    fn messages(texts: &[&str]) -> Vec<Frame> {
        texts.iter().map(|text| Ok(text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn framed_messages_are_read_with_any_other_headers() {
        let bytes =
            b"Content-Length: 2\r\n\r\n{}content-type: x\r\nCONTENT-LENGTH:3\r\n\r\n[1]Content-Length: 0\n\n";
        assert_eq!(read(bytes), messages(&["{}", "[1]", ""]));
    }

    #[test]
    fn framed_text_between_messages_costs_no_message() {
        let bytes = b"\r\nStarting\nContent-Length: 2\r\n\r\n{}warning: old\n\nContent-Length: 1\r\n\r\n1";
        let frames = read(bytes);
        assert_eq!(frames[0], Ok(b"{}".to_vec()));
        assert_eq!(frames[1], Err(FrameError::Noise("warning: old".to_string())));
        assert_eq!(frames[2], Ok(b"1".to_vec()));
        assert_eq!(frames.len(), 3);
    }

    #[test]
    fn framed_long_message_is_skipped_and_next_one_read() {
        let long = "x".repeat(1_001);
        let bytes = [frame(long.as_bytes()), frame(b"{}")].concat();
        let too_long = FrameError::TooLong { length: 1_001, max: 1_000 };
        assert_eq!(read(&bytes), [Err(too_long), Ok(b"{}".to_vec())]);
        let mut reader = FrameReader::new(1_000);
        let huge = reader.read(b"Content-Length: 18446744073709551615\r\n\r\n{}");
        assert_eq!(huge, [Err(FrameError::TooLong { length: u64::MAX, max: 1_000 })]);
        assert!(reader.is_within() && reader.collected.capacity() < 100, "a length alone takes no memory");
    }

    #[test]
    fn framed_length_that_is_no_number_ends_the_reading() {
        for value in ["", "-1", "two", "18446744073709551616", "1 2"] {
            let frames = read(format!("Content-Length: {value}\r\n\r\n{{}}").as_bytes());
            assert_eq!(frames, [Err(FrameError::BadLength(value.to_string()))]);
            assert!(frames[0].as_ref().unwrap_err().is_fatal());
        }
    }

    #[test]
    fn framed_headers_without_end_take_limited_memory() {
        let mut reader = FrameReader::new(1_000);
        let mut frames = Vec::new();
        for _ in 0..100 {
            frames.extend(reader.read(&[b'x'; 4_096]));
        }
        assert_eq!(frames, [Err(FrameError::EndlessHeaders)]);
        assert!(reader.collected.is_empty() && !reader.is_within());
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(200))]

        #[test]
        fn framed_messages_in_any_pieces_are_the_same(
            texts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..8),
            cuts in prop::collection::vec(1_usize..50, 1..40),
        ) {
            let bytes: Vec<u8> = texts.iter().flat_map(|text| frame(text)).collect();
            let (mut reader, mut frames, mut rest) = (FrameReader::new(1_000), Vec::new(), &bytes[..]);
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                frames.extend(reader.read(piece));
                rest = after;
            }
            let wanted: Vec<Frame> = texts.into_iter().map(Ok).collect();
            prop_assert_eq!(frames, wanted);
            prop_assert!(!reader.is_within());
        }

        #[test]
        fn framed_any_bytes_take_limited_memory(
            bytes in prop::collection::vec(
                prop_oneof![any::<u8>(), prop::sample::select(b"\r\n\n:0159Content-Length: ".to_vec())],
                0..2_000,
            ),
        ) {
            let mut reader = FrameReader::new(100);
            for frame in reader.read(&bytes).into_iter().flatten() {
                prop_assert!(frame.len() <= 100);
            }
            prop_assert!(reader.collected.len() <= HEAD_MAX);
        }
    }
}
