//! Links in any text, found without a language server: addresses of web pages, and paths of files. Whether a file exists is
//! not known here. Pure.

use std::ops::Range;
use std::path::Path;

use crate::base::paths::split_position;

/// A path, with line and column from 1 if it has them.
pub type PathAt = (String, Option<(usize, usize)>);

/// What may be a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The address of a web page.
    Page(String),
    /// A path; the likelier readings first.
    Paths(Vec<PathAt>),
}

/// What ends an address.
const ADDRESS_ENDS: &str = "<>\"`|\\^{}";
/// What ends a path, besides blanks.
const PATH_ENDS: &str = "<>\"'`|()[]{},;=*?";
/// What belongs to the sentence around a link.
const SENTENCE: &[char] = &['.', ',', ':', ';', '!', '?', '\''];

/// Returns what may be a link at an offset of a line.
pub fn link_at(line: &str, at: usize) -> Option<Found> {
    page(line, at).map(Found::Page).or_else(|| paths(line, at).map(Found::Paths))
}

/// Returns the likeliest path among readings, if it looks like one: with a folder or an extension.
pub fn likely_path(readings: &[PathAt]) -> Option<&str> {
    let path = readings.iter().map(|(path, _)| path.as_str()).min_by_key(|path| path.len())?;
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    let has_extension = extension.is_some_and(|extension| extension.starts_with(char::is_alphabetic));
    (path.contains('/') || has_extension).then_some(path)
}

/// Returns the run of characters around an offset, which may be at its end.
fn run(line: &str, at: usize, is_part: impl Fn(char) -> bool) -> Range<usize> {
    let at = line.floor_char_boundary(at);
    let before = line[..at].rfind(|c| !is_part(c));
    let start = before.map_or(0, |found| line.ceil_char_boundary(found + 1));
    let end = line[at..].find(|c| !is_part(c)).map_or(line.len(), |found| at + found);
    start..end
}

fn page(line: &str, at: usize) -> Option<String> {
    let is_part = |c: char| !c.is_whitespace() && !c.is_control() && !ADDRESS_ENDS.contains(c);
    let around = run(line, at, is_part);
    let text = &line[around.clone()];
    // The last one that begins before the offset: several may stand side by side.
    let starts = ["https://", "http://"].into_iter().flat_map(|scheme| text.match_indices(scheme));
    let start = starts.map(|(start, _)| start).filter(|start| around.start + start <= at).max()?;
    let mut address = text[start..].trim_end_matches(SENTENCE);
    for (open, close) in [('(', ')'), ('[', ']')] {
        // A bracket around the link, not one of its own.
        while address.ends_with(close) && address.matches(close).count() > address.matches(open).count() {
            address = address[..address.len() - 1].trim_end_matches(SENTENCE);
        }
    }
    let has_host = address.split_once("://").is_some_and(|(_, rest)| !rest.is_empty());
    (has_host && at <= around.start + start + address.len()).then(|| address.to_string())
}

fn paths(line: &str, at: usize) -> Option<Vec<PathAt>> {
    let is_part = |c: char| !c.is_whitespace() && !c.is_control() && !PATH_ENDS.contains(c);
    let text = &line[run(line, at, is_part)];
    let mut found: Vec<PathAt> = Vec::new();
    let short = text.trim_end_matches(SENTENCE);
    let before_fragment = short.split_once('#').map_or(short, |(path, _)| path);
    for text in [text, short, before_fragment] {
        let (path, place) = split_position(text);
        for reading in [(text, None), (path, place)] {
            let reading = (reading.0.to_string(), reading.1);
            if reading.0.chars().any(char::is_alphanumeric) && !found.contains(&reading) {
                found.push(reading);
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<Found> {
        let at = text.find('|').unwrap();
        link_at(&text.replace('|', ""), at)
    }

    fn page(text: &str) -> String {
        match at(text) {
            Some(Found::Page(address)) => address,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn link_to_a_page_ends_where_its_sentence_goes_on() {
        assert_eq!(page("See ht|tps://a.b/c?d=1#e."), "https://a.b/c?d=1#e");
        assert_eq!(page("(see |http://a.b/c_(d))"), "http://a.b/c_(d)");
        assert_eq!(page("[x](https://a.b/é|), y"), "https://a.b/é");
        assert_eq!(page("\"https://a.b|\","), "https://a.b");
        assert_eq!(page("https://a.b/https://c|.d"), "https://c.d");
        assert_eq!(at("see| https://a.b"), Some(Found::Paths(vec![("see".to_string(), None)])));
        assert!(!matches!(at("https://|"), Some(Found::Page(_))));
    }

    #[test]
    fn link_to_a_file_has_its_place() {
        let all = |text: &str| match at(text) {
            Some(Found::Paths(all)) => all,
            other => panic!("{other:?}"),
        };
        let has = |text: &str, path: &str, place| {
            let all = all(text);
            assert!(all.contains(&(path.to_string(), place)), "{text}: {all:?}");
        };
        has("at src/|a.rs:12:5: no", "src/a.rs", Some((12, 5)));
        has("--> |../x y", "../x", None);
        has("see `docs/b.md|`", "docs/b.md", None);
        has("[b](docs/b|.md#part)", "docs/b.md", None);
        has("in a.rs:7|.", "a.rs", Some((7, 1)));
        has("é|:x.rs", "é:x.rs", None);
        assert_eq!(at("a  |  b"), None);
        for (text, path) in [
            ("at src/|a.rs:12:5: no", Some("src/a.rs")),
            ("[b](docs/b|.md#part)", Some("docs/b.md")),
            ("in a.rs:7|.", Some("a.rs")),
            ("the| word.", None),
            ("at 12:|30", None),
            ("is 3.1|4", None),
        ] {
            assert_eq!(likely_path(&all(text)), path, "{text}");
        }
        assert_eq!(at("..|."), None);
    }
}
