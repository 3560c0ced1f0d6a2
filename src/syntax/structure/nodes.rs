//! Tree navigation in a text: parent, sibling and child of a range, foldable ranges, the path of names. Must
//! not know selections.

use std::ops::Range;

use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, Query};

use crate::syntax::query::cursor::{TextChunks, cursor};
use crate::syntax::tree::Syntax;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// Maximum bytes of a name in a path.
const NAME_MAX: usize = 80;

impl Syntax {
    /// Returns the smallest node that is larger than this range.
    pub fn expand(&self, range: &Range<Byte>) -> Option<Range<Byte>> {
        let mut node = self.node(range)?;
        while node.byte_range() == byte_range(range) || node.byte_range().is_empty() {
            node = node.parent()?;
        }
        Some(range_of(node))
    }

    /// Returns the sibling of the node that this range covers, or of its parent.
    pub fn sibling(&self, range: &Range<Byte>, forward: bool) -> Option<Range<Byte>> {
        let mut node = self.node(range)?;
        loop {
            let beside = if forward { node.next_named_sibling() } else { node.prev_named_sibling() };
            match beside {
                Some(beside) => return Some(range_of(beside)),
                None => node = node.parent()?,
            }
        }
    }

    /// Returns the first child of the node that this range covers.
    pub fn child(&self, range: &Range<Byte>) -> Option<Range<Byte>> {
        let mut node = self.node(range)?;
        // A node that covers exactly the range looks the same to the user.
        loop {
            let inner = node.named_child(0)?;
            if inner.byte_range() != byte_range(range) && !inner.byte_range().is_empty() {
                return Some(range_of(inner));
            }
            node = inner;
        }
    }

    /// Returns the foldable ranges among these bytes: first and last lines, at least two, sorted.
    pub fn folds(&self, text: &Text, range: &Range<Byte>) -> Vec<Range<Line>> {
        let Some(query) = self.compiled.folds() else { return Vec::new() };
        let found = self.captured(query, text, byte_range(range), "fold");
        let lines = |part: Range<usize>| {
            text.line_of(Byte(part.start))..text.line_of(Byte(part.end.saturating_sub(1).max(part.start)))
        };
        let mut folds: Vec<Range<Line>> = found.into_iter().map(lines).filter(|f| f.start < f.end).collect();
        folds.sort_by_key(|fold| (fold.start, std::cmp::Reverse(fold.end)));
        folds.dedup();
        folds
    }

    /// Returns the names of the nodes around a position, outermost first.
    pub fn path(&self, text: &Text, at: Byte) -> Vec<String> {
        let mut names = Vec::new();
        let mut node = self.node(&(at..at));
        while let Some(here) = node {
            let name = here.child_by_field_name("name").map(|name| name.byte_range());
            if let Some(name) = name.filter(|name| !name.is_empty() && name.len() <= NAME_MAX) {
                let bytes: Vec<u8> = TextChunks(text).bytes(name).flatten().copied().collect();
                names.push(String::from_utf8_lossy(&bytes).into_owned());
            }
            node = here.parent();
        }
        names.reverse();
        names
    }

    fn node(&self, range: &Range<Byte>) -> Option<Node<'_>> {
        self.tree.root_node().named_descendant_for_byte_range(range.start.0, range.end.0)
    }

    fn captured(&self, query: &Query, text: &Text, range: Range<usize>, capture: &str) -> Vec<Range<usize>> {
        let Some(capture) = query.capture_index_for_name(capture) else { return Vec::new() };
        let mut cursor = cursor(&(range.start..range.end.max(range.start + 1)));
        let mut matches = cursor.matches(query, self.tree.root_node(), TextChunks(text));
        let mut out = Vec::new();
        while let Some(found) = matches.next() {
            out.extend(found.nodes_for_capture_index(capture).map(|node| node.byte_range()));
        }
        out
    }
}

fn byte_range(range: &Range<Byte>) -> Range<usize> {
    range.start.0..range.end.0
}

fn range_of(node: Node<'_>) -> Range<Byte> {
    Byte(node.start_byte())..Byte(node.end_byte())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::syntax::languages::detect::by_name;
    use crate::text::marked;

    const CODE: &str = "impl A {\n    fn b(x: u8, é: u8) {\n        c(|1, 2);\n    }\n}\n";

    fn parse(name: &str, code: &str) -> (Syntax, Text, Range<Byte>) {
        let (text, selection) = marked::parse(code);
        let syntax = Syntax::parse(by_name(name).unwrap(), &text, None, Duration::from_mins(1)).unwrap();
        (syntax, text, selection.primary().span())
    }

    #[test]
    fn nodes_expand_selection_step_by_step() {
        let (syntax, text, mut range) = parse("rust", CODE);
        let mut steps = Vec::new();
        while let Some(wider) = syntax.expand(&range) {
            assert!(wider.start <= range.start && wider.end >= range.end && wider != range);
            range = wider;
            steps.push(text.slice(range.clone()).into_owned());
        }
        assert_eq!(steps[..4], ["1", "(1, 2)", "c(1, 2)", "c(1, 2);"]);
        assert_eq!(range, Byte(0)..text.end());
    }

    #[test]
    fn nodes_sibling_next_and_previous() {
        let (syntax, text, range) = parse("rust", "fn a() { b(1, «é», 3) }\nfn z() {}\n");
        let show = |range: Option<Range<Byte>>| range.map(|r| text.slice(r).into_owned());
        assert_eq!(show(syntax.sibling(&range, true)).as_deref(), Some("3"));
        assert_eq!(show(syntax.sibling(&range, false)).as_deref(), Some("1"));
        let last = syntax.sibling(&range, true).unwrap();
        assert_eq!(show(syntax.sibling(&last, true)).as_deref(), Some("fn z() {}"));
    }

    #[test]
    fn nodes_child_shrinks_selection() {
        let (syntax, text, range) = parse("rust", "fn f() { «g((é, 2))»; }");
        let show = |range: &Range<Byte>| text.slice(range.clone()).into_owned();
        let mut steps: Vec<_> = std::iter::successors(syntax.child(&range), |r| syntax.child(r)).collect();
        assert_eq!(steps.drain(..).map(|r| show(&r)).collect::<Vec<_>>(), ["g"]);
        let (syntax, text, range) = parse("rust", "fn f() { g«((é, 2))»; }");
        let steps = std::iter::successors(syntax.child(&range), |r| syntax.child(r));
        let steps: Vec<_> = steps.map(|r| text.slice(r).into_owned()).collect();
        assert_eq!(steps, ["(é, 2)", "é"]);
    }

    #[test]
    fn nodes_folds_and_breadcrumb_path() {
        let (syntax, text, range) = parse("rust", CODE);
        let folds = syntax.folds(&text, &(Byte(0)..text.end()));
        let lines: Vec<_> = folds.iter().map(|fold| (fold.start.0, fold.end.0)).collect();
        assert_eq!(lines, [(0, 4), (1, 3)]);
        assert_eq!(syntax.path(&text, range.start), ["b"]);
        let (syntax, text, range) = parse("python", "class Ä:\n    def f(self):\n        |pass\n");
        assert_eq!(syntax.path(&text, range.start), ["Ä", "f"]);
    }
}
