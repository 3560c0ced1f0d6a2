//! Markdown that grows while it is shown. A closed piece is laid out once per width to count its lines, and
//! again when it scrolls back on screen; only the open end is laid out at every change.
//!
//! Must not know themes or canvases; lines carry scopes. Text is divided between blocks, and code line by
//! line, so that the open end is bounded. References defined in another block are not resolved.

pub mod bare_urls;
pub mod code_blocks;
pub mod layout;
pub mod math;
pub mod split;
pub mod table;

use std::ops::Range;

use crate::tui::widgets::line::{self, Line};
use crate::tui::widgets::line_cache::LineCache;
use crate::tui::widgets::markdown::code_blocks::{Block, CODE, CodeBlocks, Colored};
use crate::tui::widgets::markdown::split::{Piece, PieceKind, Splitter};

/// Approximate number of bytes of code lines in one piece.
const CODE_PIECE: usize = 1 << 10;

/// A closed piece; small because a text has many.
#[derive(Debug, Clone, Copy)]
struct ClosedPiece {
    start: u32,
    end: u32,
    kind: PieceKind,
    gap: bool,
}

impl ClosedPiece {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Layout of a Markdown text. The caller keeps the text and passes it with each call.
#[derive(Debug, Default)]
pub struct Markdown {
    /// Whether a screen reader reads it.
    is_linear: bool,
    splitter: Splitter,
    /// Closed pieces, in order.
    pieces: Vec<ClosedPiece>,
    /// Bytes of closed pieces whose lines were counted.
    counted: usize,
    /// Bytes of the text already processed.
    seen: usize,
    finished: bool,
    /// Width of the lines; 0 when there are none.
    width: u16,
    /// The lines of closed pieces.
    cache: LineCache,
    /// The lines of the open end.
    open: Vec<Line>,
    /// A blank line is due before the next line.
    gap: bool,
    /// Whether text was added since the lines were made.
    stale: bool,
    codes: CodeBlocks,
    /// Bytes laid out so far, for the test that streaming is linear.
    laid_bytes: usize,
}

impl Markdown {
    /// Returns an empty layout for screen readers: words in place of what is seen by position, size and signs.
    pub fn linear() -> Self {
        Self { is_linear: true, ..Self::default() }
    }

    /// Marks the text as complete: an end that might have become markup is shown literally.
    pub fn finish(&mut self) {
        self.finished = true;
        self.stale = true;
    }

    /// Returns the number of lines at a width; a width of 0 counts as 1. The text must start with the text of
    /// earlier calls.
    pub fn height(&mut self, text: &str, width: u16) -> usize {
        self.lay_out(text, width.max(1));
        self.cache.height() + self.open.len()
    }

    /// Passes the lines of a range to `draw`. None is wider than `width`.
    pub fn visit(&mut self, text: &str, width: u16, range: Range<usize>, draw: &mut impl FnMut(&Line)) {
        self.lay_out(text, width.max(1));
        let (pieces, codes, width) = (&self.pieces, &self.codes, (self.width, self.is_linear));
        let mut laid_bytes = 0;
        let make = |n: usize| {
            let range = pieces[n].range();
            laid_bytes += range.len();
            lines_of(pieces[n].kind, n, range, text, codes, width)
        };
        self.cache.visit(range.clone(), make, draw);
        self.laid_bytes += laid_bytes;
        let above = self.cache.height();
        let (from, to) = (range.start.saturating_sub(above), range.end.saturating_sub(above));
        self.open.iter().take(to).skip(from).for_each(draw);
        if let Some(last) = range.end.min(above).checked_sub(1).filter(|last| *last >= range.start) {
            self.codes.on_shown(
                self.cache.piece_at(range.start)..self.cache.piece_at(last) + 1,
                text,
                self.width,
            );
        }
        self.codes.drop_colors(&self.cache);
    }

    /// Returns the number of bytes laid out since the beginning.
    pub fn laid_bytes(&self) -> usize {
        self.laid_bytes
    }

    /// Returns its size in bytes.
    pub fn bytes(&self) -> usize {
        let pieces = self.pieces.capacity() * size_of::<ClosedPiece>();
        pieces + self.cache.bytes() + line::bytes(&self.open) + self.codes.bytes()
    }

    /// Takes the complete code blocks that were shown since the last call and have no colors, for
    /// [`Self::color`].
    pub fn take_blocks(&mut self) -> Vec<Block> {
        self.codes.take_pending()
    }

    /// Applies scopes to the parts of a block. Ranges are relative to its code, sorted and disjoint. The
    /// length of lines does not change. Returns whether the block is in this text and wanted colors.
    pub fn color(&mut self, text: &str, block: &Block, colors: &[Colored]) -> bool {
        match self.codes.color(text, block, colors) {
            Some(pieces) => {
                self.cache.drop_lines(pieces);
                true
            }
            None => false,
        }
    }

    /// Shows a block as a drawing that stands in place of its code, as long as the width stays the same. Lines that are
    /// wider than the text are cut. Returns whether the block is in this text.
    pub fn draw(&mut self, text: &str, block: &Block, lines: Vec<String>) -> bool {
        let is_drawn = block.width == self.width && self.codes.draw(text, block, lines);
        if is_drawn {
            self.lay_out_again();
        }
        is_drawn
    }

    fn lay_out_again(&mut self) {
        self.cache.clear();
        (self.counted, self.gap, self.stale) = (0, false, true);
    }

    fn lay_out(&mut self, text: &str, width: u16) {
        if self.seen != text.len() {
            (self.seen, self.finished, self.stale) = (text.len(), false, true);
            self.split(text);
        }
        if self.width != width {
            self.width = width;
            self.codes.drop_drawings();
            self.lay_out_again();
        }
        if !std::mem::take(&mut self.stale) {
            return;
        }
        self.count(text, width);
        self.open.clear();
        let Some(open) = self.splitter.open(text, self.finished) else { return };
        let lines = self.lines_of(open.kind, self.pieces.len(), open.range, text, width);
        if (self.gap || open.gap) && !lines.is_empty() && self.cache.height() > 0 {
            self.open.push(Line::new());
        }
        self.open.extend(lines);
    }

    /// Lays out the pieces that were closed since the last call.
    fn count(&mut self, text: &str, width: u16) {
        // The last piece may have grown by lines of code.
        for n in self.cache.pieces().saturating_sub(1)..self.pieces.len() {
            let piece = self.pieces[n];
            let range = piece.range().start.max(self.counted)..piece.range().end;
            let known = n < self.cache.pieces();
            if range.is_empty() && known {
                continue;
            }
            self.counted = range.end;
            let lines = self.lines_of(piece.kind, n, range, text, width);
            if known {
                self.cache.extend(lines);
                continue;
            }
            self.gap |= piece.gap;
            let gap = self.gap;
            self.gap &= lines.is_empty();
            self.cache.push(gap, lines);
        }
    }

    fn lines_of(
        &mut self,
        kind: PieceKind,
        n: usize,
        range: Range<usize>,
        text: &str,
        width: u16,
    ) -> Vec<Line> {
        self.laid_bytes += range.len();
        lines_of(kind, n, range, text, &self.codes, (width, self.is_linear))
    }

    fn split(&mut self, text: &str) {
        // Text beyond that is laid out as a whole.
        while u32::try_from(text.len()).is_ok()
            && let Some(piece) = self.splitter.next(text)
        {
            self.close(piece);
        }
    }

    fn close(&mut self, piece: Piece) {
        let Piece { range, kind, gap } = piece;
        let (start, end) = (range.start as u32, range.end as u32);
        match (kind, self.pieces.last_mut()) {
            (PieceKind::Code, Some(last)) if last.kind == kind && last.range().len() < CODE_PIECE => {
                last.end = end;
                return;
            }
            (PieceKind::Fence, _) => self.codes.open(self.pieces.len(), range),
            (PieceKind::FenceEnd, _) => self.codes.close(self.pieces.len(), range.start),
            (PieceKind::Prose | PieceKind::Code | PieceKind::Hidden, _) => {}
        }
        self.pieces.push(ClosedPiece { start, end, kind, gap });
    }
}

/// Lays out a part of the piece `n` at a width, for screen readers or not.
fn lines_of(
    kind: PieceKind,
    n: usize,
    range: Range<usize>,
    text: &str,
    codes: &CodeBlocks,
    (width, is_linear): (u16, bool),
) -> Vec<Line> {
    let part = &text[range.clone()];
    match kind {
        PieceKind::Prose if is_linear => layout::linear_prose(part, width),
        PieceKind::Prose => layout::prose(part, width),
        PieceKind::Fence if is_linear => layout::code_mark(Some(part), width),
        PieceKind::FenceEnd if is_linear => layout::code_mark(None, width),
        PieceKind::Fence => layout::language(part, width, &[]),
        PieceKind::Code if let Some((drawing, is_first)) = codes.drawing(n) => {
            let lines = drawing.iter().filter(|_| is_first);
            lines.flat_map(|line| layout::code(line, width, CODE, &[])).collect()
        }
        PieceKind::Code => {
            let mut at = range.start;
            let mut lines = Vec::new();
            for line in part.split_inclusive('\n') {
                let code = at..at + layout::without_ending(line).len();
                lines.extend(layout::colored(&codes.spans(n, text, code), width, CODE, &[]));
                at += line.len();
            }
            lines
        }
        PieceKind::FenceEnd | PieceKind::Hidden => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
