//! Which rows of a list a query means, and how well. A word matches where a word of a title, of another name or of an id
//! begins with it, as `wrap` does in "Toggle soft wrap", or with several of its beginnings, as `togwr`. Letters that are
//! scattered over words match nothing: Enter must not run what nobody meant. A row whose title has every word of the
//! query comes before those that other names find. Must not know what the rows stand for.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// What is compared with a query.
#[derive(Debug, Clone, Copy, Default)]
pub struct Names<'a> {
    /// The title on the screen.
    pub title: &'a str,
    /// Other names.
    pub aliases: &'a [&'a str],
    /// The id, such as `file.save-all`.
    pub id: &'a str,
    /// A sentence about it. Beginnings of several words say nothing there: a sentence has too many of them.
    pub about: &'a str,
}

/// Score of a row whose title has every word of the query: more than all else together.
const TITLED: u32 = 10_000;

/// What a query counts beside that which is a name as a whole: more than the words of a title, less than all of them.
const NAMED: u32 = 5_000;

/// How well a query matches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Match {
    /// The greater the better.
    pub score: u32,
    /// The letters of the title that matched, in bytes, sorted.
    pub letters: Vec<Range<usize>>,
}

/// Minimum letters that may match within a word.
const WITHIN_MIN: usize = 3;

/// Words of a name whose beginnings a query may join: more would take long to try.
const WORDS_MAX: usize = 8;

/// Returns how well a query matches; `None` if a word of it does not.
pub fn rank(query: &str, names: &Names<'_>) -> Option<Match> {
    let query = query.to_lowercase();
    if query.trim().is_empty() {
        return Some(Match::default());
    }
    let query = query.trim();
    let is_name = |name: &str| name.to_lowercase() == query;
    let is_alias = names.aliases.iter().any(|alias| is_name(alias));
    // Another name may have no letters, such as `%`.
    let mut found = by_words(query, names).or_else(|| is_alias.then(Match::default))?;
    found.score += match () {
        () if is_name(names.title) || is_name(names.id) => NAMED + 100,
        () if is_alias => NAMED,
        () if names.title.to_lowercase().starts_with(query) => 20,
        () => 0,
    };
    found.letters.sort_by_key(|letters| letters.start);
    Some(found)
}

/// Returns how well the words of a query match, if each does.
fn by_words(query: &str, names: &Names<'_>) -> Option<Match> {
    let (mut found, mut is_titled) = (Match::default(), true);
    for word in query.split_whitespace() {
        let title = in_text(word, names.title).map(|(score, letters)| (score + 30, letters));
        is_titled &= title.as_ref().is_some_and(|(score, _)| *score >= AT_START + 30);
        let alias = names.aliases.iter().filter_map(|alias| in_text(word, alias));
        let alias = alias.map(|(score, _)| (score + 15, Vec::new()));
        let id = in_text(word, names.id).map(|(score, _)| (score, Vec::new()));
        let about = in_words(word, names.about).map(|(score, _)| (score / 4, Vec::new()));
        let others = alias.chain(id).chain(about);
        let (score, letters) = title.into_iter().chain(others).max_by_key(|(score, _)| *score)?;
        found.score += score;
        found.letters.extend(letters);
    }
    if is_titled {
        found.score += TITLED;
    }
    Some(found)
}

/// Returns the letters of a title that a query matches, as indices of graphemes.
pub fn letters(query: &str, title: &str) -> Vec<u32> {
    let mut letters = Vec::new();
    // A word that matches another name or the id has no letters in the title.
    for word in query.split_whitespace() {
        let found = rank(word, &Names { title, ..Names::default() }).unwrap_or_default().letters;
        let in_part = |at: usize| found.iter().any(|part| part.contains(&at));
        let graphemes = (0..).zip(title.grapheme_indices(true));
        letters.extend(graphemes.filter(|(_, (at, _))| in_part(*at)).map(|(n, _): (u32, _)| n));
    }
    letters.sort_unstable();
    letters.dedup();
    letters
}

/// Score of a word of the query that is a word of the text, perhaps in the plural.
const WHOLE: u32 = 60;
/// Score of one that begins a word of the text.
const AT_START: u32 = 50;

/// Returns how well a word of a query matches a text, and which of its bytes; the best place counts.
fn in_text(word: &str, text: &str) -> Option<(u32, Vec<Range<usize>>)> {
    let lower = text.to_lowercase();
    // Most texts lack a letter; that is found fastest.
    let mut letters = lower.chars();
    if !word.chars().all(|wanted| letters.any(|letter| letter == wanted)) {
        return None;
    }
    let in_words = in_words(word, text);
    if in_words.as_ref().is_some_and(|(score, _)| *score >= AT_START) || lower.len() != text.len() {
        return in_words;
    }
    let starts: Vec<usize> = word_starts(&lower).take(WORDS_MAX).collect();
    beginnings(word, &lower, &starts).map(|letters| (40, letters)).or(in_words)
}

/// Returns how well a word of a query matches the beginning of one word of a text, or what is within one.
fn in_words(word: &str, text: &str) -> Option<(u32, Vec<Range<usize>>)> {
    let lower = text.to_lowercase();
    // Such letters have no upper form of another length in any name.
    if lower.len() != text.len() {
        return None;
    }
    let is_end = |rest: &str| rest.chars().next().is_none_or(|next| !next.is_alphanumeric());
    let mut best: Option<(u32, Range<usize>)> = None;
    for start in word_starts(&lower).filter(|start| lower[*start..].starts_with(word)) {
        let end = start + word.len();
        let rest = &lower[end..];
        let is_whole = is_end(rest) || rest.strip_prefix('s').is_some_and(is_end);
        let score = if is_whole { WHOLE } else { AT_START };
        if best.as_ref().is_none_or(|(before, _)| score > *before) {
            best = Some((score, start..end));
        }
    }
    let within = || {
        let at = lower.find(word).filter(|_| word.chars().count() >= WITHIN_MIN)?;
        Some((20, at..at + word.len()))
    };
    best.or_else(within).map(|(score, letters)| (score, vec![letters]))
}

/// Returns the starts of the words of a text.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut before = ' ';
    text.char_indices().filter_map(move |(at, letter)| {
        let is_start = letter.is_alphanumeric() && !before.is_alphanumeric();
        before = letter;
        is_start.then_some(at)
    })
}

/// Returns the places where a word is made of beginnings of words, in their order.
fn beginnings(word: &str, text: &str, starts: &[usize]) -> Option<Vec<Range<usize>>> {
    if word.is_empty() {
        return Some(Vec::new());
    }
    for (n, start) in starts.iter().enumerate() {
        let common: usize = word
            .chars()
            .zip(text[*start..].chars())
            .take_while(|(a, b)| a == b && b.is_alphanumeric())
            .map(|(letter, _)| letter.len_utf8())
            .sum();
        // The longest beginning that leaves a rest which the words behind begin with.
        for end in (1..=common).rev().filter(|end| word.is_char_boundary(*end)) {
            if let Some(rest) = beginnings(&word[end..], text, &starts[n + 1..]) {
                return Some(std::iter::once(*start..start + end).chain(rest).collect());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WRAP: Names<'_> = Names {
        title: "Toggle soft wrap",
        aliases: &["word wrap", "line wrap"],
        id: "view.toggle-wrap",
        about: "",
    };
    const UP: Names<'_> =
        Names { title: "Move up or recall prompt", aliases: &["history"], id: "prompt.up", about: "" };

    #[test]
    fn palette_rank_wants_beginnings_of_words() {
        assert!(rank("theme", &UP).is_none(), "scattered letters");
        assert_eq!(rank("wrap soft", &WRAP).unwrap().letters, [7..11, 12..16]);
        assert_eq!(rank("togwr", &WRAP).unwrap().letters, [0..3, 12..14]);
        assert_eq!(rank("wrap tog", &WRAP).unwrap().letters, [0..3, 12..16]);
        assert!(rank("word", &WRAP).unwrap().letters.is_empty(), "an alias");
        assert!(
            rank("rap", &WRAP).is_some() && rank("ap", &WRAP).is_none(),
            "two letters within a word mean little"
        );
        assert_eq!(rank("", &WRAP), Some(Match::default()));
    }

    #[test]
    fn palette_rank_prefers_titles_and_whole_names() {
        let score = |query: &str, names: &Names<'_>| rank(query, names).unwrap().score;
        let save = Names { title: "Save file", aliases: &[], id: "file.save", about: "" };
        let save_as = Names { title: "Save file as", aliases: &["save"], id: "file.save-as", about: "" };
        assert!(score("save file", &save) > score("save file", &save_as));
        assert!(score("save", &save_as) > score("save", &save), "another name, as a whole");
        assert!(score("wrap", &WRAP) > score("wrap", &Names { title: "Other", ..WRAP }));
        assert!(score("tog", &WRAP) > score("togw", &WRAP));
        let percent = Names { title: "Show image unscaled", aliases: &["100 %"], ..Names::default() };
        assert!(rank("100 %", &percent).is_some() && rank("%", &percent).is_none(), "a name without letters");
        assert!(
            score("wrap lines", &Names { aliases: &["wrap lines"], ..percent })
                > score("wrap", &WRAP) - TITLED
        );
    }

    #[test]
    fn palette_rank_prefers_titles_to_other_names() {
        let score = |query: &str, names: &Names<'_>| rank(query, names).unwrap().score;
        let titled = Names { title: "Show last list", ..Names::default() };
        let named = Names { title: "Show plugin results", aliases: &["last list"], ..Names::default() };
        assert!(score("last list", &titled) > score("last list", &named), "word starts");
        assert!(score("list", &titled) > score("list", &Names { aliases: &["list"], ..named }));
        let plural = Names { title: "Show permissions", ..Names::default() };
        let of_call = Names { title: "Show permission of call", ..Names::default() };
        assert_eq!(score("permission", &plural), score("permission", &of_call), "then the shorter title");
    }

    #[test]
    fn palette_rank_of_sentence_wants_words() {
        let about = Names { title: "soft-wrap", about: "Wrap long lines on the screen", ..Names::default() };
        assert!(rank("screen", &about).is_some() && rank("long lin", &about).is_some());
        assert!(rank("wlls", &about).is_none(), "beginnings of several words");
        assert!(rank("reen", &about).is_some() && rank("en", &about).is_none());
        let named = Names { title: "screen", ..Names::default() };
        assert!(rank("screen", &named).unwrap().score > rank("screen", &about).unwrap().score);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn palette_rank_letters_are_of_the_query(query in "[a-cA-Cé ]{0,6}", title in "[a-cA-Cé -]{0,12}") {
            let names = Names { title: &title, ..Names::default() };
            if let Some(found) = rank(&query, &names) {
                let letters: usize = found.letters.iter().map(|letters| title[letters.clone()].chars().count()).sum();
                prop_assert_eq!(letters, query.split_whitespace().map(|word| word.chars().count()).sum::<usize>());
            }
        }
    }
}
