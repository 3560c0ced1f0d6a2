//! Injections: texts in other languages inside a parsed text, such as scripts in a page or code in Markdown.
//! They are parsed for the visible range, each time: it is short.

use std::collections::BTreeMap;
use std::time::Instant;

use tree_sitter::{Node, Parser, Tree};

use super::tree;
use crate::syntax::languages::detect;
use crate::syntax::languages::table::Language;
use crate::syntax::query::compiled::{Compiled, compiled};
use crate::syntax::query::cursor::TextChunks;
use crate::syntax::query::rules;
use crate::text::rope::Text;

/// Maximum bytes of an injection; longer ones are not parsed.
const LEN_MAX: usize = 256 << 10;

/// A text in another language.
pub struct InjectedTree {
    /// The language.
    pub language: &'static Language,
    /// The language ready for use.
    pub compiled: &'static Compiled,
    /// The tree; its offsets are those of the whole text.
    pub tree: Tree,
}

/// Injected texts in one language.
#[derive(Debug)]
pub(super) struct Injection {
    language: &'static Language,
    ranges: Vec<tree_sitter::Range>,
}

/// Parses injections.
pub(super) fn parse(found: Vec<Injection>, text: &Text, deadline: Instant) -> Vec<InjectedTree> {
    let mut parser = Parser::new();
    let mut out = Vec::new();
    for inner in found {
        let length: usize = inner.ranges.iter().map(|range| range.end_byte - range.start_byte).sum();
        let Some(made) = compiled(inner.language).filter(|_| length <= LEN_MAX) else { continue };
        let ready =
            parser.set_language(&made.grammar).is_ok() && parser.set_included_ranges(&inner.ranges).is_ok();
        if !ready {
            continue;
        }
        let Some(tree) = tree::run(&mut parser, text, None, deadline) else { break };
        out.push(InjectedTree { language: inner.language, compiled: made, tree });
    }
    out
}

/// Collects injections during a traversal of a tree.
pub(super) struct InjectionFinder<'a> {
    compiled: &'a Compiled,
    text: &'a Text,
    found: Vec<Injection>,
    /// Injections that form one text, by pattern and language.
    combined: BTreeMap<(usize, &'static str), usize>,
}

impl<'a> InjectionFinder<'a> {
    /// Creates an empty finder.
    pub(super) fn new(made: &'a Compiled, text: &'a Text) -> Self {
        Self { compiled: made, text, found: Vec::new(), combined: BTreeMap::new() }
    }

    /// Adds a match of an injection pattern.
    pub(super) fn add(&mut self, found: &rules::QueryMatch<'_, '_>) {
        let Some(language) = self.language(found) else { return };
        let has = |key: &str| self.compiled.rules.setting(found.pattern, key).is_some();
        let mut ranges = Vec::new();
        for (_, node) in found.captures.iter().filter(|(capture, _)| Some(*capture) == self.compiled.content)
        {
            content(*node, has("injection.include-children"), &mut ranges);
        }
        if ranges.is_empty() {
            return;
        }
        let key = (found.pattern, language.name);
        match self.combined.get(&key) {
            Some(at) if has("injection.combined") => self.found[*at].ranges.append(&mut ranges),
            _ => {
                self.combined.insert(key, self.found.len());
                self.found.push(Injection { language, ranges });
            }
        }
    }

    fn language(&self, found: &rules::QueryMatch<'_, '_>) -> Option<&'static Language> {
        if let Some(name) = self.compiled.rules.setting(found.pattern, "injection.language") {
            return detect::by_name(name);
        }
        let (_, node) =
            found.captures.iter().find(|(capture, _)| Some(*capture) == self.compiled.language_capture)?;
        // A language name is short; a whole string would not be one.
        if node.byte_range().len() > 32 {
            return None;
        }
        let bytes: Vec<u8> = TextChunks(self.text).bytes(node.byte_range()).flatten().copied().collect();
        detect::by_name(std::str::from_utf8(&bytes).ok()?)
    }

    /// Returns all injections, by position.
    pub(super) fn finish(self) -> Vec<Injection> {
        let mut out = self.found;
        for inner in &mut out {
            inner.ranges.sort_by_key(|range| range.start_byte);
            let mut end = 0;
            inner.ranges.retain(|range| {
                let fits = range.start_byte >= end && range.end_byte > range.start_byte;
                end = if fits { range.end_byte } else { end };
                fits
            });
        }
        out.retain(|inner| !inner.ranges.is_empty());
        out.sort_by_key(|inner| inner.ranges[0].start_byte);
        out
    }
}

/// Adds the ranges of a node's own text, without its named children unless they belong to it. Anonymous
/// children are part of the text.
fn content(node: Node<'_>, include_children: bool, out: &mut Vec<tree_sitter::Range>) {
    let mut rest = node.range();
    if !include_children {
        let mut walk = node.walk();
        for child in node.named_children(&mut walk) {
            let child = child.range();
            out.push(tree_sitter::Range { end_byte: child.start_byte, end_point: child.start_point, ..rest });
            (rest.start_byte, rest.start_point) = (child.end_byte, child.end_point);
        }
    }
    out.push(rest);
}
