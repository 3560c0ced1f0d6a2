//! Text storage: a rope with byte offsets. Cloning is cheap, so snapshots are free.
//!
//! Must not know edits, cursors or encodings. All offsets are on character boundaries; the rope itself counts
//! in characters, so every function converts.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use ropey::{Rope, RopeSlice};
use unicode_segmentation::{GraphemeCursor, GraphemeIncomplete, UnicodeSegmentation};

use super::long_lines::{LONG, LongLines};
use super::position::{Byte, Line};

/// A text with cheap snapshots.
#[derive(Clone, Default)]
pub struct Text {
    rope: Rope,
    /// The index of very long lines, if there are any.
    long: Option<Arc<LongLines>>,
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.rope == other.rope
    }
}

impl Eq for Text {}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::from(Rope::from_str(text))
    }
}

impl From<Rope> for Text {
    fn from(rope: Rope) -> Self {
        let long = LongLines::of(&rope).map(Arc::new);
        Self { rope, long }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rope.chunks().try_for_each(|chunk| f.write_str(chunk))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({} bytes)", self.rope.len_bytes())
    }
}

impl Text {
    /// Returns whether both are copies of one text without changes since. Constant in time; texts that are equal by
    /// chance are not the same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.rope.is_instance(&other.rope)
    }

    /// Returns the offset after the last character.
    pub fn end(&self) -> Byte {
        Byte(self.rope.len_bytes())
    }

    /// Creates the beginning of a text that is still loading, without an index of long lines.
    pub(super) fn partial(rope: Rope) -> Self {
        Self { rope, long: None }
    }

    /// Returns the width index of long lines, if there are any.
    pub(super) fn long_lines(&self) -> Option<&LongLines> {
        self.long.as_deref()
    }

    /// Whether a line is so long that its tabs are one cell wide.
    pub fn is_long(&self, line: Line) -> bool {
        // A chunk of the rope is shorter than any long line.
        let start = self.line_start(line);
        let (chunk, chunk_start) = self.chunk_at(start);
        let ends = memchr::memchr(b'\n', &chunk.as_bytes()[start - chunk_start..]).is_some();
        !ends && self.line_start(Line(line.0 + 1)) - start >= LONG
    }

    /// The rope itself, for engines that read ropes.
    pub(super) fn rope(&self) -> &Rope {
        &self.rope
    }

    /// Returns the lines from one on without endings, cheaper than one by one.
    pub fn lines_from(&self, line: Line) -> impl Iterator<Item = Range<Byte>> {
        lines::Lines::new(self, line)
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.rope.len_bytes() == 0
    }

    /// Returns the number of lines: one more than line feeds.
    pub fn line_count(&self) -> usize {
        self.rope.len_lines()
    }

    /// The last line, which is empty when the text ends with a line feed.
    pub fn last_line(&self) -> Line {
        Line(self.line_count() - 1)
    }

    /// Returns the line that contains an offset.
    pub fn line_of(&self, at: Byte) -> Line {
        Line(self.rope.byte_to_line(at.0.min(self.rope.len_bytes())))
    }

    /// Returns the start of a line; the end of the text for lines beyond the last.
    pub fn line_start(&self, line: Line) -> Byte {
        if line.0 >= self.line_count() { self.end() } else { Byte(self.rope.line_to_byte(line.0)) }
    }

    /// Returns the end of a line's content, before its LF or CRLF.
    pub fn line_end(&self, line: Line) -> Byte {
        self.line_bounds(line).1
    }

    /// Returns start and end of a line's content.
    pub fn line_bounds(&self, line: Line) -> (Byte, Byte) {
        let start = self.line_start(line);
        // Searching the current chunk is cheaper than looking up the next line.
        let (chunk, chunk_start) = self.chunk_at(start);
        let rest = &chunk.as_bytes()[start - chunk_start..];
        let end = match memchr::memchr(b'\n', rest) {
            Some(length) if length > 0 && rest[length - 1] == b'\r' => start + (length - 1),
            Some(length) => start + length,
            None => self.content_end(start, self.line_start(Line(line.0 + 1))),
        };
        (start, end)
    }

    /// The same for known starts of the line and the next one.
    fn content_end(&self, start: Byte, next: Byte) -> Byte {
        let mut end = next;
        if end > start && self.byte_at(end.back(1)) == Some(b'\n') {
            end = end.back(1);
            if end > start && self.byte_at(end.back(1)) == Some(b'\r') {
                end = end.back(1);
            }
        }
        end
    }

    /// Returns the content of a line without its ending.
    pub fn line(&self, line: Line) -> Cow<'_, str> {
        self.slice(self.line_start(line)..self.line_end(line))
    }

    /// Returns the text of a range; borrowed when it is in one chunk of the rope. An end within a character
    /// counts as the character's start, in all functions that return text: callers limit ranges by bytes.
    pub fn slice(&self, range: Range<Byte>) -> Cow<'_, str> {
        if let Some(piece) = self.piece(&range) {
            return Cow::Borrowed(piece);
        }
        Cow::from(self.rope_slice(&range))
    }

    fn rope_slice(&self, range: &Range<Byte>) -> RopeSlice<'_> {
        let end = self.char_floor(range.end);
        self.rope.byte_slice(self.char_floor(range.start.min(end)).0..end.0)
    }

    /// Returns the text of a range within one chunk of the rope, the usual case.
    pub(super) fn piece(&self, range: &Range<Byte>) -> Option<&str> {
        let (chunk, start) = self.chunk_at(range.start);
        chunk.get(range.start - start..range.end - start)
    }

    /// Returns the chunk that contains an offset, and the chunk's start.
    pub fn chunk_at(&self, at: Byte) -> (&str, Byte) {
        let (chunk, start, _, _) = self.rope.chunk_at_byte(at.0.min(self.rope.len_bytes()));
        (chunk, Byte(start))
    }

    /// Returns the chunks of a range, the first and the last trimmed to it.
    pub fn chunks_in(&self, range: Range<Byte>) -> impl Iterator<Item = &str> {
        self.rope_slice(&range).chunks()
    }

    /// Returns the chunks from an offset on, the first one trimmed.
    pub fn chunks_from(&self, at: Byte) -> impl Iterator<Item = &str> {
        self.rope_slice(&(at..self.end())).chunks()
    }

    /// The byte at an offset.
    pub fn byte_at(&self, at: Byte) -> Option<u8> {
        self.rope.get_byte(at.0)
    }

    /// The character that starts at an offset.
    pub fn char_at(&self, at: Byte) -> Option<char> {
        let (chunk, start) = self.chunk_at(at);
        chunk.get(at - start..)?.chars().next()
    }

    /// The character that ends at an offset.
    pub fn char_before(&self, at: Byte) -> Option<char> {
        let before = at.0.checked_sub(1)?;
        let (chunk, start) = self.chunk_at(Byte(before));
        chunk.get(..at - start)?.chars().next_back()
    }

    /// Returns the end of the grapheme cluster that starts at or contains `at`; CRLF is one cluster.
    pub fn next_grapheme(&self, at: Byte) -> Byte {
        let (chunk, start) = self.chunk_at(at);
        // Most program text needs no Unicode tables.
        if let Some([b' '..=b'~', 0..=0x7f, ..] | [b'\n', ..]) = chunk.as_bytes().get(at - start..) {
            return at + 1;
        }
        if let Ok(boundary) = self.cursor(at).next_boundary(chunk, start.0) {
            return boundary.map_or(self.end(), Byte);
        }
        let mut next = at;
        loop {
            next = Byte(next.0 + self.char_at(next).map_or(1, char::len_utf8));
            if next >= self.end() || self.is_boundary(next) {
                return next.min(self.end());
            }
        }
    }

    /// Returns the start of the grapheme cluster that ends at or contains `at`.
    pub fn prev_grapheme(&self, at: Byte) -> Byte {
        let (chunk, start) = self.chunk_at(at.back(1));
        if let Some([.., 0..=0x7f, b' '..=b'~']) = chunk.as_bytes().get(..at - start) {
            return at.back(1);
        }
        if let Ok(boundary) = self.cursor(at).prev_boundary(chunk, start.0) {
            return boundary.map_or(Byte(0), Byte);
        }
        let mut prev = at;
        loop {
            prev = prev.back(self.char_before(prev).map_or(1, char::len_utf8));
            if prev == Byte(0) || self.is_boundary(prev) {
                return prev;
            }
        }
    }

    fn cursor(&self, at: Byte) -> GraphemeCursor {
        GraphemeCursor::new(at.0, self.rope.len_bytes(), true)
    }

    /// Whether a cluster ends at a character boundary inside the text. Each call uses a new cursor: one that
    /// continues in another chunk counts regional indicators twice after a prepended character.
    fn is_boundary(&self, at: Byte) -> bool {
        // Before a control character there is one, but in CRLF; the cursor takes a prepended character for stronger.
        if let Some(next) = self.char_at(at)
            && format!("\u{600}{next}").graphemes(true).count() == 2
        {
            return next != '\n' || self.char_before(at) != Some('\r');
        }
        let mut cursor = self.cursor(at);
        let (chunk, start) = self.chunk_at(at);
        loop {
            match cursor.is_boundary(chunk, start.0) {
                Ok(boundary) => return boundary,
                Err(GraphemeIncomplete::PreContext(end)) => self.give_context(&mut cursor, end),
                Err(_) => return true,
            }
        }
    }

    /// Returns the start of the cluster that contains `at`, which is `at` itself on a boundary.
    pub fn grapheme_floor(&self, at: Byte) -> Byte {
        let (chunk, start) = self.chunk_at(at);
        let before = chunk.floor_char_boundary(at - start);
        let at = start + before;
        let known = matches!(chunk.as_bytes()[..before], [.., b' '..=b'~'])
            && matches!(chunk.as_bytes()[before..], [0..=0x7f, ..]);
        if known || at == Byte(0) || at == self.end() {
            return at;
        }
        let back = self.prev_grapheme(at);
        if self.next_grapheme(back) > at { back } else { at }
    }

    /// The nearest character boundary at or before an offset.
    pub fn char_floor(&self, at: Byte) -> Byte {
        let (chunk, start) = self.chunk_at(at);
        Byte(start.0 + chunk.floor_char_boundary(at - start))
    }

    fn give_context(&self, cursor: &mut GraphemeCursor, end: usize) {
        let (chunk, start) = self.chunk_at(Byte(end - 1));
        cursor.provide_context(&chunk[..end - start.0], start.0);
    }

    /// Inserts text. Only `changes` may call it; all other edits are transactions.
    pub(super) fn insert(&mut self, at: Byte, text: &str) {
        let char_index = self.rope.byte_to_char(at.0);
        self.rope.insert(char_index, text);
        match &mut self.long {
            Some(long) => Arc::make_mut(long).update(at.0, 0, text.len(), &self.rope),
            None if text.len() >= LONG => self.long = LongLines::of(&self.rope).map(Arc::new),
            None => {}
        }
    }

    /// Removes a range.
    pub(super) fn remove(&mut self, range: Range<Byte>) {
        let start = self.rope.byte_to_char(range.start.0);
        let end = self.rope.byte_to_char(range.end.0);
        self.rope.remove(start..end);
        if let Some(long) = &mut self.long {
            Arc::make_mut(long).update(range.start.0, range.end - range.start, 0, &self.rope);
        }
    }
}

mod lines;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rope_lines_end_before_lf_and_crlf() {
        let text = Text::from("one\r\ntwo\n\nlast");
        let lines: Vec<_> = (0..text.line_count()).map(|n| text.line(Line(n)).into_owned()).collect();
        assert_eq!(lines, ["one", "two", "", "last"]);
        assert_eq!(text.line_of(Byte(5)), Line(1));
        assert_eq!(text.line_start(Line(99)), text.end());
    }

    #[test]
    fn rope_slices_snap_to_char_boundaries() {
        let plain = "aé漢👩\u{fffd}".repeat(300);
        let text = Text::from(plain.as_str());
        let floor = |at: usize| plain.floor_char_boundary(at);
        for from in (0..plain.len() + 3).step_by(7) {
            for len in [0, 1, 2, 3, 50, 1_000, 5_000] {
                let range = Byte(from)..Byte(from + len);
                let expected = &plain[floor(from)..floor(from + len)];
                assert_eq!(text.slice(range.clone()), expected, "{range:?}");
                assert_eq!(text.chunks_in(range).collect::<String>(), expected);
            }
            assert_eq!(text.chunks_from(Byte(from)).collect::<String>(), plain[floor(from)..]);
        }
        assert_eq!(text.slice(Byte(9)..Byte(4)), "", "an end before the start");
    }

    #[test]
    fn rope_graphemes_across_chunks_match_string() {
        // Clusters whose cut depends on what stands before the chunk, at every distance from a border.
        let clusters = [
            "\u{600}🇩🇪\u{301}",
            "🇩🇪🇫🇷",
            "\u{600}👩\u{200d}👩",
            "\u{600}\u{600}क्षि",
            "👩\u{301}\u{200d}👩🇩",
            "\r\n",
        ];
        for cluster in clusters {
            let unit = cluster.repeat(3);
            for before in 0..cluster.len() {
                let plain = format!("{}{}", "a".repeat(before), unit.repeat(4_000 / unit.len()));
                agree(&plain);
            }
        }
    }

    /// Goes through a text cluster by cluster, both ways, and compares with the library's own iterator.
    fn agree(plain: &str) {
        let text = Text::from(plain);
        let mut at = Byte(0);
        for grapheme in plain.graphemes(true) {
            let next = text.next_grapheme(at);
            assert_eq!(&*text.slice(at..next), grapheme, "{at:?}");
            assert_eq!(text.prev_grapheme(next), at);
            at = next;
        }
        assert_eq!(at, text.end());
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(64))]
        #[test]
        fn rope_graphemes_match_string(parts in prop::collection::vec("[a-c]{1,9}|\r\n|\r|\u{7}|\t|e\u{301}|\u{301}|\u{200d}|\u{600}|1\u{fe0f}\u{20e3}|é|👩‍👩‍👧|🇩🇪|क्षि|\n", 0..600)) {
            let plain = parts.concat();
            let text = Text::from(plain.as_str());
            let mut at = Byte(0);
            for grapheme in plain.graphemes(true) {
                let next = text.next_grapheme(at);
                prop_assert_eq!(&*text.slice(at..next), grapheme);
                prop_assert_eq!(text.prev_grapheme(next), at);
                for inside in at.0..next.0 {
                    prop_assert_eq!(text.grapheme_floor(Byte(inside)), at);
                }
                at = next;
            }
            prop_assert_eq!(at, text.end());
        }
    }

    proptest::proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn rope_lines_from_match_single_lookups(
            parts in prop::collection::vec(("[a\n\ré]{0,40}", 1usize..3_000), 0..4),
            long in 0usize..3,
            from in 0usize..10,
        ) {
            let parts = parts.iter().map(|(part, times)| part.repeat(*times));
            let text = parts.collect::<Vec<_>>().join(&"é".repeat(long * 20_000));
            let text = Text::from(text.as_str());
            let from = from.min(text.last_line().0);
            let wanted: Vec<_> = (from..=text.last_line().0.min(from + 200))
                .map(|line| text.line_start(Line(line))..text.line_end(Line(line)))
                .collect();
            let found: Vec<_> = text.lines_from(Line(from)).take(201).collect();
            proptest::prop_assert_eq!(found, wanted);
        }
    }
}
