//! Decoder of server-sent events, as the HTML standard defines them.
//!
//! Must not know where the bytes come from or what the events mean. Every byte is read once, so the time is
//! linear in the stream's length however it is split.

use std::mem;

/// Maximum bytes of an event's data; beyond it the stream is rejected.
pub const EVENT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// One dispatched event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The `event` field; empty for a plain message.
    pub name: String,
    /// The `data` lines, joined by line feeds.
    pub data: String,
}

/// An event grew beyond [`EVENT_BYTES_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than {EVENT_BYTES_MAX} bytes")]
pub struct TooLong;

/// Incremental decoder of one stream.
#[derive(Debug, Default)]
pub struct Decoder {
    /// An incomplete line.
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    /// Whether a `data` field was seen since the last dispatch, even an empty one.
    has_data: bool,
    /// Whether the last byte was CR: a following LF belongs to it.
    after_cr: bool,
    /// Whether a first line was read, so that a byte order mark is no longer possible.
    started: bool,
}

impl Decoder {
    /// Decodes bytes of the stream and appends complete events.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut Vec<Event>) -> Result<(), TooLong> {
        while !bytes.is_empty() {
            if mem::take(&mut self.after_cr) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
                self.line.extend_from_slice(bytes);
                return self.check();
            };
            self.after_cr = bytes[end] == b'\r';
            if self.line.is_empty() {
                self.take_line(&bytes[..end], out);
            } else {
                let mut line = mem::take(&mut self.line);
                line.extend_from_slice(&bytes[..end]);
                self.take_line(&line, out);
                line.clear();
                self.line = line;
            }
            self.check()?;
            bytes = &bytes[end + 1..];
        }
        Ok(())
    }

    /// Ends the stream. The standard drops an event without its final blank line; some servers omit that line
    /// for the last event, and the caller can tell whether its data is complete.
    pub fn end(&mut self, out: &mut Vec<Event>) {
        if !self.line.is_empty() {
            let line = mem::take(&mut self.line);
            self.take_line(&line, out);
        }
        self.dispatch(out);
    }

    fn check(&self) -> Result<(), TooLong> {
        if self.line.len() + self.data.len() > EVENT_BYTES_MAX { Err(TooLong) } else { Ok(()) }
    }

    fn take_line(&mut self, mut line: &[u8], out: &mut Vec<Event>) {
        if !mem::replace(&mut self.started, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch(out);
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(0) => return,
            Some(at) => (&line[..at], line[at + 1..].strip_prefix(b" ").unwrap_or(&line[at + 1..])),
            None => (line, &[][..]),
        };
        match field {
            b"data" => {
                if mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // `id` and `retry` are for reconnecting, which none of our streams supports.
            _ => {}
        }
    }

    fn dispatch(&mut self, out: &mut Vec<Event>) {
        let name = mem::take(&mut self.name);
        if mem::take(&mut self.has_data) {
            out.push(Event { name: text(name), data: text(mem::take(&mut self.data)) });
        }
    }
}

/// Only complete lines are decoded, so a character split between packets is never decoded in halves.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut decoder = Decoder::default();
        let mut out = Vec::new();
        for piece in pieces {
            decoder.push(piece, &mut out).unwrap();
        }
        out.into_iter().map(|e| (e.name, e.data)).collect()
    }

    fn check(stream: &str, expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(n, d)| ((*n).to_string(), (*d).to_string())).collect();
        for eol in ["\n", "\r", "\r\n"] {
            let bytes = stream.replace('\n', eol).into_bytes();
            assert_eq!(decode(&[&bytes]), expected, "whole, {eol:?}");
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(decode(&single), expected, "byte by byte, {eol:?}");
        }
    }

    #[test]
    fn sse_matches_standard_examples() {
        check("data: YHOO\ndata: +2\ndata: 10\n\n", &[("", "YHOO\n+2\n10")]);
        check(
            ": a comment\n\ndata: one\nid: 1\n\ndata:two\nid\n\ndata:  three\n\n",
            &[("", "one"), ("", "two"), ("", " three")],
        );
        check("data\n\ndata\ndata\n\ndata:", &[("", ""), ("", "\n")]);
        check("event: ping\ndata: {}\nretry: 5\nodd: x\n\n", &[("ping", "{}")]);
    }

    #[test]
    fn sse_bom_event_names_and_incomplete_events() {
        check("\u{feff}data: a\n\n", &[("", "a")]);
        check("event: lost\n\ndata: b\n\n", &[("", "b")]);
        check("data: a\n\ndata: no blank line\n", &[("", "a")]);
        check("data: é漢👩\n\n", &[("", "é漢👩")]);
    }

    #[test]
    fn sse_end_dispatches_remaining_event() {
        for (stream, expected) in
            [("data: a\n\ndata: {}", vec!["a", "{}"]), ("data: a\n\nevent: x\n", vec!["a"]), ("", vec![])]
        {
            let mut decoder = Decoder::default();
            let mut out = Vec::new();
            decoder.push(stream.as_bytes(), &mut out).unwrap();
            decoder.end(&mut out);
            assert_eq!(
                out.iter().map(|event| event.data.as_str()).collect::<Vec<_>>(),
                expected,
                "{stream:?}"
            );
        }
    }

    #[test]
    fn sse_invalid_utf8_is_replaced() {
        assert_eq!(decode(&[b"data: a\xffb\n\n"]), [(String::new(), "a\u{fffd}b".to_string())]);
    }

    #[test]
    fn sse_endless_event_is_refused() {
        let mut decoder = Decoder::default();
        let mut out = Vec::new();
        let piece = vec![b'x'; 8 * 1024 * 1024];
        let results: Vec<_> = (0..9).map(|_| decoder.push(&piece, &mut out)).collect();
        assert_eq!(results.last(), Some(&Err(TooLong)));
        assert!(out.is_empty());
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]

        #[test]
        fn sse_any_split_gives_same_events(
            lines in prop::collection::vec(
                prop_oneof!["data: ?[a-zé漢:]{0,6}", "event:[a-z]{0,3}", ":[ -~]{0,4}", Just(String::new())], 0..20),
            eols in prop::collection::vec(prop_oneof![Just("\n"), Just("\r"), Just("\r\n")], 20),
            cuts in prop::collection::vec(1usize..7, 1..40),
        ) {
            let stream = lines.iter().zip(&eols).flat_map(|(l, e)| [l.as_str(), e]).collect::<String>();
            let bytes = stream.as_bytes();
            let mut pieces = Vec::new();
            let (mut rest, mut cuts) = (bytes, cuts.iter().cycle());
            while !rest.is_empty() {
                let at = (*cuts.next().unwrap()).min(rest.len());
                pieces.push(&rest[..at]);
                rest = &rest[at..];
            }
            prop_assert_eq!(decode(&pieces), decode(&[bytes]));
        }

        #[test]
        fn sse_any_data_roundtrips(data in "[^\r\n]{0,40}(\n[^\r\n]{0,40}){0,3}") {
            let stream = data.split('\n').flat_map(|l| ["data: ", l, "\n"]).collect::<String>();
            let got = decode(&[format!("{stream}\n").as_bytes()]);
            prop_assert_eq!(got, vec![(String::new(), data)]);
        }
    }
}
