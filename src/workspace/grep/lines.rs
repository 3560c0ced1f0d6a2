//! The way from line to line through a text in which something was found. Must not know what.

/// A line of a text on the way through its lines. Where it ends is looked for once: there may be
/// many matches in a long one.
pub(super) struct Lines<'a> {
    text: &'a str,
    /// Where it begins, in bytes.
    pub(super) start: usize,
    /// Where the next line begins.
    pub(super) end: usize,
    /// Its number.
    pub(super) line: usize,
}

impl<'a> Lines<'a> {
    /// The line that begins there, of that number.
    pub(super) fn new(text: &'a str, start: usize, line: usize) -> Self {
        Self { text, start, end: Self::end_of(text, start), line }
    }

    fn end_of(text: &str, start: usize) -> usize {
        memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |at| start + at + 1)
    }

    /// Whether an offset behind the line's start is in it; the end of a text is in its last line.
    pub(super) fn holds(&self, at: usize) -> bool {
        at < self.end || self.end == self.text.len() && !self.text.ends_with('\n')
    }

    /// The line without what ends it.
    pub(super) fn content(&self) -> &'a str {
        let line = &self.text[self.start..self.end];
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Goes on to the next line, if there is one.
    pub(super) fn step(&mut self) -> bool {
        if !self.text[..self.end].ends_with('\n') || self.end == self.text.len() {
            return false;
        }
        (self.start, self.line) = (self.end, self.line + 1);
        self.end = Self::end_of(self.text, self.start);
        true
    }

    /// Goes on to the line of an offset.
    pub(super) fn go_to(&mut self, at: usize) {
        while self.end <= at && self.step() {}
    }
}
