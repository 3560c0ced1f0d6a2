//! The text between the two marks of a bracketed paste, over any number of reads.
//!
//! Must not know keys. Time is linear in the size; what exceeds the limit is counted and dropped.

use std::mem;

use memchr::memmem;

/// The end mark of a paste.
const END: &[u8] = b"\x1b[201~";

/// Maximum size of a paste in bytes; the rest is dropped and reported.
pub const PASTE_MAX: usize = 64 << 20;

/// A paste in progress.
#[derive(Debug)]
pub struct Paste {
    data: Vec<u8>,
    max: usize,
    dropped: usize,
}

/// A finished paste.
#[derive(Debug, PartialEq, Eq)]
pub struct Pasted {
    /// The text; line feeds are its only line endings.
    pub text: String,
    /// Bytes that did not fit.
    pub dropped: usize,
}

impl Paste {
    /// Returns an empty paste of at most `max` bytes.
    pub fn new(max: usize) -> Self {
        Self { data: Vec::new(), max, dropped: 0 }
    }

    /// Consumes bytes up to the end mark. Returns how many were used, and whether the paste has ended.
    pub fn feed(&mut self, bytes: &[u8]) -> (usize, bool) {
        // The mark may have begun in earlier bytes, with at most five of its bytes.
        let from = self.data.len().saturating_sub(END.len() - 1);
        self.data.extend_from_slice(bytes);
        if let Some(at) = memmem::find(&self.data[from..], END) {
            let end = from + at;
            let rest = self.data.len() - end - END.len();
            self.data.truncate(end);
            return (bytes.len() - rest, true);
        }
        // Past the limit only the last bytes are kept, since they may be the beginning of the mark.
        let tail = self.data.len().saturating_sub(END.len() - 1);
        if tail > self.max {
            self.dropped += tail - self.max;
            self.data.drain(self.max..tail);
        }
        (bytes.len(), false)
    }

    /// Takes the pasted text so far and leaves the paste empty.
    pub fn take(&mut self) -> Pasted {
        let mut data = mem::take(&mut self.data);
        let mut dropped = mem::take(&mut self.dropped);
        if data.len() > self.max {
            dropped += data.len() - self.max;
            data.truncate(self.max);
        }
        let text = String::from_utf8(data).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into());
        Pasted { text: with_line_feeds(text), dropped }
    }
}

/// Replaces `\r\n` and lone `\r` by `\n`.
pub fn with_line_feeds(text: String) -> String {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paste_line_endings_become_lf() {
        assert_eq!(with_line_feeds("a\r\nb\rc\n\r\r\n".into()), "a\nb\nc\n\n\n");
    }

    #[test]
    fn paste_over_limit_is_cut_and_counted() {
        let mut paste = Paste::new(10);
        for chunk in ["0123456", "789abcdefgh", "ij\x1b[20", "1~rest"] {
            let (used, ended) = paste.feed(chunk.as_bytes());
            assert_eq!((used, ended), if chunk == "1~rest" { (2, true) } else { (chunk.len(), false) });
        }
        assert_eq!(paste.take(), Pasted { text: "0123456789".into(), dropped: 10 });
    }
}
