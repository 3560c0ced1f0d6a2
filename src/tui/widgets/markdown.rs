//! Markdown that grows while it is shown: what is closed is laid out once per width, and only
//! the open end anew.
//!
//! May not know themes or canvases; lines carry scopes. Text is divided at boundaries between
//! blocks, and code line by line, so that the open end is bounded. References that are defined
//! in another block are not followed.

pub mod layout;
pub mod split;
pub mod table;

use crate::tui::widgets::line::Line;
use crate::tui::widgets::markdown::split::{Kind, Piece, Splitter};

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
    }

    /// Bytes laid out since the beginning.
    pub fn laid_bytes(&self) -> usize {
        self.laid_bytes
    }

    fn split(&mut self) {
        while let Some(piece) = self.splitter.next(&self.text) {
            self.pieces.push(piece);
        }
    }

    fn lay_out(&mut self, width: u16) {
        self.lines.truncate(self.closed_lines);
        while let Some(piece) = self.pieces.get(self.laid_pieces).cloned() {
            self.laid_pieces += 1;
            self.append(&piece, width);
        }
        self.closed_lines = self.lines.len();
        let gap = self.gap;
        if let Some(open) = self.splitter.open(&self.text, self.finished) {
            self.append(&open, width);
        }
        self.gap = gap;
        self.stale = false;
    }

    /// Lays a piece out below what is there.
    fn append(&mut self, piece: &Piece, width: u16) {
        let text = &self.text[piece.range.clone()];
        self.laid_bytes += text.len();
        self.gap |= piece.gap;
        let lines = match piece.kind {
            Kind::Prose => layout::prose(text, width),
            Kind::Fence => layout::language(text, width, &[]),
            Kind::Code => layout::code(text, width, "markdown.code.block", &[]),
            Kind::FenceEnd | Kind::Hidden => Vec::new(),
        };
        if !lines.is_empty() {
            if self.gap && !self.lines.is_empty() {
                self.lines.push(Line::new());
            }
            self.gap = false;
            self.lines.extend(lines);
        }
    }
}

#[cfg(test)]
mod tests;
