//! Finding a literal text, smart about case. Searches the rope's chunks without joining them.
//! Must not know where the question comes from.

use std::io::{self, Read};
use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::position::Byte;
use super::rope::Text;

/// A text to look for. Without upper-case letters in it, ASCII case does not matter.
#[derive(Debug, Clone)]
pub struct Needle {
    automaton: AhoCorasick,
}

impl Needle {
    /// Prepares a search; `None` for the empty text, which is nowhere.
    pub fn new(text: &str) -> Option<Self> {
        let ignore_case = !text.chars().any(char::is_uppercase);
        let automaton = AhoCorasick::builder().ascii_case_insensitive(ignore_case).build([text]).ok()?;
        (!text.is_empty()).then_some(Self { automaton })
    }

    /// A search in which case matters whatever the text is; `None` for the empty text.
    pub fn exact(text: &str) -> Option<Self> {
        let automaton = AhoCorasick::new([text]).ok()?;
        (!text.is_empty()).then_some(Self { automaton })
    }

    /// The first match that starts at or after an offset.
    pub fn find(&self, text: &Text, from: Byte) -> Option<Range<Byte>> {
        self.matches(text, from..text.end()).next()
    }

    /// The first match from an offset on, going round at the end of the text.
    pub fn find_around(&self, text: &Text, from: Byte) -> Option<Range<Byte>> {
        self.find(text, from).or_else(|| self.find(text, Byte(0)))
    }

    /// The last match that ends before or at an offset, going round at the start.
    pub fn find_back(&self, text: &Text, to: Byte) -> Option<Range<Byte>> {
        self.matches(text, Byte(0)..to).last().or_else(|| self.matches(text, Byte(0)..text.end()).last())
    }

    /// Every match inside a range, in order, without overlaps.
    pub fn matches<'t>(
        &self,
        text: &'t Text,
        range: Range<Byte>,
    ) -> impl Iterator<Item = Range<Byte>> + use<'t, '_> {
        let reader =
            ChunkReader { chunks: text.chunks_from(range.start), rest: b"", left: range.end - range.start };
        self.automaton.stream_find_iter(reader).filter_map(move |found| {
            // Reading a rope cannot fail, and the automaton reports nothing else.
            let found = found.ok()?;
            Some(range.start + found.start()..range.start + found.end())
        })
    }
}

/// Reads a rope's chunks as a stream of bytes.
struct ChunkReader<'t, I: Iterator<Item = &'t str>> {
    chunks: I,
    rest: &'t [u8],
    left: usize,
}

impl<'t, I: Iterator<Item = &'t str>> Read for ChunkReader<'t, I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.chunks.next() {
                Some(chunk) => self.rest = chunk.as_bytes(),
                None => return Ok(0),
            }
        }
        let n = self.rest.len().min(buffer.len()).min(self.left);
        let (now, later) = self.rest.split_at(n);
        buffer[..n].copy_from_slice(now);
        self.rest = later;
        self.left -= n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_found_across_chunks_and_round_the_end() {
        let plain = format!("{}Needle é\n{}needle", "x".repeat(5_000), "y".repeat(3_000));
        let text = Text::from(plain.as_str());
        let found = |needle: &str, from| {
            Needle::new(needle).unwrap().find_around(&text, Byte(from)).map(|r| r.start.0)
        };
        assert_eq!(found("needle", 0), Some(5_000), "lower case matches any");
        assert_eq!(found("Needle", 5_001), Some(5_000), "upper case matches itself, going round");
        assert_eq!(found("é\ny", 0), Some(5_007));
        assert_eq!(found("absent", 0), None);
        let last = Needle::new("needle").unwrap().find_back(&text, text.end());
        assert_eq!(last, Some(Byte(plain.len() - 6)..Byte(plain.len())));
        assert!(Needle::new("").is_none());
    }
}
