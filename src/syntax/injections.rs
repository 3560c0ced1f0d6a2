//! Texts in other languages inside a parsed text: scripts in a page, code in markdown. They are
//! parsed for the range that is looked at, each time: what is on screen is short.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use tree_sitter::{Node, Parser, Tree};

use super::compiled::{Compiled, Injections, compiled};
use super::detect;
use super::query::TextChunks;
use super::rules;
use super::table::Language;
use super::tree;
use crate::text::rope::Text;

/// Longer ones stay as they are.
const LEN_MAX: usize = 256 << 10;

/// A text in another language.
pub struct Layer {
    /// Which one.
    pub language: &'static Language,
    /// The language ready for use.
    pub made: &'static Compiled,
    /// The tree; its offsets are those of the whole text.
    pub tree: Tree,
}

struct Found {
    language: &'static Language,
    ranges: Vec<tree_sitter::Range>,
}

/// The texts in other languages that touch a range, parsed, in order.
pub fn layers(
    made: &Compiled,
    root: &Tree,
    text: &Text,
    range: &Range<usize>,
    deadline: Instant,
) -> Vec<Layer> {
    let mut parser = Parser::new();
    let mut out = Vec::new();
    for found in find(made, root, text, range, deadline) {
        let length: usize = found.ranges.iter().map(|range| range.end_byte - range.start_byte).sum();
        let Some(made) = compiled(found.language).filter(|_| length <= LEN_MAX) else { continue };
        let ready =
            parser.set_language(&made.grammar).is_ok() && parser.set_included_ranges(&found.ranges).is_ok();
        if !ready {
            continue;
        }
        let Some(tree) = tree::run(&mut parser, text, None, deadline) else { break };
        out.push(Layer { language: found.language, made, tree });
    }
    out
}

fn find(made: &Compiled, root: &Tree, text: &Text, range: &Range<usize>, deadline: Instant) -> Vec<Found> {
    let Some(injections) = &made.injections else { return Vec::new() };
    let rules = &injections.rules;
    let mut out: Vec<Found> = Vec::new();
    let mut combined: BTreeMap<(usize, &'static str), usize> = BTreeMap::new();
    rules.each(root.root_node(), TextChunks(text), range, deadline, |found| {
        let Some(language) = language(injections, &found, text) else { return };
        let has = |key: &str| rules.setting(found.pattern, key).is_some();
        let mut ranges = Vec::new();
        for (_, node) in found.captures.iter().filter(|(capture, _)| *capture == injections.content) {
            content(*node, has("injection.include-children"), &mut ranges);
        }
        if ranges.is_empty() {
            return;
        }
        let key = (found.pattern, language.name);
        match combined.get(&key) {
            Some(at) if has("injection.combined") => out[*at].ranges.append(&mut ranges),
            _ => {
                combined.insert(key, out.len());
                out.push(Found { language, ranges });
            }
        }
    });
    for found in &mut out {
        found.ranges.sort_by_key(|range| range.start_byte);
        let mut end = 0;
        found.ranges.retain(|range| {
            let fits = range.start_byte >= end && range.end_byte > range.start_byte;
            end = if fits { range.end_byte } else { end };
            fits
        });
    }
    out.retain(|found| !found.ranges.is_empty());
    out.sort_by_key(|found| found.ranges[0].start_byte);
    out
}

fn language(injections: &Injections, found: &rules::Found<'_, '_>, text: &Text) -> Option<&'static Language> {
    if let Some(name) = injections.rules.setting(found.pattern, "injection.language") {
        return detect::by_name(name?);
    }
    let (_, node) = found.captures.iter().find(|(capture, _)| Some(*capture) == injections.language)?;
    // A name is short; a whole string would be no name.
    if node.byte_range().len() > 32 {
        return None;
    }
    let bytes: Vec<u8> = TextChunks(text).bytes(node.byte_range()).flatten().copied().collect();
    detect::by_name(std::str::from_utf8(&bytes).ok()?)
}

/// The ranges of a node's own text, without its named children unless they belong to it.
/// Nameless ones are the text's own signs.
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
