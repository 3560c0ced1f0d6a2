//! The lines of a text one after the other, for screens of them. May not know edits.

use std::ops::Range;

use ropey::iter::Chunks;

use super::Text;
use crate::text::position::{Byte, Line};

/// Pieces of the rope in which the end of a line is looked for before the tree is asked for it.
const NEAR: usize = 16;

/// Where the lines from one on begin and end, endings left out.
pub(super) struct Lines<'a> {
    text: &'a Text,
    /// The line that comes next; none is left when it is behind the last one.
    line: usize,
    /// Where it begins.
    at: usize,
    chunks: Chunks<'a>,
    /// What of the present piece is still to be looked at; it begins at `at`.
    rest: &'a str,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a Text, line: Line) -> Self {
        let at = text.line_start(line).0;
        let (chunks, rest) = pieces(text, at);
        Self { text, line: line.0, at, chunks, rest }
    }

    /// The line's end is far: the tree knows where the next one begins.
    fn jump(&mut self) -> Range<Byte> {
        let line = Line(self.line);
        self.at = self.text.line_start(Line(self.line + 1)).0;
        (self.chunks, self.rest) = pieces(self.text, self.at);
        self.text.line_start(line)..self.text.line_end(line)
    }
}

/// The pieces behind an offset, and what of its own piece comes after it.
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
