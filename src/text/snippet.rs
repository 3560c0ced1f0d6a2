//! Snippets in the syntax of `TextMate` and of the language server protocol: a text with tab stops, defaults,
//! choices and variables. Must not know where snippets come from, nor the values of variables.

use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum length of a snippet.
const LENGTH_MAX: usize = 64 << 10;
/// Stops within defaults of stops.
const DEPTH_MAX: usize = 16;
/// Maximum length of an expanded snippet: nested mirrors grow fast.
const EXPANDED_MAX: usize = 1 << 20;
/// Maximum number of stops written for one snippet: empty mirrors grow no text.
const WRITTEN_MAX: usize = 1 << 16;

/// Why a text is no snippet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnippetError {
    /// It is too long, or expands too far.
    #[error("it is too long")]
    TooLong,
    /// Defaults lie in defaults, too deep.
    #[error("its stops are nested too deeply")]
    TooDeep,
    /// A brace is missing.
    #[error("the `${{` at character {0} has no `}}`")]
    Unclosed(usize),
    /// The content of braces is neither a stop nor a variable.
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

/// A tab stop of an expanded snippet with all of its positions, the main one first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Its number; 0 is the last one.
    pub number: u32,
    /// The positions, in bytes of the text.
    pub ranges: Vec<Range<usize>>,
    /// The order of each among all positions of the snippet, for those that coincide.
    pub turns: Vec<usize>,
    /// The stops whose defaults contain it.
    pub inside: Vec<u32>,
    /// The choices, if it has any; the first one is in the text.
    pub choices: Vec<String>,
}

/// An expanded snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expanded {
    /// The text.
    pub text: String,
    /// Its stops in the order in which they are visited. There is always a last one.
    pub stops: Vec<Stop>,
}

impl Snippet {
    /// Parses a snippet. A `$` without special meaning is literal.
    pub fn parse(source: &str) -> Result<Self, SnippetError> {
        if source.len() > LENGTH_MAX {
            return Err(SnippetError::TooLong);
        }
        let mut parser = Parser { chars: source.chars().collect(), at: 0 };
        let parts = parser.parts(None, 0)?;
        Ok(Self { parts })
    }

    /// Expands the snippet. `variable` returns a variable's value: empty if the variable is known and empty,
    /// `None` if it is unknown.
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
    /// Number of positions.
    turns: usize,
    /// Number of stops written, including mirrors and their content.
    written: usize,
}

impl Writer<'_> {
    /// Writes parts; stops are recorded unless they are in a mirror.
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
        // Mirrors may nest deeper than the source.
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

    /// Parses parts up to the brace that closes the `${` at `opened`, or to the end.
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

    /// Parses what follows a `$`, if it is special.
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
