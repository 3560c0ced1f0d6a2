//! Scopes of a whole text at once, for texts that are shown and not edited. Expensive: for a task. Must not know where
//! the text comes from.

use std::time::Duration;

use crate::syntax::Syntax;
use crate::syntax::highlighting::highlighted_range::HighlightedRange;
use crate::syntax::highlighting::line_highlighter::LineHighlighter;
use crate::syntax::languages::detect;
use crate::syntax::languages::line_language::{self, LineLanguage};
use crate::syntax::languages::table::Language;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// A language with a grammar, or one whose lines are matched.
#[derive(Debug, Clone, Copy)]
pub enum CodeLanguage {
    /// With a grammar.
    Grammar(&'static Language),
    /// With patterns for lines.
    Lines(&'static LineLanguage),
}

impl CodeLanguage {
    /// Returns the language with this name, as it is written on a code fence.
    pub fn by_name(name: &str) -> Option<Self> {
        match detect::by_name(name) {
            Some(language) => Some(Self::Grammar(language)),
            None => line_language::by_name(name).map(Self::Lines),
        }
    }

    /// Returns the language of a file with this name (without folders) and text.
    pub fn of_file(name: &str, text: &Text) -> Option<Self> {
        let first = text.line(Line(0));
        match detect::detect(name, &first) {
            Some(language) => Some(Self::Grammar(language)),
            None => line_language::of_file(name, &first).map(Self::Lines),
        }
    }

    /// Returns the scopes of a text; `None` if they cannot be found in that time.
    pub fn paint(self, text: &Text, budget: Duration) -> Option<HighlightedRange> {
        let all = Byte(0)..text.end();
        match self {
            Self::Grammar(language) => {
                Syntax::parse(language, text, None, budget).ok().map(|syntax| syntax.paint(text, all))
            }
            Self::Lines(language) => LineHighlighter::new(language).paint(text, &[all], budget).ok()?.pop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlight_whole_text_finds_language_by_file() {
        let scopes = |name: &str, text: &str| -> Vec<&'static str> {
            let text = Text::from(text);
            let language = CodeLanguage::of_file(name, &text);
            let painted = language.and_then(|language| language.paint(&text, Duration::from_secs(10)));
            painted.iter().flat_map(HighlightedRange::spans).map(|span| span.scope).collect()
        };
        assert!(scopes("a.rs", "fn main() {}\n").contains(&"keyword.function"));
        assert!(!scopes("run", "#!/bin/sh\necho 1\n").is_empty());
        assert!(!scopes("a.lua", "local a = 1\n").is_empty());
        assert!(scopes("a.unknown", "fn main() {}\n").is_empty());
    }
}
