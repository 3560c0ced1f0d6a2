//! Truncation rules: by characters first, then by lines, with a marker for what is missing.
//!
//! Pure; must not know tools. Characters are Unicode scalar values; linear in the text.

use std::collections::BTreeMap;

use super::limits::{Keep, Limits};
use crate::tools::contract::intent::Kind;

/// A text, whose middle may already be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// The complete text.
    Whole(String),
    /// A text without its middle.
    Ends {
        /// Its beginning.
        head: String,
        /// Its end.
        tail: String,
        /// Total number of characters.
        chars: usize,
    },
}

impl Body {
    /// Returns the text with a prefix and a suffix.
    #[must_use]
    pub fn within(self, before: &str, after: &str) -> Self {
        match self {
            Self::Whole(text) => Self::Whole(format!("{before}{text}{after}")),
            Self::Ends { head, tail, chars } => Self::Ends {
                head: format!("{before}{head}"),
                tail: format!("{tail}{after}"),
                chars: chars + before.chars().count() + after.chars().count(),
            },
        }
    }

    /// Returns the total number of characters.
    pub fn chars(&self) -> usize {
        match self {
            Self::Whole(text) => text.chars().count(),
            Self::Ends { chars, .. } => *chars,
        }
    }

    /// Returns the complete text, unless the middle is missing.
    pub fn whole(&self) -> Option<&str> {
        match self {
            Self::Whole(text) => Some(text),
            Self::Ends { .. } => None,
        }
    }
}

/// Returns the truncated text; `None` if it is within the limits.
pub fn truncate(body: &Body, limits: Limits) -> Option<String> {
    let cut = match body {
        Body::Whole(text) => characters(text, limits.chars, limits.keep),
        Body::Ends { head, tail, chars } => Some(ends(head, tail, *chars, limits)),
    };
    let Some(most) = limits.lines else { return cut };
    let text = cut.as_deref().or(body.whole())?;
    lines(text, most).or(cut)
}

/// Truncates a text to this many characters; `None` if it has no more.
fn characters(text: &str, most: usize, keep: Keep) -> Option<String> {
    // A character has at least one byte.
    if text.len() <= most {
        return None;
    }
    let chars = text.chars().count();
    (chars > most).then(|| ends(text, text, chars, Limits { chars: most, keep, lines: None }))
}

/// Returns the first and last characters of a text, given its beginning and end, with the marker. The two
/// parts have exactly the allowed number of characters, so that the marker's count is correct for odd limits,
/// too.
fn ends(head: &str, tail: &str, chars: usize, limits: Limits) -> String {
    let most = limits.chars;
    match limits.keep {
        Keep::Ends => {
            let (head, tail) = (first(head, most / 2), last(tail, most - most / 2));
            let kept = head.chars().count() + tail.chars().count();
            let removed = chars.saturating_sub(kept);
            format!(
                "{head}\n\n[WARNING: Tool output was truncated. {removed} characters were removed from the \
                 middle. The full output is available in the event stream. If you need to see specific parts, \
                 re-run the tool with more targeted parameters.]\n\n{tail}"
            )
        }
        Keep::Tail => {
            let tail = last(tail, most);
            let removed = chars.saturating_sub(tail.chars().count());
            format!(
                "[WARNING: Tool output was truncated. First {removed} characters were removed. The full output \
                 is available in the event stream.]\n\n{tail}"
            )
        }
    }
}

/// The first characters.
fn first(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(at, _)| &text[..at])
}

/// The last characters.
fn last(text: &str, most: usize) -> &str {
    let Some(before) = most.checked_sub(1) else { return "" };
    text.char_indices().rev().nth(before).map_or(text, |(at, _)| &text[at..])
}

/// Truncates a text to this many lines; `None` if it has no more. A trailing line feed starts another line
/// here, as in the specification.
fn lines(text: &str, most: usize) -> Option<String> {
    let feeds: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
    let count = feeds.len() + 1;
    if count <= most {
        return None;
    }
    let (head, tail) = (most / 2, most - most / 2);
    let omitted = count - head - tail;
    let front = if head == 0 { "" } else { &text[..feeds[head - 1]] };
    let back = if tail == 0 { "" } else { &text[feeds[count - tail - 1] + 1..] };
    Some(format!("{front}\n[... {omitted} lines omitted ...]\n{back}"))
}

/// Overrides of the tools' limits, by name of a tool or kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitOverrides(BTreeMap<String, LimitOverride>);

/// The override for one name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LimitOverride {
    /// Maximum characters.
    pub chars: Option<usize>,
    /// Maximum lines; 0 means unlimited.
    pub lines: Option<usize>,
}

impl LimitOverrides {
    /// Sets the override for a name.
    pub fn set(&mut self, name: &str, limits: LimitOverride) {
        self.0.insert(name.to_string(), limits);
    }

    /// Returns the limits of a tool: the override for its name, then that for its kind, then its own.
    pub fn limits(&self, name: &str, kind: Kind, own: Option<Limits>) -> Option<Limits> {
        let kind = Some(kind).filter(|kind| *kind != Kind::Other).and_then(|kind| self.0.get(kind.name()));
        let overrides: Vec<&LimitOverride> = self.0.get(name).into_iter().chain(kind).collect();
        if overrides.is_empty() {
            return own;
        }
        let own = own.unwrap_or(Limits { chars: usize::MAX, keep: Keep::Ends, lines: None });
        let chars = overrides.iter().find_map(|overrides| overrides.chars).unwrap_or(own.chars);
        let lines = overrides
            .iter()
            .find_map(|overrides| overrides.lines)
            .map_or(own.lines, |lines| Some(lines).filter(|n| *n > 0));
        Some(Limits { chars, lines, ..own })
    }
}

#[cfg(test)]
mod tests;
