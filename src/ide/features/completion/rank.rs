//! Which rows match what was typed, the best one first. Pure.

use std::cmp::Reverse;

use nucleo::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo::{Config, Matcher, Utf32Str};

use crate::ide::features::completion::state::{Row, RowIndex};

/// A row that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// Which row.
    pub row: RowIndex,
    /// How well it matches.
    pub score: Score,
}

/// How well a row matches, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Score {
    /// The letters are in it, as well as the matcher says.
    Letters(u16),
    /// It begins with what was typed, in other case.
    Begin,
    /// It begins with what was typed.
    ExactBegin,
}

/// Returns those of the rows that match. `before` is the line up to the caret, `grown` how many bytes longer the word is than
/// when the rows were asked for. Among equal ones the order of the sources counts.
pub fn rank<'a>(rows: impl Iterator<Item = (RowIndex, &'a Row)>, before: &str, grown: isize) -> Vec<Match> {
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    // Rows of a source replace the same text, but for a few.
    let mut patterns: Vec<(usize, &str, Atom)> = Vec::new();
    let mut found = Vec::new();
    for (n, row) in rows {
        let back = row.back.saturating_add_signed(grown);
        let known = patterns.iter().position(|(known, ..)| *known == back);
        let at = known.unwrap_or_else(|| {
            let query = query(before, back);
            let atom = Atom::new(query, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy, false);
            patterns.push((back, query, atom));
            patterns.len() - 1
        });
        let (_, query, atom) = &patterns[at];
        let text = row.item.filter.as_str();
        // Most rows that match begin with the word, and need no search for its letters.
        let score = match text {
            _ if text.starts_with(query) => Some(Score::ExactBegin),
            _ if begins_with(text, query) => Some(Score::Begin),
            _ => atom.score(Utf32Str::new(text, &mut buffer), &mut matcher).map(Score::Letters),
        };
        found.extend(score.map(|score| Match { row: n, score }));
    }
    found.sort_unstable_by_key(|found| (Reverse(found.score), found.row));
    found
}

/// Returns the end of the line before the caret, so many bytes of it.
pub fn query(before: &str, back: usize) -> &str {
    let start = before.len().saturating_sub(back);
    &before[before.ceil_char_boundary(start)..]
}

/// Whether a text begins with another one, in whatever case.
fn begins_with(text: &str, other: &str) -> bool {
    if other.is_ascii() && text.is_ascii() {
        // Nearly all.
        return text
            .as_bytes()
            .get(..other.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(other.as_bytes()));
    }
    let mut letters = text.chars().flat_map(char::to_lowercase);
    other.chars().flat_map(char::to_lowercase).all(|wanted| letters.next() == Some(wanted))
}

/// Returns which characters of a label match, as indices of characters.
pub fn letters(label: &str, query: &str) -> Vec<u32> {
    let (mut indices, mut buffer) = (Vec::new(), Vec::new());
    let atom = Atom::new(query, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy, false);
    atom.indices(Utf32Str::new(label, &mut buffer), &mut Matcher::new(Config::DEFAULT), &mut indices);
    indices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::answers::completion::Item;

    fn rows(labels: &[&str], back: usize) -> Vec<Row> {
        let row = |label: &&str| Row {
            item: Item { label: label.to_string(), filter: label.to_string(), ..Item::default() },
            back,
            after: 0,
            is_resolved: false,
        };
        labels.iter().map(row).collect()
    }

    fn ranked<'a>(rows: &'a [Row], before: &str, grown: isize) -> Vec<&'a str> {
        let numbered = (0..).zip(rows).map(|(row, found)| (RowIndex { source: 0, row }, found));
        let found = rank(numbered, before, grown).into_iter();
        found.map(|found| rows[found.row.row as usize].item.label.as_str()).collect()
    }

    #[test]
    fn completions_that_begin_with_the_word_come_first_then_the_servers_order() {
        let all = rows(&["expr", "reprint", "PRIX", "print", "Println", "other"], 0);
        assert_eq!(ranked(&all, "x = pri", 3), ["print", "PRIX", "Println", "reprint"]);
        assert_eq!(ranked(&all, "x = ", 0), ["expr", "reprint", "PRIX", "print", "Println", "other"]);
        assert_eq!(ranked(&all, "x = pRi", 3)[..2], ["PRIX", "print"], "case does not count otherwise");
        assert_eq!(ranked(&all, "zzz", 3), [""; 0]);
    }

    #[test]
    fn completions_are_compared_with_what_each_replaces() {
        let mut all = rows(&["font-size", "size"], 2);
        all[0].back = 7;
        assert_eq!(ranked(&all, "font-si", 0), ["font-size", "size"]);
        assert_eq!(ranked(&all, "font-siz", 1), ["font-size", "size"]);
        assert_eq!(ranked(&all, "bold-si", 0), ["size"]);
        assert_eq!(query("aé", 2), "é");
        assert_eq!((query("aé", 1), query("aé", 99)), ("", "aé"), "never within a character");
    }

    #[test]
    fn completion_letters_are_those_that_match() {
        assert_eq!(letters("to_string", "tstr"), [0, 3, 4, 5]);
        assert_eq!(letters("é", "x"), [0; 0]);
    }
}
