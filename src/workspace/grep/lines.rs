//! Line cursor over a text with matches. Must not know the matches.

/// A line of a text while iterating. Its end is computed once: a long line may have many matches.
pub(super) struct LineCursor<'a> {
    text: &'a str,
    /// Byte offset of its start.
    pub(super) start: usize,
    /// Byte offset of the next line.
    pub(super) end: usize,
    /// Its number.
    pub(super) line: usize,
}

impl<'a> LineCursor<'a> {
    /// Creates a cursor at the line that starts at an offset, with its number.
    pub(super) fn new(text: &'a str, start: usize, line: usize) -> Self {
        Self { text, start, end: Self::end_of(text, start), line }
    }

    fn end_of(text: &str, start: usize) -> usize {
        memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |at| start + at + 1)
    }

    /// Whether an offset after the line's start is within it; the end of a text belongs to its last line.
    pub(super) fn contains(&self, at: usize) -> bool {
        at < self.end || self.end == self.text.len() && !self.text.ends_with('\n')
    }

    /// Returns the line without its line ending.
    pub(super) fn content(&self) -> &'a str {
        let line = &self.text[self.start..self.end];
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Moves to the next line, if there is one.
    pub(super) fn advance(&mut self) -> bool {
        if !self.text[..self.end].ends_with('\n') || self.end == self.text.len() {
            return false;
        }
        (self.start, self.line) = (self.end, self.line + 1);
        self.end = Self::end_of(self.text, self.start);
        true
    }

    /// Moves to the line of an offset.
    pub(super) fn go_to(&mut self, at: usize) {
        while self.end <= at && self.advance() {}
    }
}
