//! Markdown that grows while it is shown: what is closed is laid out once per width, and only
//! the open end anew.
//!
//! May not know themes or canvases; lines carry scopes. Text is divided at boundaries between
//! blocks, and code line by line, so that the open end is bounded. References that are defined
//! in another block are not followed.

pub mod layout;
pub mod split;
pub mod table;

use std::ops::Range;

use crate::tui::widgets::line::{Line, Span};
use crate::tui::widgets::markdown::split::{Kind, Piece, Splitter};

/// The scope of code, and the ground of its parts.
pub const CODE: &str = "markdown.code.block";

/// A fenced block of code that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What its fence calls its language; may be nothing.
    pub language: String,
    /// Where its code begins in the text.
    pub start: usize,
    /// The code.
    pub code: String,
}

/// A part of the text with a scope.
pub type Colored = (Range<usize>, &'static str);

/// A text in markdown and its lines.
#[derive(Debug, Default)]
pub struct Markdown {
    text: String,
    splitter: Splitter,
    /// What is closed, in order.
    pieces: Vec<Piece>,
    finished: bool,
    /// The width of `lines`; 0 when there are none.
    width: u16,
    lines: Vec<Line>,
    /// How many of `lines` belong to closed pieces, and of how many pieces.
    closed_lines: usize,
    laid_pieces: usize,
    /// A blank line is due before the next line.
    gap: bool,
    /// Text was added since `lines` was made.
    stale: bool,
    /// The piece that opened the fenced block at hand.
    fence: Option<usize>,
    /// Blocks that were completed and not yet asked for.
    blocks: Vec<Block>,
    /// Scopes of parts of code, sorted.
    colors: Vec<Colored>,
    /// The first line of each piece that is laid out.
    piece_lines: Vec<usize>,
    /// Bytes laid out so far, for the proof that streaming is linear.
    laid_bytes: usize,
}

impl Markdown {
    /// A whole text.
    pub fn new(text: &str) -> Self {
        let mut markdown = Self::default();
        markdown.set(text);
        markdown
    }

    /// Adds to the end of a text that is still coming.
    pub fn push(&mut self, delta: &str) {
        self.text.push_str(delta);
        self.finished = false;
        self.stale = true;
        self.split();
    }

    /// Says that nothing more comes: an end that might have become a mark is shown as it is.
    pub fn finish(&mut self) {
        self.finished = true;
        self.stale = true;
    }

    /// Replaces everything by a whole text.
    pub fn set(&mut self, text: &str) {
        *self = Self { text: text.to_string(), laid_bytes: self.laid_bytes, ..Self::default() };
        self.split();
        self.finish();
    }

    /// The text as it came.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines at a width; none is wider. A width of 0 counts as 1.
    pub fn lines(&mut self, width: u16) -> &[Line] {
        let width = width.max(1);
        if self.width != width {
            self.forget();
            self.width = width;
        }
        if self.stale {
            self.lay_out(width);
        }
        &self.lines
    }

    /// Drops the lines, to save memory while they are not seen.
    pub fn forget(&mut self) {
        self.width = 0;
        self.lines = Vec::new();
        (self.closed_lines, self.laid_pieces, self.gap, self.stale) = (0, 0, false, true);
        self.piece_lines.clear();
    }

    /// Bytes laid out since the beginning.
    pub fn laid_bytes(&self) -> usize {
        self.laid_bytes
    }

    /// Blocks of code that were completed since the last call, for [`Self::color`].
    pub fn take_blocks(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.blocks)
    }

    /// Gives the parts of a block their scopes; ranges are those of its code, sorted and apart.
    /// Lines stay as long as they are, so only these are made again. Tells whether the block is
    /// in this text.
    pub fn color(&mut self, block: &Block, colors: &[Colored]) -> bool {
        let range = block.start..block.start + block.code.len();
        if self.text.get(range.clone()) != Some(&*block.code) {
            return false;
        }
        self.colors.retain(|(part, _)| part.end <= range.start || part.start >= range.end);
        let at = self.colors.partition_point(|(part, _)| part.start < range.start);
        let moved = |(part, scope): &Colored| (part.start + range.start..part.end + range.start, *scope);
        self.colors.splice(at..at, colors.iter().map(moved));
        let from = self.pieces.partition_point(|piece| piece.range.end <= range.start);
        for n in from..self.laid_pieces {
            let piece = &self.pieces[n];
            if piece.range.start >= range.end {
                break;
            }
            if piece.kind == Kind::Code
                && let Some(first) = self.piece_lines.get(n)
            {
                let lines = self.code(piece.range.clone(), self.width);
                let end = (first + lines.len()).min(self.lines.len());
                self.lines.splice(*first..end, lines);
            }
        }
        true
    }

    /// The lines of a piece of code.
    fn code(&self, range: Range<usize>, width: u16) -> Vec<Line> {
        let end = range.start + layout::without_ending(&self.text[range.clone()]).len();
        let from = self.colors.partition_point(|(part, _)| part.end <= range.start);
        let (mut spans, mut at) = (Vec::new(), range.start);
        for (part, scope) in self.colors[from..].iter().take_while(|(part, _)| part.start < end) {
            let (start, stop) = (part.start.max(at), part.end.min(end));
            // Whoever found the colours may have cut a character: the text matters more.
            let (Some(before), Some(text)) = (self.text.get(at..start), self.text.get(start..stop)) else {
                continue;
            };
            spans.push(Span::new(before, CODE));
            spans.push(Span::new(text, scope));
            at = stop;
        }
        spans.push(Span::new(&self.text[at..end], CODE));
        layout::colored(&spans, width, CODE, &[])
    }

    fn split(&mut self) {
        while let Some(piece) = self.splitter.next(&self.text) {
            match piece.kind {
                Kind::Fence => self.fence = Some(self.pieces.len()),
                Kind::FenceEnd => self.complete(piece.range.start),
                Kind::Prose | Kind::Code | Kind::Hidden => {}
            }
            self.pieces.push(piece);
        }
    }

    /// The block of code that ends here is complete.
    fn complete(&mut self, end: usize) {
        let Some(fence) = self.fence.take().map(|at| self.pieces[at].range.clone()) else { return };
        let language = layout::fence_name(&self.text[fence.clone()]).to_string();
        let code = self.text[fence.end..end].to_string();
        self.blocks.push(Block { language, start: fence.end, code });
    }

    fn lay_out(&mut self, width: u16) {
        self.lines.truncate(self.closed_lines);
        while let Some(piece) = self.pieces.get(self.laid_pieces).cloned() {
            self.laid_pieces += 1;
            let first = self.append(&piece, width);
            self.piece_lines.push(first);
        }
        self.closed_lines = self.lines.len();
        let gap = self.gap;
        if let Some(open) = self.splitter.open(&self.text, self.finished) {
            self.append(&open, width);
        }
        self.gap = gap;
        self.stale = false;
    }

    /// Lays a piece out below what is there; returns the place of its first line.
    fn append(&mut self, piece: &Piece, width: u16) -> usize {
        let text = &self.text[piece.range.clone()];
        self.laid_bytes += text.len();
        self.gap |= piece.gap;
        let lines = match piece.kind {
            Kind::Prose => layout::prose(text, width),
            Kind::Fence => layout::language(text, width, &[]),
            Kind::Code => self.code(piece.range.clone(), width),
            Kind::FenceEnd | Kind::Hidden => Vec::new(),
        };
        if !lines.is_empty() {
            if self.gap && !self.lines.is_empty() {
                self.lines.push(Line::new());
            }
            self.gap = false;
        }
        let first = self.lines.len();
        self.lines.extend(lines);
        first
    }
}

#[cfg(test)]
mod tests;
