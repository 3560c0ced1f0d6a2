//! Fenced code blocks of a text: which of them wait for colors, and the colors of those on screen.
//!
//! Must not know how colors are computed. Colors live as long as the cached lines: a block that is no longer
//! cached loses them and requests them again when it is shown.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::tui::widgets::line::Span;
use crate::tui::widgets::line_cache::LineCache;
use crate::tui::widgets::markdown::layout;

/// Scope of code, and base scope of its parts.
pub const CODE: &str = "markdown.code.block";

/// A fenced block of code that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Language named by its fence; may be empty.
    pub language: String,
    /// Start of its code in the text.
    pub start: usize,
    /// The code.
    pub code: String,
    /// Columns that a drawing in its place may have; 0 if it is not drawn.
    pub width: u16,
}

/// A part of the text with a scope.
pub type Colored = (Range<usize>, &'static str);

/// A scope of a part of a block, in bytes from the start of its code.
#[derive(Debug, Clone, Copy)]
struct Paint {
    start: u32,
    end: u32,
    scope: u16,
}

/// A block that is complete.
#[derive(Debug)]
struct CodeRange {
    /// Start of its fence.
    fence: usize,
    /// Range of its code.
    range: Range<usize>,
    /// Its pieces between the fences.
    pieces: Range<usize>,
}

/// The blocks of a text, in order.
#[derive(Debug, Default)]
pub(super) struct CodeBlocks {
    blocks: Vec<CodeRange>,
    /// Fence and pieces of the open block.
    open: Option<(usize, Range<usize>)>,
    /// Blocks with requested colors, and the colors received so far.
    requested: BTreeMap<usize, Vec<Paint>>,
    /// Requests that were not taken yet.
    pending: Vec<Block>,
    /// The scopes of paints.
    scopes: Vec<&'static str>,
    /// Blocks that are shown as drawings, with the lines of these.
    drawings: BTreeMap<usize, Vec<String>>,
}

impl CodeBlocks {
    /// A fence opens a block.
    pub(super) fn open(&mut self, piece: usize, fence: Range<usize>) {
        self.open = Some((piece, fence));
    }

    /// Closes the open block at a fence.
    pub(super) fn close(&mut self, piece: usize, end: usize) {
        if let Some((first, fence)) = self.open.take() {
            let (fence, range) = (fence.start, fence.end..end);
            self.blocks.push(CodeRange { fence, range, pieces: first + 1..piece });
        }
    }

    /// Records that these pieces were shown: their blocks request colors.
    pub(super) fn on_shown(&mut self, pieces: Range<usize>, text: &str, width: u16) {
        let from = self.blocks.partition_point(|block| block.pieces.end <= pieces.start);
        for (n, block) in self.blocks.iter().enumerate().skip(from) {
            if block.pieces.start >= pieces.end {
                break;
            }
            if !block.range.is_empty() && !self.requested.contains_key(&n) {
                self.requested.insert(n, Vec::new());
                let fence = &text[block.fence..block.range.start];
                let language = layout::fence_name(fence).to_string();
                let code = text[block.range.clone()].to_string();
                self.pending.push(Block { language, start: block.range.start, code, width });
            }
        }
    }

    /// Drops the colors of blocks whose lines are no longer cached.
    pub(super) fn drop_colors(&mut self, cache: &LineCache) {
        let blocks = &self.blocks;
        let drawings = &self.drawings;
        self.requested.retain(|n, _| drawings.contains_key(n) || cache.holds_any(blocks[*n].pieces.clone()));
    }

    /// Drops the drawings, which are for another width. Their blocks request new ones when they are shown, also those
    /// that could not be drawn.
    pub(super) fn drop_drawings(&mut self) {
        self.drawings.clear();
        self.requested.retain(|_, colors| !colors.is_empty());
    }

    /// Shows a block as a drawing. Returns whether the block is still there, and has none.
    pub(super) fn draw(&mut self, text: &str, block: &Block, lines: Vec<String>) -> bool {
        let Ok(at) = self.blocks.binary_search_by_key(&block.start, |known| known.range.start) else {
            return false;
        };
        let is_same = text.get(self.blocks[at].range.clone()) == Some(&*block.code);
        is_same && self.drawings.insert(at, lines).is_none()
    }

    /// Returns the drawing in place of the block that the `n`th piece belongs to, and whether the piece is the first.
    pub(super) fn drawing(&self, n: usize) -> Option<(&[String], bool)> {
        let at = self.blocks.partition_point(|block| block.pieces.end <= n);
        let block = self.blocks.get(at).filter(|block| block.pieces.contains(&n))?;
        Some((self.drawings.get(&at)?, block.pieces.start == n))
    }

    /// Takes the requests since the last call.
    pub(super) fn take_pending(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.pending)
    }

    /// Stores the colors of a block. Returns its pieces, or `None` if the block is gone or no longer wants
    /// colors.
    pub(super) fn color(&mut self, text: &str, block: &Block, colors: &[Colored]) -> Option<Range<usize>> {
        let at = self.blocks.binary_search_by_key(&block.start, |known| known.range.start).ok()?;
        let known = &self.blocks[at];
        let paints = self.requested.get_mut(&at)?;
        if text.get(known.range.clone()) != Some(&*block.code) {
            return None;
        }
        let scopes = &mut self.scopes;
        let paint = |(part, scope): &Colored| {
            let (start, end) = (u32::try_from(part.start).ok()?, u32::try_from(part.end).ok()?);
            let scope = scopes.iter().position(|known| known == scope).unwrap_or_else(|| {
                scopes.push(scope);
                scopes.len() - 1
            });
            Some(Paint { start, end, scope: u16::try_from(scope).ok()? })
        };
        *paints = colors.iter().filter_map(paint).collect();
        Some(known.pieces.clone())
    }

    /// The spans of a line of code in the `n`th piece.
    pub(super) fn spans(&self, n: usize, text: &str, line: Range<usize>) -> Vec<Span> {
        let at = self.blocks.partition_point(|block| block.pieces.end <= n);
        let block = self.blocks.get(at).filter(|block| block.pieces.contains(&n));
        let paints = block.and_then(|_| self.requested.get(&at)).map_or(&[][..], |paints| &paints[..]);
        let base = block.map_or(0, |block| block.range.start);
        let from = paints.partition_point(|paint| base + paint.end as usize <= line.start);
        let (mut spans, mut at) = (Vec::new(), line.start);
        for paint in &paints[from..] {
            let (start, stop) = (base + paint.start as usize, base + paint.end as usize);
            if start >= line.end {
                break;
            }
            let (start, stop) = (start.max(at), stop.min(line.end));
            // A range of colors may cut a character: the text matters more.
            let (Some(before), Some(part)) = (text.get(at..start), text.get(start..stop)) else { continue };
            spans.push(Span::new(before, CODE));
            spans.push(Span::new(part, self.scopes[usize::from(paint.scope)]));
            at = stop;
        }
        spans.push(Span::new(&text[at..line.end], CODE));
        spans
    }

    /// Returns its size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let paints: usize = self.requested.values().map(Vec::capacity).sum();
        let drawn = |lines: &Vec<String>| lines.iter().map(String::capacity).sum::<usize>();
        let drawings: usize = self.drawings.values().map(drawn).sum();
        let wanted: usize = self.pending.iter().map(|block| block.code.capacity()).sum();
        self.blocks.capacity() * size_of::<CodeRange>() + paints * size_of::<Paint>() + wanted + drawings
    }
}
