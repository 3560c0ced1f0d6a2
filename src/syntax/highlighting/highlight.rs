//! Highlighting of a range of a text: captures of its query, inner nodes over outer ones, injected languages
//! over the surrounding text.
//!
//! Reads only the requested range. It takes less than a millisecond for a screen, more if the tree has many
//! errors: too slow to run between a key press and the frame.

use std::cmp::Reverse;
use std::ops::Range;
use std::time::{Duration, Instant};

use tree_sitter::Tree;

use crate::syntax::highlighting::highlighted_range::{HighlightedRange, Span};
use crate::syntax::highlighting::rainbow;
use crate::syntax::highlighting::scopes;
use crate::syntax::highlighting::scopes::Paint;
use crate::syntax::injections;
use crate::syntax::languages::table::Language;
use crate::syntax::query::compiled::Compiled;
use crate::syntax::query::cursor::TextChunks;
use crate::syntax::tree::Syntax;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Maximum bytes that are highlighted at once; of a longer line only the beginning.
pub const RANGE_MAX: usize = 128 << 10;
/// Time limit; the rest stays plain.
const BUDGET: Duration = Duration::from_millis(200);
/// Texts within texts within texts.
const DEPTH_MAX: usize = 3;

impl Syntax {
    /// The scopes of a range, cut at [`RANGE_MAX`].
    pub fn paint(&self, text: &Text, range: Range<Byte>) -> HighlightedRange {
        self.paint_with(text, range, false)
    }

    /// The same, optionally with rainbow brackets.
    pub fn paint_with(&self, text: &Text, range: Range<Byte>, rainbow: bool) -> HighlightedRange {
        let end = range.end.0.min(text.end().0).min(range.start.0 + RANGE_MAX);
        let range = range.start.0.min(end)..end;
        let mut canvas = Canvas { start: range.start, paints: vec![0; range.len()] };
        let layer = Layer { language: self.language, compiled: self.compiled, tree: &self.tree };
        let deadline = Instant::now() + BUDGET;
        let coats = self.parameter_coats(text, &range, deadline);
        canvas.layer(&layer, text, &range, (0, coats), deadline);
        if rainbow {
            for (at, depth) in self.brackets(&range, deadline) {
                canvas.paints[at - range.start] = rainbow::paint(depth);
            }
        }
        HighlightedRange::new(Byte(range.start)..Byte(range.end), canvas.spans())
    }

    /// Adds the color of parameters at all their references, over that of variables and under more specific
    /// colors.
    fn parameter_coats(&self, text: &Text, range: &Range<usize>, deadline: Instant) -> Vec<Coat> {
        let Some(paint) = scopes::paint("variable.parameter") else { return Vec::new() };
        let coat = |node: Range<usize>| (node.start, Reverse(node.end), (0, usize::MAX), node, paint);
        self.parameters(text, range, deadline).into_iter().map(coat).collect()
    }
}

struct Layer<'a> {
    language: &'static Language,
    compiled: &'a Compiled,
    tree: &'a Tree,
}

/// One paint per byte: the last coat is visible.
struct Canvas {
    start: usize,
    paints: Vec<Paint>,
}

impl Canvas {
    fn layer(
        &mut self,
        layer: &Layer<'_>,
        text: &Text,
        range: &Range<usize>,
        (depth, more): (usize, Vec<Coat>),
        deadline: Instant,
    ) {
        if range.is_empty() {
            return;
        }
        let (coats, inner) = collect_coats(layer, text, range, more, deadline);
        for (_, _, _, node, paint) in coats {
            let from = node.start.max(range.start) - self.start;
            let to = node.end.min(range.end).saturating_sub(self.start);
            if let Some(part) = self.paints.get_mut(from..to) {
                part.fill(paint);
            }
        }
        if depth < DEPTH_MAX {
            for inner in injections::parse(inner, text, deadline) {
                let inner = Layer { language: inner.language, compiled: inner.compiled, tree: &inner.tree };
                self.layer(&inner, text, range, (depth + 1, Vec::new()), deadline);
            }
        }
    }

    fn spans(&self) -> Vec<Span> {
        let mut out: Vec<Span> = Vec::new();
        for (n, paint) in self.paints.iter().enumerate() {
            let Some(scope) = scopes::name(*paint) else { continue };
            let at = Byte(self.start + n);
            match out.last_mut() {
                Some(last) if last.range.end == at && last.scope == scope => last.range.end = at + 1,
                _ => out.push(Span { range: at..at + 1, scope }),
            }
        }
        out
    }
}

/// Start, reversed end, rank, range, paint: in sorted order, later coats cover earlier ones.
type Coat = (usize, Reverse<usize>, (u8, usize), Range<usize>, Paint);

/// A single traversal for both: adds the coats of a layer to those given, and finds its injections.
fn collect_coats(
    layer: &Layer<'_>,
    text: &Text,
    range: &Range<usize>,
    mut coats: Vec<Coat>,
    deadline: Instant,
) -> (Vec<Coat>, Vec<injections::Injection>) {
    let made = layer.compiled;
    let mut inner = injections::InjectionFinder::new(made, text);
    made.rules.for_each_match(layer.tree.root_node(), TextChunks(text), range, deadline, |found| {
        if found.pattern >= made.injections_from {
            return inner.add(&found);
        }
        for (capture, node) in found.captures {
            let Some(paint) = made.paints[usize::from(*capture)] else { continue };
            let paint = scopes::refine(paint, node.kind());
            let range = node.byte_range();
            let rank = rank(layer, found.pattern, paint);
            coats.push((range.start, Reverse(range.end), rank, range, paint));
        }
    });
    coats.sort_unstable_by_key(|coat| (coat.0, coat.1, coat.2));
    (coats, inner.finish())
}

/// Returns the precedence of a pattern among those for the same node: our own first, then the more specific,
/// then the grammar's order.
fn rank(layer: &Layer<'_>, pattern: usize, paint: Paint) -> (u8, usize) {
    let weak = matches!(scopes::name(paint), Some("variable" | "variable.other.member"));
    if pattern >= layer.compiled.own_from {
        (2, pattern)
    } else if layer.language.first_wins {
        (u8::from(!weak), usize::MAX - pattern)
    } else {
        (u8::from(!weak), pattern)
    }
}

#[cfg(test)]
mod tests;
