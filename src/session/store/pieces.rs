//! The lines of a session file, read a few pieces at a time and looked through on several threads.
//!
//! Must not know trees: says of each line what it is.

use std::io::{self, BufRead, Read};

use crate::base::shares;
use crate::llm::model::Usage;
use crate::session::entry::Place;
use crate::session::head::{self, Head};
use crate::session::sums;

/// Bytes of a piece, but for the rest of its last line.
const PIECE: u64 = 1 << 20;

/// What a line is.
pub(super) enum Found<'a> {
    /// Nothing, or what it is was not asked.
    Text(&'a str),
    /// An entry, and what was spent on it.
    Entry(Head<'a>, Option<Box<Usage>>),
    /// The same of one that is written in another way.
    Other(Box<Place>, Option<Box<Usage>>),
    /// No entry; why not.
    Wrong(String),
}

/// A line.
pub(super) struct Line<'a> {
    /// As it stands there, with its line feed.
    pub(super) bytes: &'a [u8],
    /// Bytes without what ends it.
    pub(super) length: usize,
    pub(super) found: Found<'a>,
}

/// Reads the next pieces, whole lines each, but where the file ends within one, in the place of those that were
/// read before; none at the end.
pub(super) fn read(input: &mut impl BufRead, count: usize, pieces: &mut Vec<Vec<u8>>) -> io::Result<()> {
    pieces.resize_with(count, Vec::new);
    for n in 0..count {
        let piece = &mut pieces[n];
        piece.clear();
        input.by_ref().take(PIECE).read_to_end(piece)?;
        if piece.is_empty() {
            pieces.truncate(n);
            break;
        }
        if piece.last() != Some(&b'\n') {
            input.read_until(b'\n', piece)?;
        }
    }
    Ok(())
}

/// Looks through pieces. Where entries are not asked for, all lines are texts.
pub(super) fn look(pieces: &[Vec<u8>], entries: bool) -> Vec<Vec<Line<'_>>> {
    shares::each(pieces, 1, |share| {
        let mut lines = Vec::new();
        for mut rest in share.iter().map(Vec::as_slice) {
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
        return Found::Entry(head, spent.map(Box::new));
    }
    match Place::decode(text) {
        Ok(place) => {
            let spent = sums::spent(&place.kind, place.role, text);
            Found::Other(Box::new(place), spent.map(Box::new))
        }
        Err(error) => Found::Wrong(format!("not an entry ({error})")),
    }
}
