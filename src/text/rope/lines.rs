//! Iterator over the lines of a text, for display. Must not know edits.

use std::ops::Range;

use ropey::iter::Chunks;

use super::Text;
use crate::text::position::{Byte, Line};

/// Number of chunks searched for a line's end before the tree is queried.
const NEAR: usize = 16;

/// Ranges of the lines from one on, without endings.
pub(super) struct Lines<'a> {
    text: &'a Text,
    /// The next line; beyond the last one the iterator ends.
    line: usize,
    /// Its start.
    at: usize,
    chunks: Chunks<'a>,
    /// The unread rest of the current chunk; starts at `at`.
    rest: &'a str,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a Text, line: Line) -> Self {
        let at = text.line_start(line).0;
        let (chunks, rest) = pieces(text, at);
        Self { text, line: line.0, at, chunks, rest }
    }

    /// The line's end is far: queries the tree for the start of the next line.
    fn jump(&mut self) -> Range<Byte> {
        let line = Line(self.line);
        self.at = self.text.line_start(Line(self.line + 1)).0;
        (self.chunks, self.rest) = pieces(self.text, self.at);
        self.text.line_start(line)..self.text.line_end(line)
    }
}

/// Returns the chunks after an offset, and the rest of its own chunk.
fn pieces(text: &Text, at: usize) -> (Chunks<'_>, &str) {
    let (mut chunks, first, ..) = text.rope.chunks_at_byte(at);
    let rest = chunks.next().map_or("", |chunk| &chunk[at - first..]);
    (chunks, rest)
}

impl Iterator for Lines<'_> {
    type Item = Range<Byte>;

    fn next(&mut self) -> Option<Range<Byte>> {
        if self.line >= self.text.line_count() {
            return None;
        }
        let (start, mut end) = (self.at, self.at);
        let mut last = None;
        for _ in 0..NEAR {
            let bytes = self.rest.as_bytes();
            if let Some(n) = memchr::memchr(b'\n', bytes) {
                let before = if n > 0 { Some(bytes[n - 1]) } else { last };
                end += n;
                self.at = end + 1;
                self.rest = &self.rest[n + 1..];
                self.line += 1;
                return Some(Byte(start)..Byte(end - usize::from(before == Some(b'\r'))));
            }
            end += bytes.len();
            last = bytes.last().copied().or(last);
            let Some(chunk) = self.chunks.next() else {
                self.line += 1;
                return Some(Byte(start)..Byte(end));
            };
            self.rest = chunk;
        }
        let line = self.jump();
        self.line += 1;
        Some(line)
    }
}
