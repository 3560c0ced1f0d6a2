//! The hits in the text of a search's result, as plain data for front ends.
//!
//! Must not know who searched. Text that is no hit, such as remarks, is passed over.

use crate::tools::contract::view::{Hit, ResultView};

/// Maximum number of hits in a view; the text has all.
const HITS_MAX: usize = 500;

/// Returns the view of a result whose lines a function reads; its text if there is no hit.
pub fn view(text: &str, hit: impl FnMut(&str) -> Option<Hit>) -> ResultView {
    let hits: Vec<Hit> = text.lines().filter_map(hit).take(HITS_MAX).collect();
    if hits.is_empty() {
        return ResultView::Text(text.to_string());
    }
    ResultView::Hits { hits, text: text.to_string() }
}

/// Reads `path:line: text` or `path:line:text`.
pub fn line(row: &str) -> Option<Hit> {
    let numbered = row.match_indices(':').find_map(|(at, _)| {
        let (number, text) = row[at + 1..].split_once(':')?;
        Some((&row[..at], number.parse().ok().filter(|line| *line > 0)?, text))
    });
    let (path, line, text) = numbered.filter(|(path, ..)| !path.is_empty())?;
    let text = text.strip_prefix(' ').unwrap_or(text);
    Some(Hit { path: path.to_string(), line: Some(line), text: text.to_string() })
}

/// Reads a path; `None` for sentences and remarks.
pub fn path(row: &str) -> Option<Hit> {
    let is_sentence = row.ends_with(['.', ':', ']']) && row.contains(' ') || row.starts_with('[');
    (!row.trim().is_empty() && !is_sentence).then(|| Hit {
        path: row.to_string(),
        line: None,
        text: String::new(),
    })
}

/// Returns a reader of blocks: `File: path`, then `L12: text` for each hit in it.
pub fn blocks() -> impl FnMut(&str) -> Option<Hit> {
    let mut file = String::new();
    move |row| {
        if let Some(name) = row.strip_prefix("File: ") {
            name.clone_into(&mut file);
            return None;
        }
        let (number, text) = row.strip_prefix('L')?.split_once(": ")?;
        let line = number.parse().ok().filter(|line| *line > 0)?;
        (!file.is_empty()).then(|| Hit { path: file.clone(), line: Some(line), text: text.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(view: &ResultView) -> Vec<String> {
        let ResultView::Hits { hits, .. } = view else { return vec!["text".to_string()] };
        hits.iter().map(|hit| format!("{} {:?} {}", hit.path, hit.line, hit.text)).collect()
    }

    #[test]
    fn search_hits_are_read_from_every_format() {
        let pi = "src/a.rs:12: fn main() {\nsrc/a.rs-13- body\nc:d.rs:4: x: 1\n\n[The first 2 matches.]";
        assert_eq!(shown(&view(pi, line)), ["src/a.rs Some(12) fn main() {", "c:d.rs Some(4) x: 1"]);
        let gemini =
            "2 matches for \"x\" in the workspace:\n---\nFile: a.rs\nL1: x\nL2- y\n---\nFile: b.rs\nL9: x";
        assert_eq!(shown(&view(gemini, blocks())), ["a.rs Some(1) x", "b.rs Some(9) x"]);
        let files = "2 files:\nsrc/a.rs\nmy file.txt\n\n[There is more. Go on with offset=2.]";
        assert_eq!(shown(&view(files, path)), ["src/a.rs None ", "my file.txt None "]);
        assert_eq!(shown(&view("No matches found.", path)), ["text"]);
        assert_eq!(shown(&view("No matches found.", line)), ["text"]);
    }

    #[test]
    fn search_hits_of_large_result_are_bounded() {
        let text = "a.rs:1: x\n".repeat(10_000);
        assert_eq!(shown(&view(&text, line)).len(), HITS_MAX);
    }
}
