//! Excerpt of a text around the words of a query. Pure.

use std::ops::Range;

use super::hit::Snippet;
use super::query::{Query, Term};

/// Characters of a snippet.
const WIDTH: usize = 160;
/// Characters before the first matching word.
const LEADING: usize = 40;

/// Returns the excerpt around the first match; the beginning if there is none. Words are those of the index:
/// letters and digits, case-insensitive.
pub fn excerpt(text: &str, query: &Query) -> Snippet {
    let terms: Vec<(Vec<String>, bool)> = query
        .terms
        .iter()
        .filter(|term| !term.excluded)
        .map(term_words)
        .filter(|(words, _)| !words.is_empty())
        .collect();
    let words = words_of(text);
    let mut marks: Vec<Range<usize>> = (0..words.len())
        .filter_map(|at| terms.iter().find_map(|term| match_at(text, &words[at..], term)))
        .collect();
    marks.dedup_by(|next, before| {
        let within = next.start < before.end;
        if within {
            before.end = before.end.max(next.end);
        }
        within
    });
    let first = marks.first().map_or(0, |mark| mark.start);
    let from = text[..first].char_indices().rev().nth(LEADING - 1).map_or(0, |(at, _)| at);
    let to = text[from..].char_indices().nth(WIDTH).map_or(text.len(), |(at, _)| from + at);
    collapse(text, from..to, &marks)
}

fn term_words(term: &Term) -> (Vec<String>, bool) {
    let words = words_of(&term.text);
    (words.into_iter().map(|word| term.text[word].to_lowercase()).collect(), term.prefix)
}

/// Returns the ranges of words: runs of letters and digits.
fn words_of(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices() {
        match (c.is_alphanumeric(), from) {
            (true, None) => from = Some(at),
            (false, Some(start)) => {
                words.push(start..at);
                from = None;
            }
            _ => {}
        }
    }
    words.extend(from.map(|start| start..text.len()));
    words
}

/// Returns the range of a term if it matches at the first of these words.
fn match_at(
    text: &str,
    words: &[Range<usize>],
    (terms, prefix): &(Vec<String>, bool),
) -> Option<Range<usize>> {
    let here = words.get(..terms.len())?;
    let last = terms.len() - 1;
    let fits = here.iter().zip(terms).enumerate().all(|(at, (word, terms))| {
        let word = text[word.clone()].to_lowercase();
        if *prefix && at == last { word.starts_with(terms) } else { word == *terms }
    });
    fits.then(|| here[0].start..here[here.len() - 1].end)
}

/// Returns a part of the text with white space collapsed and control characters removed; marks are adjusted.
fn collapse(text: &str, piece: Range<usize>, marks: &[Range<usize>]) -> Snippet {
    let mut line = Snippet::default();
    if piece.start > 0 {
        line.text.push('…');
    }
    let mut marks = marks.iter().filter(|mark| mark.start >= piece.start && mark.end <= piece.end).peekable();
    let mut begun = None;
    for (at, c) in text[piece.clone()].char_indices() {
        let at = piece.start + at;
        if begun.is_some() && marks.peek().is_some_and(|mark| mark.end <= at) {
            line.marks.extend(begun.take().map(|start| start..line.text.len()));
            marks.next();
        }
        if marks.peek().is_some_and(|mark| mark.start == at) {
            begun = Some(line.text.len());
        }
        if c.is_whitespace() || c.is_control() {
            if !line.text.is_empty() && !line.text.ends_with([' ', '…']) {
                line.text.push(' ');
            }
        } else {
            line.text.push(c);
        }
    }
    line.marks.extend(begun.map(|start| start..line.text.len()));
    if line.text.ends_with(' ') && line.marks.last().is_none_or(|mark| mark.end < line.text.len()) {
        line.text.pop();
    }
    if piece.end < text.len() {
        line.text.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, query: &str) -> String {
        let snippet = excerpt(text, &Query::parse(query, 0, false));
        let mut shown = String::new();
        let mut at = 0;
        for mark in &snippet.marks {
            shown += &format!("{}[{}]", &snippet.text[at..mark.start], &snippet.text[mark.clone()]);
            at = mark.end;
        }
        shown + &snippet.text[at..]
    }

    #[test]
    fn search_snippet_marks_matches() {
        assert_eq!(marked("Fix the Loop,\n\tthe loop!", "loop"), "Fix the [Loop], the [loop]!");
        assert_eq!(marked("login_user logs in", "log* \"user logs\""), "[login]_[user logs] in");
        assert_eq!(marked("the loop the", "\"loop the\" -the"), "the [loop the]");
        assert_eq!(marked("nothing of it", "loop"), "nothing of it");
        assert_eq!(marked("", "x"), "");
    }

    #[test]
    fn search_snippet_is_cut_around_first_match() {
        let text = format!("{} Überlauf {}", "ä ".repeat(500), "ö ".repeat(500));
        let shown = marked(&text, "überlauf");
        assert!(
            shown.starts_with("…ä ä") && shown.contains(" [Überlauf] ö") && shown.ends_with('…'),
            "{shown}"
        );
        assert!(shown.chars().count() <= WIDTH + 4, "{}", shown.len());
    }

    #[test]
    fn search_snippet_drops_control_characters() {
        assert_eq!(marked("a\u{1b}[31mred\u{7} b", "red"), "a [31mred b");
        let snippet = excerpt("x\u{1b}]0;t\u{7}y", &Query::parse("t", 0, false));
        assert!(snippet.text.chars().all(|c| !c.is_control()), "{:?}", snippet.text);
    }
}
