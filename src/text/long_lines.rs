//! Width index of very long lines, so that a column is found without traversing the line: the text is divided
//! into segments between graphemes, each with its width. An edit measures only the segments that it touches.
//!
//! In a long line a tab is one cell wide, because the width of a segment must not depend on preceding text.
//! Must not know screens.

use std::borrow::Cow;

use ropey::Rope;

use crate::base::width::{grapheme_width, graphemes};

/// Minimum bytes of a long line.
pub const LONG: usize = 64 << 10;
/// Bytes of a segment, about.
const SEGMENT: usize = 4 << 10;
/// Bytes searched for a boundary that edits elsewhere cannot move.
const SEARCH: usize = 512;

/// The segments of a text, in order; together they are the text.
#[derive(Debug, Clone, Default)]
pub struct LongLines {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    bytes: u32,
    /// Its width if it is part of one line.
    cells: u32,
}

/// A segment's offset and width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its start, in bytes.
    pub start: usize,
    /// Bytes.
    pub bytes: usize,
    /// Cells.
    pub cells: usize,
}

impl LongLines {
    /// Returns the segments of a text with a long line. Linear in the text's length; for usual text as fast
    /// as counting line feeds.
    pub fn of(rope: &Rope) -> Option<Self> {
        has_long(rope).then(|| Self { segments: measure(rope, 0, rope.len_bytes()) })
    }

    /// Returns the segments from the one that starts at or after an offset.
    pub fn parts_from(&self, offset: usize) -> impl Iterator<Item = Part> {
        let mut start = 0;
        let parts = self.segments.iter().map(move |segment| {
            let part = Part { start, bytes: segment.bytes as usize, cells: segment.cells as usize };
            start += part.bytes;
            part
        });
        parts.skip_while(move |part| part.start < offset)
    }

    /// Updates the index after `removed` bytes at an offset were replaced by `inserted` ones; `rope` is the
    /// new text.
    pub fn update(&mut self, at: usize, removed: usize, inserted: usize, rope: &Rope) {
        let (mut first, mut start) = (0, 0);
        // A change at a segment's edge may join graphemes across it.
        while first + 1 < self.segments.len() && start + (self.segments[first].bytes as usize) < at {
            start += self.segments[first].bytes as usize;
            first += 1;
        }
        let (mut behind, mut end) = (first, start);
        while behind < self.segments.len() && end <= at + removed {
            end += self.segments[behind].bytes as usize;
            behind += 1;
        }
        let new = measure(rope, start, end - removed + inserted);
        self.segments.splice(first..behind, new);
    }
}

/// Whether a line of a text is long.
fn has_long(rope: &Rope) -> bool {
    if rope.len_bytes() < LONG {
        return false;
    }
    let mut length = 0;
    for chunk in rope.chunks() {
        match memchr::memchr(b'\n', chunk.as_bytes()) {
            Some(first) if length + first >= LONG => return true,
            Some(_) => length = chunk.len() - memchr::memrchr(b'\n', chunk.as_bytes()).map_or(0, |n| n + 1),
            None => length += chunk.len(),
        }
        // No chunk is as long as a long line, so none is hidden in it.
        if length >= LONG {
            return true;
        }
    }
    false
}

/// Returns the segments of a part of a text between grapheme boundaries.
fn measure(rope: &Rope, start: usize, end: usize) -> Vec<Segment> {
    let mut segments = Vec::with_capacity((end - start) / SEGMENT + 1);
    let mut at = start;
    while at < end {
        let next = if end - at <= SEGMENT + SEARCH { end } else { boundary(rope, at + SEGMENT) };
        let slice = Cow::from(rope.byte_slice(at..next));
        segments.push(Segment { bytes: (next - at) as u32, cells: cells(&slice) as u32 });
        at = next;
    }
    segments
}

/// Returns a grapheme boundary at or after an offset: between two printable ASCII characters if one is near,
/// else between any two characters.
fn boundary(rope: &Rope, offset: usize) -> usize {
    let near = rope.bytes_at(offset - 1).take(SEARCH).collect::<Vec<u8>>();
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte);
    let sure = near.windows(2).position(|pair| is_plain(pair[0]) && is_plain(pair[1]));
    let any = near.windows(2).position(|pair| pair[1] & 0xc0 != 0x80 && pair != b"\r\n");
    offset + sure.or(any).unwrap_or(0)
}

fn cells(text: &str) -> usize {
    // Without a branch per byte: usual text is measured as fast as it is read.
    let odd = text.bytes().fold(false, |odd, byte| odd | !(b' '..=b'~').contains(&byte));
    if odd { graphemes(text).map(grapheme_width).sum() } else { text.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn long(unit: &str) -> String {
        unit.repeat(LONG / unit.len() + 1_000)
    }

    #[test]
    fn long_lines_are_split_only_when_long() {
        let cut = |text: &str| LongLines::of(&Rope::from_str(text)).is_some();
        assert!(!cut("short\n") && !cut(&long("a line of text\n")));
        assert!(cut(&long("x")) && cut(&format!("a\n{}\nb", long("é"))));
        assert!(cut(&"x".repeat(LONG)) && !cut(&format!("{0}\n{0}", "x".repeat(LONG - 1))));
    }

    fn check(segments: &LongLines, rope: &Rope) -> Result<(), TestCaseError> {
        let mut end = 0;
        for part in segments.parts_from(0) {
            prop_assert_eq!(part.start, end);
            end += part.bytes;
            prop_assert!(part.bytes <= 2 * (SEGMENT + SEARCH), "{:?}", part);
            let text = rope.byte_slice(part.start..end).to_string();
            prop_assert_eq!(part.cells, graphemes(&text).map(grapheme_width).sum::<usize>());
        }
        prop_assert_eq!(end, rope.len_bytes());
        Ok(())
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(48))]
        /// After any edits the segments are those of the text, as a walk finds them.
        #[test]
        fn long_lines_segments_follow_edits(
            unit in "[a-zé漢\u{301} \t]{1,9}",
            edits in proptest::collection::vec((0.0f64..1.0, 0usize..9_000, 0usize..3, "[aé\n\u{301}漢]{0,4}"), 1..8),
        ) {
            let mut rope = Rope::from_str(&long(&unit));
            let mut segments = LongLines::of(&rope).unwrap();
            check(&segments, &rope)?;
            for (place, cut, times, new) in edits {
                let chars = rope.len_chars();
                let start = (chars as f64 * place) as usize;
                let end = (start + cut).min(chars);
                let new = new.repeat(times * 1_500);
                let (from, to) = (rope.char_to_byte(start), rope.char_to_byte(end));
                rope.remove(start..end);
                rope.insert(start, &new);
                segments.update(from, to - from, new.len(), &rope);
                check(&segments, &rope)?;
            }
        }
    }
}
