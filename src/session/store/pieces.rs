//! The lines of a session file, read a few pieces at a time and looked through on several threads.
//!
//! Must not know trees: says of each line what it is.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::base::shares;
use crate::session::checkpoints;
use crate::session::entry::Place;
use crate::session::head::{self, Head};
use crate::session::sums::{self, Counted};

/// Bytes of a piece; more only where a line is longer.
const PIECE: usize = 1 << 20;

/// What a line is.
pub(super) enum Found<'a> {
    /// Nothing, or what it is was not asked.
    Text(&'a str),
    /// An entry.
    Entry(Head<'a>, Told),
    /// One that is written in another way.
    Other(Box<Place>, Told),
    /// No entry; why not.
    Wrong(String),
}

/// What an entry says that is remembered of it.
pub(super) struct Told {
    /// What was spent on it.
    pub(super) spent: Option<Counted>,
    /// Whether the workspace was brought back to a state.
    pub(super) restores: bool,
}

/// A line.
pub(super) struct Line<'a> {
    /// As it stands there, with its line feed.
    pub(super) bytes: &'a [u8],
    /// Bytes without what ends it.
    pub(super) length: usize,
    pub(super) found: Found<'a>,
}

impl Line<'_> {
    /// The id, of an entry.
    pub(super) fn id(&self) -> Option<&str> {
        match &self.found {
            Found::Entry(head, _) => Some(head.id),
            Found::Other(place, _) => Some(&place.id),
            Found::Text(_) | Found::Wrong(_) => None,
        }
    }
}

/// A file that is read from a byte on, up to another one, or up to where it ended in the middle of a line: what is
/// written of that line meanwhile is none.
pub(super) struct Pieces<'f> {
    file: &'f File,
    at: u64,
    end: u64,
    /// Where pieces are read to, time after time.
    buffers: Vec<Vec<u8>>,
}

impl<'f> Pieces<'f> {
    pub(super) fn of(file: &'f File, at: u64, end: u64) -> Self {
        Self { file, at, end, buffers: Vec::new() }
    }

    /// Behind the last byte that was read.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// The next pieces, whole lines each, but where the file ends within one; none at the end.
    pub(super) fn next(&mut self, count: usize) -> io::Result<Vec<&[u8]>> {
        self.buffers.resize_with(count.max(self.buffers.len()), Vec::new);
        let mut lengths = Vec::with_capacity(count);
        for n in 0..count {
            match self.fill(n)? {
                0 => break,
                length => lengths.push(length),
            }
        }
        Ok(self.buffers.iter().zip(lengths).map(|(buffer, length)| &buffer[..length]).collect())
    }

    /// Reads one, and says how long it is.
    fn fill(&mut self, n: usize) -> io::Result<usize> {
        let mut size = PIECE;
        loop {
            let wanted = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(size).min(size);
            let buffer = &mut self.buffers[n];
            buffer.resize(wanted.max(buffer.len()), 0);
            let read = read_at(self.file, &mut buffer[..wanted], self.at)?;
            let whole = memchr::memrchr(b'\n', &buffer[..read]).map(|feed| feed + 1);
            let length = match whole {
                _ if read < size => read,
                Some(whole) => whole,
                None => {
                    size *= 2;
                    continue;
                }
            };
            self.at += length as u64;
            if !self.buffers[n][..length].ends_with(b"\n") {
                self.end = self.at;
            }
            return Ok(length);
        }
    }
}

/// Reads as much as there is and has room.
fn read_at(file: &File, mut room: &mut [u8], mut at: u64) -> io::Result<usize> {
    let size = room.len();
    while !room.is_empty() {
        match file.read_at(room, at) {
            Ok(0) => break,
            Ok(read) => {
                at += read as u64;
                room = &mut room[read..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(size - room.len())
}

/// Looks through pieces. Where entries are not asked for, all lines are texts.
pub(super) fn look<'a>(pieces: &[&'a [u8]], entries: bool) -> Vec<Vec<Line<'a>>> {
    shares::each(pieces, 1, |share| {
        let mut lines = Vec::new();
        for mut rest in share.iter().copied() {
            while !rest.is_empty() {
                let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |feed| feed + 1);
                let (bytes, behind) = rest.split_at(end);
                lines.push(line(bytes, entries));
                rest = behind;
            }
        }
        lines
    })
}

fn line(bytes: &[u8], entries: bool) -> Line<'_> {
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    let found = match std::str::from_utf8(text) {
        Err(_) => Found::Wrong("not UTF-8".to_string()),
        Ok(text) if !entries || text.trim().is_empty() => Found::Text(text),
        Ok(text) => entry(text),
    };
    Line { bytes, length: text.len(), found }
}

fn entry(text: &str) -> Found<'_> {
    if let Some(head) = head::of(text) {
        let spent = sums::spent_by_head(&head, text);
        let told = Told { spent, restores: checkpoints::restores(head.kind, text) };
        return Found::Entry(head, told);
    }
    match Place::decode(text) {
        Ok(place) => {
            let spent = sums::spent(&place.kind, place.role, text);
            let told = Told { spent, restores: checkpoints::restores(&place.kind, text) };
            Found::Other(Box::new(place), told)
        }
        Err(error) => Found::Wrong(format!("not an entry ({error})")),
    }
}
