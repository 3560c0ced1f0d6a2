//! Reader for the searcher: a file's text up to the first NUL, or until the search is over.
//!
//! Must not know patterns.

use std::io::{self, Read};

use tokio_util::sync::CancellationToken;

/// Byte order marks of UTF-16, in which NULs are parts of characters; the decoder checks those texts.
const UTF16_BOMS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];

/// Reads a file for a search.
#[derive(Debug)]
pub(super) struct SearchReader<'a, R> {
    inner: R,
    cancel: &'a CancellationToken,
    /// The first two bytes, as far as read.
    first_bytes: Vec<u8>,
    read: u64,
    nul: Option<u64>,
}

impl<'a, R: Read> SearchReader<'a, R> {
    /// Of this file.
    pub(super) fn new(inner: R, cancel: &'a CancellationToken) -> Self {
        Self { inner, cancel, first_bytes: Vec::new(), read: 0, nul: None }
    }

    /// Returns the offset of the first NUL, which ended the text.
    pub(super) fn nul(&self) -> Option<u64> {
        self.nul
    }
}

impl<R: Read> Read for SearchReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            // Not `Interrupted`, which would be retried.
            return Err(io::Error::other("the search is over"));
        }
        if self.nul.is_some() {
            return Ok(0);
        }
        let count = self.inner.read(buffer)?;
        let piece = &buffer[..count];
        self.first_bytes.extend(piece.iter().take(2 - self.first_bytes.len()));
        if UTF16_BOMS.iter().any(|mark| *mark == self.first_bytes[..]) {
            return Ok(count);
        }
        self.nul = memchr::memchr(0, piece).map(|at| self.read + at as u64);
        let text = self.nul.map_or(count, |nul| (nul - self.read) as usize);
        self.read += count as u64;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_text_ends_at_nul_except_utf16() {
        let never = CancellationToken::new();
        let read = |bytes: &[u8]| {
            let mut text = SearchReader::new(bytes, &never);
            let mut all = Vec::new();
            text.read_to_end(&mut all).unwrap();
            (all, text.nul())
        };
        assert_eq!(read(b"one\ntwo\0three"), (b"one\ntwo".to_vec(), Some(7)));
        assert_eq!(read(b"\0"), (Vec::new(), Some(0)));
        assert_eq!(read(b"one"), (b"one".to_vec(), None));
        assert_eq!(read(b"\xff\xfea\0"), (b"\xff\xfea\0".to_vec(), None));
    }

    /// Lines without an end; after some of them the search is over.
    struct Endless<'a> {
        left: usize,
        cancel: &'a CancellationToken,
    }

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert!(!self.cancel.is_cancelled(), "nobody reads on");
            self.left -= 1;
            if self.left == 0 {
                self.cancel.cancel();
            }
            buffer.fill(b'\n');
            Ok(buffer.len())
        }
    }

    #[test]
    fn search_text_stops_reading_on_abort() {
        let cancel = CancellationToken::new();
        let mut text = SearchReader::new(Endless { left: 3, cancel: &cancel }, &cancel);
        let error = text.read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "the search is over");
    }
}
