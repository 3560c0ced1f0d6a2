//! Shared parts of queries over a text: a limited cursor, and the text in chunks. Must not know the queries.

use std::ops::Range;

use tree_sitter::{Node, QueryCursor, TextProvider};

use crate::text::position::Byte;
use crate::text::rope::Text;

/// Maximum number of in-progress matches; no sensible text needs more.
const MATCH_LIMIT: u32 = 256;

/// A cursor for queries about a range.
pub(in crate::syntax) fn cursor(range: &Range<usize>) -> QueryCursor {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    cursor.set_byte_range(range.clone());
    cursor
}

/// Passes the text of a node to a query without copying it.
#[derive(Clone, Copy)]
pub(in crate::syntax) struct TextChunks<'a>(pub &'a Text);

impl<'a> TextChunks<'a> {
    /// The bytes of a range, piece by piece.
    pub(in crate::syntax) fn bytes(self, range: Range<usize>) -> impl Iterator<Item = &'a [u8]> {
        let end = range.end.min(self.0.end().0);
        let mut at = range.start;
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let (chunk, start) = self.0.chunk_at(Byte(at));
            let piece = chunk.as_bytes().get(at - start.0..(end - start.0).min(chunk.len()))?;
            at += piece.len();
            (!piece.is_empty()).then_some(piece)
        })
    }
}

impl<'a> TextProvider<&'a [u8]> for TextChunks<'a> {
    type I = Box<dyn Iterator<Item = &'a [u8]> + 'a>;

    fn text(&mut self, node: Node<'_>) -> Self::I {
        Box::new(self.bytes(node.byte_range()))
    }
}
