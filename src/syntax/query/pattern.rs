//! Chain patterns of a query: one node, optionally inside one node, optionally inside another. Must not know
//! trees or texts.
//!
//! Most highlight patterns are chains. Whenever tree-sitter compiles a query, it analyzes the grammar for
//! patterns that can never match. For the highlights alone that takes 144 ms for C++, 223 ms for C#, 149 ms
//! for TSX, 112 ms for PHP and 1 s for Swift, and as long again for indents and locals; with chains it is 1,
//! 1, 84, 9 and 72 ms. The first colors of a file would be delayed by that, where the limit is 100 ms. A
//! chain costs nothing until its innermost node is reached. Other patterns are left to tree-sitter. Indents
//! and locals query the nodes around one position, which tree-sitter does not support without a traversal.

use std::num::NonZeroU16;
use std::sync::OnceLock;

use regex::bytes::Regex;
use tree_sitter::Language;

use crate::syntax::query::lexer::{Item, PatternText, Token, Tokens};

/// Condition on a node's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::syntax) enum Kind {
    /// Of this kind.
    Id(u16),
    /// Any named kind except an error.
    Named,
    /// Any except an error.
    Any,
}

/// One node of a chain.
#[derive(Debug, Clone)]
pub(in crate::syntax) struct Step {
    pub kind: Kind,
    /// The field of its parent that it must be in.
    pub field: Option<NonZeroU16>,
    /// Indices in the list of capture names.
    pub captures: Vec<u16>,
}

/// A chain, outermost node first.
#[derive(Debug, Clone)]
pub(in crate::syntax) struct Chain {
    /// The index of its pattern in the query.
    pub pattern: usize,
    pub steps: Vec<Step>,
}

/// A condition on the text of a captured node.
#[derive(Debug)]
pub(in crate::syntax) struct Predicate {
    pub capture: u16,
    /// Whether it is negated.
    pub negated: bool,
    pub test: Test,
}

#[derive(Debug)]
pub(in crate::syntax) enum Test {
    /// Equal to one of these.
    Equal(Vec<String>),
    /// Matches the regular expression, compiled on first use.
    Matches(String, OnceLock<Option<Regex>>),
}

impl Predicate {
    /// Whether a text passes.
    pub(in crate::syntax) fn matches(&self, text: &[u8]) -> bool {
        let is = match &self.test {
            Test::Equal(words) => words.iter().any(|word| word.as_bytes() == text),
            Test::Matches(pattern, made) => made
                .get_or_init(|| Regex::new(pattern).ok())
                .as_ref()
                .is_some_and(|regex| regex.is_match(text)),
        };
        is != self.negated
    }
}

/// Conditions and settings of a pattern, besides its nodes.
#[derive(Debug, Default)]
pub(in crate::syntax) struct PatternInfo {
    pub predicates: Vec<Predicate>,
    /// The `#set!` settings.
    pub settings: Vec<(String, Option<String>)>,
}

/// Parses one pattern as chains. `None` when it is not a chain, or has a condition that only tree-sitter can
/// check.
pub(in crate::syntax) fn chains(
    form: &PatternText<'_>,
    pattern: usize,
    language: &Language,
    names: &mut Vec<String>,
) -> Option<(Vec<Chain>, PatternInfo)> {
    let known = names.len();
    let mut reader = Reader { tokens: form.tokens(), language, names, info: PatternInfo::default() };
    let read = reader.node().filter(|_| reader.tokens.next().is_none());
    let info = reader.info;
    let Some(all) = read else {
        names.truncate(known);
        return None;
    };
    Some((all.into_iter().map(|steps| Chain { pattern, steps }).collect(), info))
}

/// Returns the index of a capture's name, adding it if new. A query has at most some hundred.
pub(in crate::syntax) fn capture_index(names: &mut Vec<String>, name: &str) -> u16 {
    let at = names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    });
    u16::try_from(at).unwrap_or(u16::MAX)
}

struct Reader<'a, 'b> {
    tokens: Tokens<'a>,
    language: &'b Language,
    names: &'b mut Vec<String>,
    info: PatternInfo,
}

type Steps = Vec<Step>;

impl Reader<'_, '_> {
    /// Parses a node with its suffixes; each of several alternatives becomes a chain.
    fn node(&mut self) -> Option<Vec<Steps>> {
        let mut all = match self.tokens.next()? {
            Token::Text(word) => vec![vec![self.step(&word, false)?]],
            Token::Word("_") => vec![vec![step(Kind::Any)]],
            Token::Open => self.inside()?,
            Token::Choice => self.choices()?,
            _ => return None,
        };
        while let Some(Token::Word(word)) = self.tokens.peek().cloned() {
            let Some(name) = word.strip_prefix('@') else { break };
            let capture = self.capture(name);
            self.tokens.next();
            for steps in &mut all {
                steps.first_mut()?.captures.push(capture);
            }
        }
        // A repetition is no chain.
        (!matches!(self.tokens.peek(), Some(Token::Word("*" | "+" | "?")))).then_some(all)
    }

    fn choices(&mut self) -> Option<Vec<Steps>> {
        let mut all = Vec::new();
        while !matches!(self.tokens.peek(), Some(Token::ChoiceEnd)) {
            all.append(&mut self.node()?);
        }
        self.tokens.next();
        Some(all)
    }

    /// Parses the content of parentheses: a node of a kind, or a nested node.
    fn inside(&mut self) -> Option<Vec<Steps>> {
        let around = match self.tokens.peek()?.clone() {
            Token::Word("_") => Some(step(Kind::Named)),
            Token::Word(name) => Some(self.step(name, true)?),
            _ => None,
        };
        if around.is_some() {
            self.tokens.next();
        }
        let mut within: Option<Vec<Steps>> = None;
        loop {
            match self.tokens.peek()?.clone() {
                Token::Close => break,
                Token::Open if self.tokens.at_predicate() => self.predicate()?,
                Token::Word(word) if word.ends_with(':') && around.is_some() && within.is_none() => {
                    let field = self.language.field_id_for_name(word.trim_end_matches(':'))?;
                    self.tokens.next();
                    let mut all = self.node()?;
                    for steps in &mut all {
                        steps.first_mut()?.field = Some(field);
                    }
                    within = Some(all);
                }
                _ if within.is_none() => within = Some(self.node()?),
                _ => return None,
            }
        }
        self.tokens.next();
        match (around, within) {
            (Some(step), None) => Some(vec![vec![step]]),
            (None, within) => within,
            (Some(step), Some(all)) => {
                let inner = all.into_iter();
                Some(inner.map(|steps| std::iter::once(step.clone()).chain(steps).collect()).collect())
            }
        }
    }

    fn step(&self, name: &str, named: bool) -> Option<Step> {
        let id = self.language.id_for_node_kind(name, named);
        let known =
            id != 0 && !matches!(name, "ERROR" | "MISSING") && !self.language.node_kind_is_supertype(id);
        known.then(|| step(Kind::Id(id)))
    }

    fn capture(&mut self, name: &str) -> u16 {
        capture_index(self.names, name)
    }

    /// Parses `(#name? …)`. Unknown predicates are for other consumers and are ignored.
    fn predicate(&mut self) -> Option<()> {
        let items = self.tokens.read_list()?;
        let [Item::Word(name), rest @ ..] = items.as_slice() else { return None };
        if *name == "#set!" {
            let mut words = rest.iter().map(Item::text);
            let (key, value) = (words.next()?, words.next());
            self.info.settings.push((key.to_owned(), value.map(str::to_owned)));
            return Some(());
        }
        let (not, test) = match name.strip_prefix("#not-") {
            Some(test) => (true, test),
            None => (false, name.strip_prefix('#')?),
        };
        if !matches!(test, "eq?" | "match?" | "any-of?") {
            // A chain has at most one node per capture name.
            return (!test.starts_with("any-")).then_some(());
        }
        let [Item::Word(capture), words @ ..] = rest else { return None };
        let capture = self.capture(capture.strip_prefix('@')?);
        let words = words.iter().map(|word| matches!(word, Item::Text(_)).then(|| word.text().to_owned()));
        let words: Vec<String> = words.collect::<Option<_>>()?;
        let test = match (test, words.as_slice()) {
            ("match?", [pattern]) => Test::Matches(pattern.clone(), OnceLock::new()),
            ("eq?", [_]) | ("any-of?", _) => Test::Equal(words),
            _ => return None,
        };
        self.info.predicates.push(Predicate { capture, negated: not, test });
        Some(())
    }
}

fn step(kind: Kind) -> Step {
    Step { kind, field: None, captures: Vec::new() }
}

#[cfg(test)]
mod tests;
