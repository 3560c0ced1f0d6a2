//! Heights of the pieces of a text, and a cache of the lines of the pieces shown last.
//!
//! Must not know what a piece is: the caller lays dropped lines out again. A long text keeps one number per
//! piece and the lines of about a screen, so its memory does not depend on how much of it was laid out.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::tui::widgets::line::{self, Line};

/// Maximum bytes of cached lines in addition to those on screen.
const CACHED_MAX: usize = 64 << 10;

/// Heights of all pieces, lines of some.
#[derive(Debug, Default)]
pub struct LineCache {
    /// Cumulative height up to and including each piece.
    ends: Vec<usize>,
    lines: BTreeMap<usize, Vec<Line>>,
    /// Bytes of `lines`.
    bytes: usize,
}

impl LineCache {
    /// Adds the lines of the next piece. With `gap` a blank line precedes them, unless they are the first.
    pub fn push(&mut self, gap: bool, lines: Vec<Line>) {
        let blank = gap && !lines.is_empty() && self.height() > 0;
        let piece = self.ends.len();
        self.ends.push(self.height() + usize::from(blank) + lines.len());
        self.insert(piece, lines);
        while self.bytes > CACHED_MAX && self.lines.len() > 1 {
            self.drop_piece(self.lines.keys().next().copied());
        }
    }

    /// Adds lines to the last piece.
    pub fn extend(&mut self, mut lines: Vec<Line>) {
        let Some(piece) = self.pieces().checked_sub(1) else { return };
        self.ends[piece] += lines.len();
        // If the lines above were dropped, the whole piece is laid out again.
        if let Some(known) = self.lines.get_mut(&piece) {
            self.bytes -= line::bytes(known);
            known.append(&mut lines);
            self.bytes += line::bytes(known);
        }
    }

    /// Lines of all pieces.
    pub fn height(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Returns the number of pieces.
    pub fn pieces(&self) -> usize {
        self.ends.len()
    }

    /// Returns the piece that contains a line, or that follows it if it is a blank line between pieces.
    pub fn piece_at(&self, line: usize) -> usize {
        self.ends.partition_point(|end| *end <= line)
    }

    /// Passes the lines of a range to `draw`; `make` lays out a piece whose lines were dropped. Afterwards
    /// the lines of other pieces are kept up to the limit.
    pub fn visit(
        &mut self,
        range: Range<usize>,
        mut make: impl FnMut(usize) -> Vec<Line>,
        draw: &mut impl FnMut(&Line),
    ) {
        let range = range.start..range.end.min(self.height());
        if range.is_empty() {
            return;
        }
        let pieces = self.piece_at(range.start)..self.piece_at(range.end - 1) + 1;
        let blank = Line::new();
        for piece in pieces.clone() {
            if !self.lines.contains_key(&piece) {
                self.insert(piece, make(piece));
            }
            let Some(lines) = self.lines.get(&piece) else { continue };
            let first = self.ends[piece] - lines.len();
            let start = piece.checked_sub(1).map_or(0, |above| self.ends[above]);
            for at in start.max(range.start)..self.ends[piece].min(range.end) {
                draw(at.checked_sub(first).and_then(|n| lines.get(n)).unwrap_or(&blank));
            }
        }
        if self.bytes > CACHED_MAX {
            let others: Vec<usize> = self.lines.keys().copied().filter(|n| !pieces.contains(n)).collect();
            for piece in others {
                self.drop_piece(Some(piece));
            }
        }
    }

    /// Drops the lines of some pieces, which are laid out again when visited. Their number must stay the
    /// same.
    pub fn drop_lines(&mut self, pieces: Range<usize>) {
        let dropped: Vec<usize> = self.lines.range(pieces).map(|(piece, _)| *piece).collect();
        for piece in dropped {
            self.drop_piece(Some(piece));
        }
    }

    /// Returns whether the lines of one of these pieces are cached.
    pub fn holds_any(&self, pieces: Range<usize>) -> bool {
        self.lines.range(pieces).next().is_some()
    }

    /// Clears everything, as for another width.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns its size in bytes.
    pub fn bytes(&self) -> usize {
        self.ends.capacity() * size_of::<usize>() + self.bytes
    }

    fn insert(&mut self, piece: usize, lines: Vec<Line>) {
        self.bytes += line::bytes(&lines);
        self.lines.insert(piece, lines);
    }

    fn drop_piece(&mut self, piece: Option<usize>) {
        if let Some(lines) = piece.and_then(|piece| self.lines.remove(&piece)) {
            self.bytes -= line::bytes(&lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widgets::line::Span;

    fn piece(n: usize) -> Vec<Line> {
        (0..n % 3).map(|row| vec![Span::new(format!("{n}.{row} {}", "x".repeat(100)), "t")]).collect()
    }

    fn filled(pieces: usize) -> LineCache {
        let mut cache = LineCache::default();
        (0..pieces).for_each(|n| cache.push(n % 2 == 0, piece(n)));
        cache
    }

    fn rows(cache: &mut LineCache, range: Range<usize>) -> Vec<String> {
        let mut out = Vec::new();
        cache.visit(range, piece, &mut |line: &Line| {
            out.push(
                line.first()
                    .map_or(String::new(), |span| span.text[..span.text.find(' ').unwrap()].to_string()),
            );
        });
        out
    }

    #[test]
    fn line_cache_visit_gives_lines_and_blanks_in_order() {
        let mut cache = filled(6);
        let all = ["1.0", "", "2.0", "2.1", "", "4.0", "5.0", "5.1"];
        assert_eq!(cache.height(), all.len());
        for range in [0..8, 0..3, 1..2, 4..7, 7..20, 8..9, 3..3] {
            let expected = &all[range.start..range.end.min(all.len())];
            assert_eq!(rows(&mut cache, range.clone()), expected, "{range:?}");
        }
    }

    #[test]
    fn line_cache_many_pieces_hold_bounded_bytes() {
        let mut cache = filled(10_000);
        let index = cache.ends.capacity() * size_of::<usize>();
        assert!(cache.bytes() - index <= CACHED_MAX, "{} bytes after counting", cache.bytes() - index);
        let height = cache.height();
        for start in (0..height).step_by(height / 50) {
            rows(&mut cache, start..start + 40);
            assert!(cache.bytes() - index <= CACHED_MAX, "{} bytes at {start}", cache.bytes() - index);
        }
        assert_eq!(rows(&mut cache, 0..2), ["1.0", ""]);
        let held: usize = cache.lines.values().map(|lines| line::bytes(lines)).sum();
        assert_eq!(cache.bytes, held, "the count is that of what is held");
    }
}
