//! A query over a range of a tree: chains are matched while walking down to what is on screen,
//! the rest by the library. Must not know what a match is used for.

use std::collections::HashMap;
use std::num::NonZeroU16;
use std::ops::{ControlFlow, Range};
use std::time::Instant;

use streaming_iterator::StreamingIterator;
use tree_sitter::{Language, Node, Query, QueryCursorOptions, QueryError, TreeCursor};

use crate::syntax::query::cursor::{TextChunks, cursor};
use crate::syntax::query::lexer;
use crate::syntax::query::pattern;
use crate::syntax::query::pattern::Chain;
use crate::syntax::query::pattern::Kind;
use crate::syntax::query::pattern::PatternInfo;
use crate::syntax::query::pattern::Step;

/// Nodes between two looks at the clock.
const CLOCK_STEP: usize = 512;

/// A query ready for use.
#[derive(Debug)]
pub(in crate::syntax) struct Rules {
    /// The names of captures.
    pub names: Vec<String>,
    chains: Vec<Chain>,
    /// For each pattern that is a chain.
    pattern_infos: HashMap<usize, PatternInfo>,
    /// Chains by the kind of their innermost node: a walk asks at every node.
    by_kind: Vec<Vec<u32>>,
    /// Chains whose innermost node may be anything.
    any_kind: Vec<u32>,
    fallback: Option<FallbackQuery>,
}

/// A node, its kind, and its field in the node around it or 0.
pub(in crate::syntax) type PathNode<'tree> = (Node<'tree>, u16, u16);

/// The patterns that are no chains.
#[derive(Debug)]
struct FallbackQuery {
    query: Query,
    /// Which pattern of the whole each of them is.
    patterns: Vec<usize>,
    /// Its captures by their places in the names of the whole.
    names: Vec<u16>,
}

/// A pattern that was found, with what it captures.
#[derive(Debug)]
pub(in crate::syntax) struct QueryMatch<'a, 'tree> {
    /// Its place among the patterns.
    pub pattern: usize,
    /// Places in the names, and nodes.
    pub captures: &'a [(u16, Node<'tree>)],
}

impl Rules {
    /// Reads a query.
    pub(in crate::syntax) fn new(language: &Language, query: &str) -> Result<Self, QueryError> {
        let (mut names, mut chains, mut infos) = (Vec::new(), Vec::new(), HashMap::new());
        let (mut rest, mut patterns) = (String::new(), Vec::new());
        for (at, form) in lexer::forms(query).into_iter().enumerate() {
            if let Some((mut all, info)) = pattern::chains(&form, at, language, &mut names) {
                chains.append(&mut all);
                infos.insert(at, info);
            } else {
                rest.push_str(form.0);
                rest.push('\n');
                patterns.push(at);
            }
        }
        let rest = if patterns.is_empty() {
            None
        } else {
            let query = Query::new(language, &rest)?;
            let names =
                query.capture_names().iter().map(|name| pattern::capture_index(&mut names, name)).collect();
            Some(FallbackQuery { query, patterns, names })
        };
        let (mut by_kind, mut wild) = (vec![Vec::new(); language.node_kind_count()], Vec::new());
        for (at, chain) in (0..).zip(&chains) {
            match chain.steps.last().map(|step| step.kind) {
                Some(Kind::Id(id)) => by_kind[usize::from(id)].push(at),
                _ => wild.push(at),
            }
        }
        Ok(Self { names, chains, pattern_infos: infos, by_kind, any_kind: wild, fallback: rest })
    }

    /// The place of a capture's name.
    pub(in crate::syntax) fn capture(&self, name: &str) -> Option<u16> {
        self.names.iter().position(|known| known == name).and_then(|at| u16::try_from(at).ok())
    }

    /// What is set for a pattern; empty when it is only named.
    pub(in crate::syntax) fn setting(&self, pattern: usize, key: &str) -> Option<&str> {
        if let Some(info) = self.pattern_infos.get(&pattern) {
            let set = info.settings.iter().find(|(name, _)| name == key)?;
            return Some(set.1.as_deref().unwrap_or_default());
        }
        let rest = self.fallback.as_ref()?;
        let at = rest.patterns.iter().position(|known| *known == pattern)?;
        let set = rest.query.property_settings(at).iter().find(|set| &*set.key == key)?;
        Some(set.value.as_deref().unwrap_or_default())
    }

    /// Whether all patterns are chains: then a path can be asked about.
    #[cfg(test)]
    pub(in crate::syntax) fn has_only_chains(&self) -> bool {
        self.fallback.is_none()
    }

    /// Calls back for each chain that ends at a node of a path, with that node's place in it.
    /// `path` is nodes from the root on, each with its kind and field.
    pub(in crate::syntax) fn match_path<'tree>(
        &self,
        path: &[PathNode<'tree>],
        text: TextChunks<'_>,
        mut found: impl FnMut(usize, QueryMatch<'_, 'tree>),
    ) {
        let mut walk = Walk { rules: self, text, stack: Vec::new(), captures: Vec::new() };
        for (at, node) in path.iter().enumerate() {
            walk.stack.push(*node);
            walk.visit(&mut |one| found(at, one));
        }
    }

    /// Calls back for each match in a range, in no order, until the deadline. A chain is found
    /// where all of its nodes touch the range.
    pub(in crate::syntax) fn for_each_match<'tree>(
        &self,
        root: Node<'tree>,
        text: TextChunks<'_>,
        range: &Range<usize>,
        deadline: Instant,
        mut found: impl FnMut(QueryMatch<'_, 'tree>),
    ) {
        if !self.chains.is_empty() {
            Walk { rules: self, text, stack: Vec::new(), captures: Vec::new() }.run(
                root.walk(),
                range,
                deadline,
                &mut found,
            );
        }
        if let Some(rest) = &self.fallback {
            rest.for_each_match(root, text, range, deadline, &mut found);
        }
    }
}

impl FallbackQuery {
    fn for_each_match<'tree>(
        &self,
        root: Node<'tree>,
        text: TextChunks<'_>,
        range: &Range<usize>,
        deadline: Instant,
        found: &mut impl FnMut(QueryMatch<'_, 'tree>),
    ) {
        let mut cursor = cursor(range);
        let mut stop = |_: &_| {
            if Instant::now() > deadline { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = QueryCursorOptions::new().progress_callback(&mut stop);
        let mut matches = cursor.matches_with_options(&self.query, root, text, options);
        let mut captures = Vec::new();
        while let Some(one) = matches.next() {
            captures.clear();
            captures.extend(
                one.captures().iter().map(|capture| (self.names[capture.index as usize], capture.node)),
            );
            found(QueryMatch { pattern: self.patterns[one.pattern_index], captures: &captures });
        }
    }
}

struct Walk<'r, 't, 'tree> {
    rules: &'r Rules,
    text: TextChunks<'t>,
    /// The nodes from the root to where the walk is, with their fields.
    stack: Vec<PathNode<'tree>>,
    captures: Vec<(u16, Node<'tree>)>,
}

impl<'tree> Walk<'_, '_, 'tree> {
    fn run(
        &mut self,
        mut at: TreeCursor<'tree>,
        range: &Range<usize>,
        deadline: Instant,
        found: &mut impl FnMut(QueryMatch<'_, 'tree>),
    ) {
        for count in 1.. {
            if count % CLOCK_STEP == 0 && Instant::now() > deadline {
                return;
            }
            let node = at.node();
            if node.start_byte() < range.end {
                self.stack.push((node, node.kind_id(), at.field_id().map_or(0, NonZeroU16::get)));
                if node.end_byte() > range.start {
                    self.visit(found);
                    if at.goto_first_child_for_byte(range.start).is_some() {
                        continue;
                    }
                }
                self.stack.pop();
                if at.goto_next_sibling() {
                    continue;
                }
            }
            loop {
                if !at.goto_parent() {
                    return;
                }
                self.stack.pop();
                if at.goto_next_sibling() {
                    break;
                }
            }
        }
    }

    fn visit(&mut self, found: &mut impl FnMut(QueryMatch<'_, 'tree>)) {
        let Some((_, kind, _)) = self.stack.last() else { return };
        let rules = self.rules;
        let exact = rules.by_kind.get(usize::from(*kind)).map_or(&[][..], Vec::as_slice);
        for at in exact.iter().chain(&rules.any_kind) {
            let chain = &rules.chains[*at as usize];
            if !self.matches_chain(&chain.steps) {
                continue;
            }
            let around = &self.stack[self.stack.len() - chain.steps.len()..];
            self.captures.clear();
            for (step, (node, ..)) in chain.steps.iter().zip(around) {
                self.captures.extend(step.captures.iter().map(|capture| (*capture, *node)));
            }
            if self.passes_predicates(&rules.pattern_infos[&chain.pattern]) {
                found(QueryMatch { pattern: chain.pattern, captures: &self.captures });
            }
        }
    }

    fn matches_chain(&self, steps: &[Step]) -> bool {
        let Some(from) = self.stack.len().checked_sub(steps.len()) else { return false };
        steps.iter().zip(&self.stack[from..]).rev().all(|(step, (node, kind, field))| {
            let kind = match step.kind {
                Kind::Id(id) => id == *kind,
                Kind::Named => node.is_named() && !node.is_error(),
                Kind::Any => !node.is_error(),
            };
            kind && step.field.is_none_or(|wanted| wanted.get() == *field)
        })
    }

    fn passes_predicates(&self, info: &PatternInfo) -> bool {
        info.predicates.iter().all(|predicate| {
            let mut nodes = self.captures.iter().filter(|(capture, _)| *capture == predicate.capture);
            nodes.all(|(_, node)| {
                let mut pieces = self.text.bytes(node.byte_range());
                let first = pieces.next().unwrap_or_default();
                if first.len() == node.byte_range().len() {
                    return predicate.matches(first);
                }
                let whole: Vec<u8> = first.iter().copied().chain(pieces.flatten().copied()).collect();
                predicate.matches(&whole)
            })
        })
    }
}

#[cfg(test)]
mod tests;
