//! Reads the lines of a session file in pieces and parses them on several threads.
//!
//! Must not know trees: classifies each line.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::base::parallel;
use crate::session::format::entry::EntryHead;
use crate::session::format::line_head;
use crate::session::restore::checkpoints;
use crate::session::tree::id_hash::IdHasher;
use crate::session::usage::line::SummedUsage;
use crate::session::usage::totals;

/// Bytes of a piece. A line belongs to the piece in which it starts.
const CHUNK: usize = 256 << 10;
/// Bytes that are first read of a line that exceeds its piece; then four times as many, and so on.
const LONG_LINE_READ: usize = 16 << 10;

/// Classification of a line.
#[expect(clippy::large_enum_variant, reason = "nearly all are the largest")]
pub(super) enum LineKind {
    /// An entry, with the hash of its id.
    Entry(EntryHead, u32, EntryFacts),
    /// Empty, or not classified.
    Nothing,
    /// The text; classification was not requested.
    Text(String),
    /// Not an entry; the reason.
    Invalid(String),
}

/// Facts from an entry's content that the index keeps.
pub(super) struct EntryFacts {
    /// Its usage.
    pub(super) usage: Option<SummedUsage>,
    /// Whether it records a restore of the workspace.
    pub(super) is_restore: bool,
}

/// A line, or several empty ones.
pub(super) struct Line {
    /// Number of lines.
    pub(super) lines: u64,
    /// Bytes including the line feed.
    pub(super) bytes: usize,
    /// Bytes without the line feed.
    pub(super) length: usize,
    pub(super) kind: LineKind,
}

impl Line {
    /// Returns the id of an entry.
    pub(super) fn id(&self) -> Option<&str> {
        match &self.kind {
            LineKind::Entry(head, ..) => Some(&head.id),
            LineKind::Nothing | LineKind::Text(_) | LineKind::Invalid(_) => None,
        }
    }

    /// Returns the hash of the id.
    pub(super) fn id_hash(&self) -> Option<u32> {
        match &self.kind {
            LineKind::Entry(_, sum, _) => Some(*sum),
            LineKind::Nothing | LineKind::Text(_) | LineKind::Invalid(_) => None,
        }
    }
}

/// Consecutive lines.
#[derive(Default)]
pub(super) struct Chunk {
    /// Byte offset of the first line.
    pub(super) from: u64,
    pub(super) lines: Vec<Line>,
    /// The last line, if it lacks its line feed, with its bytes.
    pub(super) tail: Option<(Line, Vec<u8>)>,
    failed: Option<io::Error>,
}

impl Chunk {
    /// Adds a line. Empty lines are merged: a line takes a hundred times the memory of an empty one.
    fn push(&mut self, line: Line) {
        match self.lines.last_mut() {
            Some(Line { lines, bytes, kind: LineKind::Nothing, .. })
                if matches!(line.kind, LineKind::Nothing) =>
            {
                (*lines, *bytes) = (*lines + line.lines, *bytes + line.bytes);
            }
            _ => self.lines.push(line),
        }
    }

    /// Whether no line starts in it.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.tail.is_none()
    }
}

/// A part of a file from the beginning of a line on. Concurrent appends are not part of it.
pub(super) struct FilePart<'f> {
    pub(super) file: &'f File,
    /// Its first byte.
    pub(super) from: u64,
    /// The byte after its last one.
    pub(super) end: u64,
    /// Whether to parse the lines as entries; otherwise their text is returned.
    pub(super) entries: bool,
    /// Hasher of ids.
    pub(super) hasher: IdHasher,
}

impl FilePart<'_> {
    /// Reads the part and passes its pieces in order to a callback, which empties them.
    pub(super) fn each<E: From<io::Error>>(
        &self,
        mut take: impl FnMut(&mut Chunk) -> Result<(), E>,
    ) -> Result<(), E> {
        let count = self.end.saturating_sub(self.from).div_ceil(CHUNK as u64);
        let make = |n: usize, buffer: &mut Vec<u8>, piece: &mut Chunk| {
            piece.failed = self.fill(piece, n, buffer).err();
        };
        parallel::produce_ordered(count as usize, make, |piece: &mut Chunk| match piece.failed.take() {
            Some(error) => Err(error.into()),
            None => take(piece),
        })
    }

    /// Fills an empty piece with the lines that start in the n-th piece.
    fn fill(&self, piece: &mut Chunk, n: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
        let begin = self.from + n as u64 * CHUNK as u64;
        // The byte before the piece tells whether a line starts at its beginning.
        let from = begin - u64::from(n > 0);
        let end = self.end.min(begin + CHUNK as u64);
        let mut length = self.read(buffer, 0, from, (end - from) as usize)?;
        let feed = |bytes: &[u8]| memchr::memchr(b'\n', bytes).map(|feed| feed + 1);
        let first = if n == 0 { Some(0) } else { feed(&buffer[..length]) };
        let Some(first) = first.filter(|first| *first < length) else { return Ok(()) };
        let mut more = LONG_LINE_READ;
        while buffer[length - 1] != b'\n' && from + (length as u64) < self.end {
            let rest = self.end - from - length as u64;
            let read = self.read(buffer, length, from, more.min(usize::try_from(rest).unwrap_or(more)))?;
            if read == 0 {
                break;
            }
            length += feed(&buffer[length..length + read]).unwrap_or(read);
            more *= 4;
        }
        piece.from = from + first as u64;
        let mut rest = &buffer[first..length];
        while let Some(end) = feed(rest) {
            let (line, behind) = rest.split_at(end);
            piece.push(self.classify(line));
            rest = behind;
        }
        piece.tail = (!rest.is_empty()).then(|| (self.classify(rest), rest.to_vec()));
        Ok(())
    }

    /// Appends `count` bytes of the file from an offset to the buffer; returns how many there were.
    fn read(&self, buffer: &mut Vec<u8>, at: usize, from: u64, count: usize) -> io::Result<usize> {
        buffer.resize(buffer.len().max(at + count), 0);
        let mut read = 0;
        while read < count {
            match self.file.read_at(&mut buffer[at + read..at + count], from + (at + read) as u64) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(read)
    }

    fn classify(&self, bytes: &[u8]) -> Line {
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let found = match std::str::from_utf8(text) {
            Err(_) => LineKind::Invalid("not UTF-8".to_string()),
            Ok(text) if text.trim_start().is_empty() => LineKind::Nothing,
            Ok(text) if self.entries => self.entry(text),
            Ok(text) => LineKind::Text(text.to_string()),
        };
        Line { lines: 1, bytes: bytes.len(), length: text.len(), kind: found }
    }

    fn entry(&self, text: &str) -> LineKind {
        let (entry_head, spent) = match line_head::parse_head(text) {
            Some(head) => (EntryHead::of(&head), totals::usage_of_head(&head, text)),
            None => match EntryHead::decode(text) {
                Ok(entry_head) => {
                    let spent = totals::usage_of_line(&entry_head.kind, entry_head.role, text);
                    (entry_head, spent)
                }
                Err(error) => return LineKind::Invalid(format!("not an entry ({error})")),
            },
        };
        let restores = checkpoints::is_restore(&entry_head.kind, text);
        let sum = self.hasher.hash(&entry_head.id);
        LineKind::Entry(entry_head, sum, EntryFacts { usage: spent, is_restore: restores })
    }
}

#[cfg(test)]
mod tests;
