//! Search for a text or a regular expression in the rope's chunks, without joining them. Must not know the
//! caller.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use regex_cursor::engines::meta::Regex;
use regex_cursor::regex_automata::Anchored;
use regex_cursor::regex_automata::util::interpolate;
use regex_cursor::{Input, RopeyCursor};

use super::position::Byte;
use super::rope::Text;

/// Case sensitivity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CaseMatching {
    /// Case-sensitive only if the text has an upper-case letter.
    #[default]
    Smart,
    /// Always.
    Sensitive,
    /// Never.
    Insensitive,
}

/// Search options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchOptions {
    /// Regular expression; `^` and `$` match at line ends, `(?s)` lets `.` match them.
    pub regex: bool,
    /// Whole words only.
    pub word: bool,
    /// Upper and lower case.
    pub case: CaseMatching,
}

/// Describes the options; empty for the defaults.
impl std::fmt::Display for SearchOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let case = match self.case {
            CaseMatching::Smart => "",
            CaseMatching::Sensitive => "exact case",
            CaseMatching::Insensitive => "any case",
        };
        let parts = [if self.regex { "regex" } else { "" }, if self.word { "words" } else { "" }, case];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        f.write_str(&if parts.is_empty() { "plain text".to_string() } else { parts.join(", ") })
    }
}

/// A regular expression that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PatternError(String);

/// A compiled search. Clones share it.
#[derive(Debug, Clone)]
pub struct Needle {
    engine: Engine,
    regex: bool,
    /// Returns whether two characters belong to one word, for whole-word matches.
    joins_word: Option<fn(char, char) -> bool>,
}

#[derive(Debug, Clone)]
enum Engine {
    /// Plain ASCII, or any case-sensitive text.
    Literal(Arc<AhoCorasick>),
    Regex(Arc<Regex>),
}

impl Needle {
    /// Compiles a search; `None` for the empty text.
    pub fn new(text: &str, how: SearchOptions) -> Result<Option<Self>, PatternError> {
        if text.is_empty() {
            return Ok(None);
        }
        let ignore_case = ignores_case(text, how.case);
        if !how.regex && !how.word && (!ignore_case || text.is_ascii()) {
            let automaton = AhoCorasick::builder().ascii_case_insensitive(ignore_case).build([text]);
            let automaton = automaton.map_err(|error| PatternError(error.to_string()))?;
            return Ok(Some(Self {
                engine: Engine::Literal(Arc::new(automaton)),
                regex: false,
                joins_word: None,
            }));
        }
        let regex = Regex::new(&to_regex(text, how)).map_err(|error| PatternError(reason(&error)))?;
        Ok(Some(Self { engine: Engine::Regex(Arc::new(regex)), regex: how.regex, joins_word: None }))
    }

    /// Restricts matches to those that neither start nor end between two characters of one word: for words
    /// whose boundaries a regular expression cannot express. Correct for words, whose matches then do not
    /// overlap.
    #[must_use]
    pub fn whole_words(self, joined: fn(char, char) -> bool) -> Self {
        Self { joins_word: Some(joined), ..self }
    }

    /// Whether a match is at word boundaries.
    fn is_whole_word(&self, text: &Text, found: &Range<Byte>) -> bool {
        let inside = |at| match (self.joins_word, text.char_before(at), text.char_at(at)) {
            (Some(joined), Some(before), Some(behind)) => joined(before, behind),
            _ => false,
        };
        !inside(found.start) && !inside(found.end)
    }

    /// Compiles a case-sensitive search; `None` for the empty text.
    pub fn exact(text: &str) -> Option<Self> {
        Self::new(text, SearchOptions { case: CaseMatching::Sensitive, ..SearchOptions::default() }).ok()?
    }

    /// Whether it is the same compiled search, not only one of the same text.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.engine, &other.engine) {
            (Engine::Literal(one), Engine::Literal(other)) => Arc::ptr_eq(one, other),
            (Engine::Regex(one), Engine::Regex(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// The first match that starts at or after an offset.
    pub fn find(&self, text: &Text, from: Byte) -> Option<Range<Byte>> {
        self.matches(text, from..text.end()).next()
    }

    /// Returns the first match from an offset on, cyclically.
    pub fn find_wrapping(&self, text: &Text, from: Byte) -> Option<Range<Byte>> {
        self.find(text, from).or_else(|| self.find(text, Byte(0)))
    }

    /// Returns the last match that ends before or at an offset, cyclically.
    pub fn find_back(&self, text: &Text, to: Byte) -> Option<Range<Byte>> {
        self.matches(text, Byte(0)..to).last().or_else(|| self.matches(text, Byte(0)..text.end()).last())
    }

    /// Returns all matches inside a range, in order, without overlaps. Text around the range is considered
    /// for `^`, `$` and `\b`.
    pub fn matches<'t>(
        &'t self,
        text: &'t Text,
        range: Range<Byte>,
    ) -> Box<dyn Iterator<Item = Range<Byte>> + 't> {
        match &self.engine {
            Engine::Literal(automaton) => {
                let chunks = text.chunks_from(range.start);
                let reader = ChunkReader { chunks, rest: b"", left: range.end - range.start };
                let found = automaton.stream_find_iter(reader).filter_map(move |found| {
                    // Reading a rope cannot fail, and the automaton reports no other errors.
                    let found = found.ok()?;
                    Some(range.start + found.start()..range.start + found.end())
                });
                Box::new(found.filter(|found| self.is_whole_word(text, found)))
            }
            Engine::Regex(regex) => {
                let found = regex.find_iter(input(text, range));
                let found = found.map(|found| Byte(found.start())..Byte(found.end()));
                Box::new(found.filter(|found| self.is_whole_word(text, found)))
            }
        }
    }

    /// Returns the text of a group of a match, group 0 being the match; empty if the group did not
    /// participate.
    pub fn group(&self, text: &Text, found: Range<Byte>, group: usize) -> String {
        let Engine::Regex(regex) = &self.engine else {
            return if group == 0 { text.slice(found).into_owned() } else { String::new() };
        };
        let mut groups = regex.create_captures();
        let mut input = input(text, found.start..text.end());
        input.set_anchored(Anchored::Yes);
        regex.search_captures(input, &mut groups);
        let span = groups.get_group(group);
        span.map(|span| text.slice(Byte(span.start)..Byte(span.end)).into_owned()).unwrap_or_default()
    }

    /// Returns the replacement of a match: for a regular expression with `$1`, `${name}` and `$0` expanded,
    /// else the text itself.
    pub fn replacement(&self, text: &Text, found: Range<Byte>, new: &str) -> String {
        let Engine::Regex(regex) = &self.engine else { return new.to_string() };
        if !self.regex || !new.contains('$') {
            return new.to_string();
        }
        let mut groups = regex.create_captures();
        let mut input = input(text, found.start..text.end());
        input.set_anchored(Anchored::Yes);
        regex.search_captures(input, &mut groups);
        let mut out = String::new();
        interpolate::string(
            new,
            |group, out| {
                if let Some(span) = groups.get_group(group) {
                    out.push_str(&text.slice(Byte(span.start)..Byte(span.end)));
                }
            },
            |name| groups.group_info().to_index(groups.pattern()?, name),
            &mut out,
        );
        out
    }
}

fn input(text: &Text, range: Range<Byte>) -> Input<RopeyCursor<'_>> {
    let cursor = RopeyCursor::at(text.rope().slice(..), range.start.0);
    Input::new(cursor).range(range.start.0..range.end.0)
}

/// Whether a search for this text is case-insensitive.
fn ignores_case(text: &str, case: CaseMatching) -> bool {
    match case {
        CaseMatching::Smart => !text.chars().any(char::is_uppercase),
        CaseMatching::Sensitive => false,
        CaseMatching::Insensitive => true,
    }
}

/// Returns a search text as a regular expression of the `regex` crate; for searches outside of a [`Text`].
pub fn to_regex(text: &str, how: SearchOptions) -> String {
    let body = if how.regex { text.to_string() } else { regex::escape(text) };
    // A text that starts or ends with punctuation is a word of its own there.
    let edge = |c: Option<char>| {
        let joins = how.regex || c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        if how.word && joins { r"\b" } else { "" }
    };
    let (left, right) = (edge(text.chars().next()), edge(text.chars().last()));
    let body = if how.word { format!("{left}(?:{body}){right}") } else { body };
    let flags = if ignores_case(text, how.case) { "(?imR)" } else { "(?mR)" };
    format!("{flags}{body}")
}

/// Returns the last line of a pattern's error; before it is a drawing of the position.
fn reason(error: &dyn std::error::Error) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    let text = deepest.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_string()
}

/// Reads a rope's chunks as a stream of bytes.
struct ChunkReader<'t, I: Iterator<Item = &'t str>> {
    chunks: I,
    rest: &'t [u8],
    left: usize,
}

impl<'t, I: Iterator<Item = &'t str>> Read for ChunkReader<'t, I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.chunks.next() {
                Some(chunk) => self.rest = chunk.as_bytes(),
                None => return Ok(0),
            }
        }
        let n = self.rest.len().min(buffer.len()).min(self.left);
        let (now, later) = self.rest.split_at(n);
        buffer[..n].copy_from_slice(now);
        self.rest = later;
        self.left -= n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests;
