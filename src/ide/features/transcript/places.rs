//! Files named in an item of the conversation, with a line where one is given. Must not know which of them
//! exist.

use std::collections::HashSet;

/// A named place: a path as it was written, and a line from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NamedPlace {
    /// The path.
    pub path: String,
    /// The line.
    pub line: Option<usize>,
}

/// Maximum bytes of text that are looked at.
const TEXT_MAX: usize = 256 << 10;
/// Maximum number of places returned.
const PLACES_MAX: usize = 500;
/// Maximum bytes of a path.
const PATH_MAX: usize = 1_024;

/// Returns the places that a text may name, in order, each once: words with a slash or a dot in them, as
/// `path`, `path:line`, `path:line:column`, or `path line-line`, as calls of read show it.
pub fn named_places(text: &str) -> Vec<NamedPlace> {
    let text = &text[..text.floor_char_boundary(TEXT_MAX)];
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for line in text.lines() {
        let mut words = line.split(is_separator).filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            let Some(mut place) = place(word) else { continue };
            if place.line.is_none() {
                place.line = words.peek().and_then(|next| first_line(next));
            }
            if seen.insert(place.clone()) {
                out.push(place);
            }
            if out.len() == PLACES_MAX {
                return out;
            }
        }
    }
    out
}

/// Returns the place named in a line at an offset, if that is within its path, its line or its column.
pub fn place_at(line: &str, offset: usize) -> Option<NamedPlace> {
    let (before, after) = line.split_at_checked(offset)?;
    let start = before.char_indices().rfind(|(_, c)| is_separator(*c)).map_or(0, |(at, c)| at + c.len_utf8());
    let end = offset + after.find(is_separator).unwrap_or(after.len());
    let mut found = place(&line[start..end])?;
    let from = end - line[start..end].trim_start_matches('*').len();
    let mut until = from + found.path.len();
    for _ in 0..2 {
        until += number_length(&line[until..end]);
    }
    if !(from..until).contains(&offset) {
        return None;
    }
    if found.line.is_none() {
        found.line = line[end..].split(is_separator).find(|word| !word.is_empty()).and_then(first_line);
    }
    Some(found)
}

/// Returns the length of a colon and a number at the start of a text.
fn number_length(text: &str) -> usize {
    let digits = text.strip_prefix(':').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    if digits == 0 { 0 } else { digits + 1 }
}

fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '`' | '"' | '\'' | '(' | ')' | '[' | ']' | '<' | '>' | ',' | ';' | '|' | '│')
}

fn place(word: &str) -> Option<NamedPlace> {
    let word = word.trim_end_matches(['.', ':', '!', '?', '*']).trim_start_matches('*');
    let mut parts = word.split(':');
    let path = parts.next()?;
    let line = parts.next().and_then(|part| part.parse().ok()).filter(|line| *line > 0);
    let looks_like_path = path.contains('/') || path.trim_start_matches('.').contains('.');
    let is_usual = path.len() <= PATH_MAX && path.chars().any(char::is_alphanumeric);
    (looks_like_path && is_usual && !word.contains("://"))
        .then(|| NamedPlace { path: path.to_string(), line })
}

/// Returns the first line of a range such as `12-40`.
fn first_line(word: &str) -> Option<usize> {
    let (first, last) = word.split_once('-')?;
    last.parse::<usize>().ok()?;
    first.parse().ok().filter(|line| *line > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<(String, Option<usize>)> {
        named_places(text).into_iter().map(|place| (place.path, place.line)).collect()
    }

    #[test]
    fn transcript_places_are_read_from_prose_calls_and_compiler_output() {
        let row = |path: &str, line| (path.to_string(), line);
        assert_eq!(
            found("See `src/a.rs:12` and (docs/b.md)."),
            [row("src/a.rs", Some(12)), row("docs/b.md", None)]
        );
        assert_eq!(found("src/login.rs 3-80"), [row("src/login.rs", Some(3))]);
        assert_eq!(found("  --> src/main.rs:5:9\n"), [row("src/main.rs", Some(5))]);
        assert_eq!(found("Cargo.toml, again Cargo.toml"), [row("Cargo.toml", None)]);
        assert_eq!(found("https://a.b/c and 1/2 … or e.g. that"), [row("1/2", None), row("e.g", None)]);
    }

    #[test]
    fn transcript_place_at_is_exact_to_path_and_numbers() {
        let line = "see **src/漢.rs:12:fn** x, src/b.rs 3-80";
        let at = |text: &str| place_at(line, line.find(text).unwrap()).map(|place| (place.path, place.line));
        for inside in ["src/漢", "漢", "rs:", ":12", "2:fn"] {
            assert_eq!(at(inside), Some(("src/漢.rs".to_string(), Some(12))), "{inside}");
        }
        for outside in ["see", "**src", ":fn", "fn", "x,", ", src", "3-80"] {
            assert_eq!(at(outside), None, "{outside}");
        }
        assert_eq!(at("b.rs"), Some(("src/b.rs".to_string(), Some(3))));
        assert_eq!(place_at(line, line.len()), None);
        assert_eq!(place_at("漢", 1), None);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(128))]
        #[test]
        fn transcript_places_of_any_text_are_bounded(text in "\\PC{0,400}") {
            let places = named_places(&text);
            prop_assert!(places.len() <= PLACES_MAX);
            prop_assert!(places.iter().all(|place| text.contains(&place.path)));
        }
    }
}
