//! Snippets in the syntax of `TextMate` and of the language server protocol: a text with stops to go
//! through one after the other, defaults, choices, variables. Must not know where snippets come
//! from, nor what a variable stands for.

use std::collections::BTreeMap;
use std::ops::Range;

/// Longer snippets are refused.
const LENGTH_MAX: usize = 64 << 10;
/// Stops within defaults of stops.
const DEPTH_MAX: usize = 16;
/// More text than this is not made of one snippet: mirrors of mirrors grow fast.
const EXPANDED_MAX: usize = 1 << 20;
/// More stops than this are not written for one snippet: mirrors of nothing grow no text.
const WRITTEN_MAX: usize = 1 << 16;

/// Why a text is no snippet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnippetError {
    /// It is too long, or becomes so.
    #[error("it is too long")]
    TooLong,
    /// Defaults lie in defaults, too deep.
    #[error("its stops are nested too deeply")]
    TooDeep,
    /// A brace is missing.
    #[error("the `${{` at character {0} has no `}}`")]
    Unclosed(usize),
    /// What stands in braces is no stop and no variable.
    #[error("what the `${{` at character {0} begins is not understood")]
    Unknown(usize),
}

/// A parsed snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Stop { number: u32, inner: Vec<Part>, choices: Vec<String> },
    Variable { name: String, inner: Vec<Part> },
}

/// One stop of an expanded snippet: everywhere it stands, the first place first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Its number; 0 is the last one.
    pub number: u32,
    /// Where, in bytes of the text.
    pub ranges: Vec<Range<usize>>,
    /// The turn of each of these among all places of the snippet, for those that fall together.
    pub turns: Vec<usize>,
    /// The stops in whose defaults it stands.
    pub inside: Vec<u32>,
    /// What it may be, if that is a choice; the first is what stands there.
    pub choices: Vec<String>,
}

/// A snippet made a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expanded {
    /// The text.
    pub text: String,
    /// Its stops in the order in which they are gone through. There is a last one always.
    pub stops: Vec<Stop>,
}

impl Snippet {
    /// Parses a snippet. A `$` that begins nothing is a sign like any other.
    pub fn parse(source: &str) -> Result<Self, SnippetError> {
        if source.len() > LENGTH_MAX {
            return Err(SnippetError::TooLong);
        }
        let mut parser = Parser { chars: source.chars().collect(), at: 0 };
        let parts = parser.parts(None, 0)?;
        Ok(Self { parts })
    }

    /// The text of it. `variable` tells what a variable stands for: `Some` and empty where it is
    /// known and empty, `None` where there is none of the name.
    pub fn expand(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Expanded, SnippetError> {
        let mut defaults = BTreeMap::new();
        collect(&self.parts, &mut defaults);
        let mut writer = Writer {
            variable,
            defaults,
            text: String::new(),
            stops: BTreeMap::new(),
            open: Vec::new(),
            turns: 0,
            written: 0,
        };
        writer.parts(&self.parts, true)?;
        let end = writer.text.len();
        let last = writer.stops.remove(&0);
        let mut stops: Vec<Stop> = writer.stops.into_values().collect();
        let at_end = || Stop {
            number: 0,
            ranges: std::iter::once(end..end).collect(),
            turns: vec![writer.turns],
            inside: Vec::new(),
            choices: Vec::new(),
        };
        stops.push(last.unwrap_or_else(at_end));
        Ok(Expanded { text: writer.text, stops })
    }
}

/// The first default and choices of every stop.
fn collect<'a>(parts: &'a [Part], into: &mut BTreeMap<u32, &'a Part>) {
    for part in parts {
        match part {
            Part::Text(_) => {}
            Part::Stop { number, inner, choices } => {
                if !inner.is_empty() || !choices.is_empty() {
                    into.entry(*number).or_insert(part);
                }
                collect(inner, into);
            }
            Part::Variable { inner, .. } => collect(inner, into),
        }
    }
}

struct Writer<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    defaults: BTreeMap<u32, &'a Part>,
    text: String,
    stops: BTreeMap<u32, Stop>,
    /// The stops whose defaults are being written.
    open: Vec<u32>,
    /// How many places there are.
    turns: usize,
    /// How many stops were written, mirrors and what is in them too.
    written: usize,
}

impl Writer<'_> {
    /// Writes parts; stops are noted where they stand for themselves and not for a mirror.
    fn parts(&mut self, parts: &[Part], notes: bool) -> Result<(), SnippetError> {
        for part in parts {
            match part {
                Part::Text(text) => self.text.push_str(text),
                Part::Variable { name, inner } => match (self.variable)(name) {
                    Some(value) if !value.is_empty() => self.text.push_str(&value),
                    None if inner.is_empty() => self.text.push_str(name),
                    _ => self.parts(inner, notes)?,
                },
                Part::Stop { number, .. } => self.stop(*number, part, notes)?,
            }
            if self.text.len() > EXPANDED_MAX {
                return Err(SnippetError::TooLong);
            }
        }
        Ok(())
    }

    fn stop(&mut self, number: u32, part: &Part, notes: bool) -> Result<(), SnippetError> {
        self.written += 1;
        if self.written > WRITTEN_MAX {
            return Err(SnippetError::TooLong);
        }
        // Mirrors nest deeper than what is written does.
        if self.open.len() > DEPTH_MAX {
            return Err(SnippetError::TooDeep);
        }
        let start = self.text.len();
        let default = self.defaults.get(&number).copied();
        // A stop within its own default is empty there.
        let source = default.filter(|_| !self.open.contains(&number));
        if let Some(Part::Stop { inner, choices, .. }) = source {
            self.open.push(number);
            match choices.first() {
                Some(first) => self.text.push_str(first),
                None => self.parts(inner, notes && std::ptr::eq(default.unwrap_or(part), part))?,
            }
            self.open.pop();
        }
        if notes && !self.open.contains(&number) {
            let choices = match default {
                Some(Part::Stop { choices, .. }) => choices.clone(),
                _ => Vec::new(),
            };
            let inside = self.open.clone();
            let (ranges, turns) = (Vec::new(), Vec::new());
            let stop = self.stops.entry(number).or_insert(Stop { number, ranges, turns, inside, choices });
            stop.ranges.push(start..self.text.len());
            stop.turns.push(self.turns);
            self.turns += 1;
        }
        Ok(())
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn eat(&mut self, c: char) -> bool {
        let is = self.peek() == Some(c);
        self.at += usize::from(is);
        is
    }

    /// Parts up to the brace that closes those that a `${` at `opened` has begun, or to the end.
    fn parts(&mut self, opened: Option<usize>, depth: usize) -> Result<Vec<Part>, SnippetError> {
        if depth > DEPTH_MAX {
            return Err(SnippetError::TooDeep);
        }
        let mut parts = Vec::new();
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else {
                if let Some(at) = opened {
                    return Err(SnippetError::Unclosed(at + 1));
                }
                break;
            };
            self.at += 1;
            match c {
                '}' if opened.is_some() => break,
                '\\' => match self.peek().filter(|c| matches!(c, '$' | '}' | '\\')) {
                    Some(escaped) => {
                        self.at += 1;
                        text.push(escaped);
                    }
                    None => text.push('\\'),
                },
                '$' => match self.dollar(depth)? {
                    Some(part) => {
                        if !text.is_empty() {
                            parts.push(Part::Text(std::mem::take(&mut text)));
                        }
                        parts.push(part);
                    }
                    None => text.push('$'),
                },
                c => text.push(c),
            }
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        Ok(parts)
    }

    /// What a `$` that was taken begins, if anything.
    fn dollar(&mut self, depth: usize) -> Result<Option<Part>, SnippetError> {
        let opened = self.at - 1;
        if !self.eat('{') {
            if let Some(number) = self.number() {
                return Ok(Some(Part::Stop { number, inner: Vec::new(), choices: Vec::new() }));
            }
            return Ok(self.name().map(|name| Part::Variable { name, inner: Vec::new() }));
        }
        let unclosed = SnippetError::Unclosed(opened + 1);
        if let Some(number) = self.number() {
            let (mut inner, mut choices) = (Vec::new(), Vec::new());
            match self.peek().ok_or(unclosed)? {
                '}' => self.at += 1,
                ':' => {
                    self.at += 1;
                    inner = self.parts(Some(opened), depth + 1)?;
                }
                '|' => {
                    self.at += 1;
                    choices = self.choices(opened)?;
                }
                _ => return Err(SnippetError::Unknown(opened + 1)),
            }
            return Ok(Some(Part::Stop { number, inner, choices }));
        }
        let name = self.name().ok_or(SnippetError::Unknown(opened + 1))?;
        let inner = match self.peek().ok_or(unclosed)? {
            '}' => {
                self.at += 1;
                Vec::new()
            }
            ':' => {
                self.at += 1;
                self.parts(Some(opened), depth + 1)?
            }
            _ => return Err(SnippetError::Unknown(opened + 1)),
        };
        Ok(Some(Part::Variable { name, inner }))
    }

    /// `a,b|}`, with `\` before a comma, a bar or itself.
    fn choices(&mut self, opened: usize) -> Result<Vec<String>, SnippetError> {
        let mut choices = vec![String::new()];
        loop {
            let c = self.peek().ok_or(SnippetError::Unclosed(opened + 1))?;
            self.at += 1;
            match c {
                '|' => break,
                ',' => choices.push(String::new()),
                c => {
                    let escaped = self.peek().filter(|next| c == '\\' && matches!(next, ',' | '|' | '\\'));
                    self.at += usize::from(escaped.is_some());
                    choices.last_mut().expect("there is one always").push(escaped.unwrap_or(c));
                }
            }
        }
        if self.eat('}') { Ok(choices) } else { Err(SnippetError::Unknown(opened + 1)) }
    }

    fn number(&mut self) -> Option<u32> {
        let digits: String = self.chars[self.at..].iter().take_while(|c| c.is_ascii_digit()).collect();
        let number = digits.parse().ok()?;
        self.at += digits.len();
        Some(number)
    }

    fn name(&mut self) -> Option<String> {
        let is_name =
            |(n, c): &(usize, &char)| c.is_ascii_alphabetic() || **c == '_' || *n > 0 && c.is_ascii_digit();
        let name: String =
            self.chars[self.at..].iter().enumerate().take_while(is_name).map(|(_, c)| c).collect();
        self.at += name.len();
        (!name.is_empty()).then_some(name)
    }
}

#[cfg(test)]
mod tests;
