//! Parse tree of a text version: parsed within a time limit, adjusted by edits, reparsed incrementally. Must
//! not know the caller.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{InputEdit, ParseOptions, Parser, Point, Tree};

use crate::syntax::languages::table::Language;
use crate::syntax::query::compiled::{Compiled, compiled};
use crate::text::changes::ChangeSet;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Maximum bytes of a text with a tree.
pub const SIZE_MAX: usize = 8 << 20;

/// Memory per visible node, including its share of hidden ones. Measured with glibc's allocator: 87 to 124
/// bytes for sources in C, JavaScript and Rust.
const NODE_BYTES: usize = 110;

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The text is too long.
    #[error("too long to colour")]
    TooLong,
    /// Parsing exceeded the time limit.
    #[error("too slow to colour")]
    TooSlow,
    /// The grammar or its queries are broken.
    #[error("its grammar does not work")]
    Broken,
}

/// A parsed text. Copies share the tree.
#[derive(Debug, Clone)]
pub struct Syntax {
    /// Its language.
    pub language: &'static Language,
    /// The language ready for use.
    pub(super) compiled: &'static Compiled,
    pub(super) tree: Tree,
}

impl Syntax {
    /// Parses a text. `old` is the tree of an earlier version, moved along by [`Self::edit`].
    pub fn parse(
        language: &'static Language,
        text: &Text,
        old: Option<&Self>,
        budget: Duration,
    ) -> Result<Self, ParseError> {
        if text.end().0 > SIZE_MAX {
            return Err(ParseError::TooLong);
        }
        let made = compiled(language).ok_or(ParseError::Broken)?;
        let mut parser = Parser::new();
        parser.set_language(&made.grammar).map_err(|_| ParseError::Broken)?;
        let tree = run(&mut parser, text, old.map(|old| &old.tree), Instant::now() + budget)
            .ok_or(ParseError::TooSlow)?;
        Ok(Self { language, compiled: made, tree })
    }

    /// Adjusts the tree to a change of its text, so that the next parse is fast. `before` is the text before
    /// the change.
    pub fn edit(&mut self, before: &Text, changes: &ChangeSet) {
        let edits: Vec<_> = changes.edits().collect();
        // From the end, so that each edit's offset still refers to the old text.
        for edit in edits.iter().rev() {
            let start = point(before, edit.old.start);
            self.tree.edit(&InputEdit {
                start_byte: edit.old.start.0,
                old_end_byte: edit.old.end.0,
                new_end_byte: edit.old.start.0 + edit.text.len(),
                start_position: start,
                old_end_position: point(before, edit.old.end),
                new_end_position: after(start, edit.text),
            });
        }
    }

    /// Returns the estimated memory of the tree: tree-sitter does not report it.
    pub fn memory(&self) -> usize {
        self.tree.root_node().descendant_count() * NODE_BYTES
    }

    /// Returns the tree as an S-expression, for tests.
    pub fn to_sexp(&self) -> String {
        self.tree.root_node().to_sexp()
    }
}

/// Parses until the deadline; `None` if that was too short.
pub(super) fn run(parser: &mut Parser, text: &Text, old: Option<&Tree>, deadline: Instant) -> Option<Tree> {
    let mut stop =
        |_: &_| if Instant::now() > deadline { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let options = ParseOptions::new().progress_callback(&mut stop);
    let mut read = |at: usize, _| {
        let (chunk, start) = text.chunk_at(Byte(at));
        chunk.as_bytes().get(at - start.0..).unwrap_or_default()
    };
    parser.parse_with_options(&mut read, old, Some(options))
}

/// Returns row and column in bytes, as tree-sitter counts.
pub(super) fn point(text: &Text, at: Byte) -> Point {
    let line = text.line_of(at);
    Point::new(line.0, at - text.line_start(line))
}

/// Returns the end of a text that starts at a point.
fn after(start: Point, text: &str) -> Point {
    match text.rfind('\n') {
        None => Point::new(start.row, start.column + text.len()),
        Some(last) => Point::new(start.row + text.matches('\n').count(), text.len() - last - 1),
    }
}

#[cfg(test)]
mod tests;
