//! Search query: words, "phrases", prefixes*, excluded -words, and filters.
//!
//! Must not know how the search works, except for the FTS5 syntax of [`Query::matching`].

use super::hit::Role;
use crate::base::clock;

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// Maximum number of words and filters; the database rejects longer queries.
const WORDS_MAX: usize = 64;
/// Column filters and their columns.
const COLUMNS: [(&str, &str); 4] =
    [("file", "file"), ("command", "command"), ("thinking", "thought"), ("said", "said")];
/// Columns for words without a filter: thinking is searched only with `thinking:`.
const DEFAULT_COLUMNS: &str = "{said command file}";

/// A word or a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The text without operators.
    pub text: String,
    /// The column that it must be in.
    column: Option<&'static str>,
    /// Whether its last word is a prefix.
    pub prefix: bool,
    /// Whether it is excluded.
    pub excluded: bool,
}

/// A parsed query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The terms, in order.
    pub terms: Vec<Term>,
    /// Parts of the working folder's path, any of which must match.
    pub projects: Vec<String>,
    /// Roles, any of which must match.
    pub roles: Vec<Role>,
    /// Earliest time, in milliseconds since the epoch.
    pub since_ms: Option<u64>,
    /// Upper limit of the time, in milliseconds since the epoch.
    pub before_ms: Option<u64>,
    /// Filters that were ignored, for the user.
    pub problems: Vec<String>,
}

impl Query {
    /// Parses a query at time `now_ms`. While the user is `typing`, the last word is a prefix.
    pub fn parse(text: &str, now_ms: u64, typing: bool) -> Self {
        let mut query = Self::default();
        let mut words = split(text);
        if words.len() > WORDS_MAX {
            words.truncate(WORDS_MAX);
            query.problems.push(format!("only the first {WORDS_MAX} words are searched for"));
        }
        let open = typing && !text.ends_with([' ', '"', '*']);
        let count = words.len();
        for (at, word) in words.into_iter().enumerate() {
            query.add_word(word, now_ms, open && at + 1 == count);
        }
        query
    }

    fn add_word(&mut self, word: Word, now_ms: u64, open: bool) {
        let Word { excluded: without, key, text, quoted } = word;
        let column = |key: &str| COLUMNS.iter().find(|(name, _)| *name == key).map(|(_, column)| *column);
        match key.as_deref() {
            Some("project") if !text.is_empty() => self.projects.push(text),
            Some("role") => match Role::parse(&text) {
                Some(role) => self.roles.push(role),
                None => self.problems.push(format!("`{text}` is no role: {}", names())),
            },
            Some(key @ ("since" | "before")) => match parse_time(&text, now_ms) {
                Some(ms) if key == "since" => self.since_ms = Some(ms),
                Some(ms) => self.before_ms = Some(ms),
                None => self.problems.push(format!("`{text}` is no time: 2026-11-01, today, 12h, 7d or 2w")),
            },
            key => {
                let column = key.and_then(column);
                let prefix = !quoted && (open || text.ends_with('*'));
                let text = text.trim_end_matches('*').to_string();
                // The index has no words without letters or digits.
                if text.chars().any(char::is_alphanumeric) {
                    self.terms.push(Term { text, column, prefix, excluded: without });
                }
            }
        }
    }

    /// Whether the query is empty.
    pub fn is_empty(&self) -> bool {
        let Self { terms, projects, roles, since_ms, before_ms, .. } = self;
        let has_terms = terms.iter().any(|term| !term.excluded);
        !has_terms && projects.is_empty() && roles.is_empty() && since_ms.is_none() && before_ms.is_none()
    }

    /// Returns the terms in FTS5 syntax; `None` when no term is required. All user input is quoted, so it is
    /// never parsed as syntax.
    pub fn to_fts(&self) -> Option<String> {
        let (without, with): (Vec<&Term>, Vec<&Term>) = self.terms.iter().partition(|term| term.excluded);
        let to_expression = |terms: Vec<&Term>, join: &str| {
            terms.into_iter().map(Term::to_fts).collect::<Vec<_>>().join(join)
        };
        if with.is_empty() {
            return None;
        }
        let with = to_expression(with, " AND ");
        Some(if without.is_empty() {
            with
        } else {
            format!("({with}) NOT ({})", to_expression(without, " OR "))
        })
    }
}

impl Term {
    fn to_fts(&self) -> String {
        let columns = self.column.unwrap_or(DEFAULT_COLUMNS);
        let star = if self.prefix { " *" } else { "" };
        format!("{columns} : \"{}\"{star}", self.text.replace('"', "\"\"").replace('\0', " "))
    }
}

fn names() -> String {
    Role::ALL.map(Role::name).join(", ")
}

/// A word of the input.
struct Word {
    excluded: bool,
    key: Option<String>,
    text: String,
    quoted: bool,
}

/// Splits a text at white space outside of quotation marks.
fn split(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let without = rest.len() > 1 && rest.starts_with('-') && !rest[1..].starts_with(char::is_whitespace);
        let word = if without { &rest[1..] } else { rest };
        let key = ["project", "role", "since", "before"]
            .into_iter()
            .chain(COLUMNS.map(|(name, _)| name))
            .find(|key| {
                word.strip_prefix(key).is_some_and(|rest| rest.starts_with(':') && !rest.starts_with("::"))
            });
        let word = key.map_or(word, |key| &word[key.len() + 1..]);
        let (text, quoted, after) = if let Some(inner) = word.strip_prefix('"') {
            let (phrase, after) = inner.split_once('"').unwrap_or((inner, ""));
            (phrase, true, after)
        } else {
            let end = word.find(char::is_whitespace).unwrap_or(word.len());
            (&word[..end], false, &word[end..])
        };
        words.push(Word { excluded: without, key: key.map(str::to_string), text: text.to_string(), quoted });
        rest = after.trim_start();
    }
    words
}

/// Parses a day, a time, or a relative time.
fn parse_time(text: &str, now_ms: u64) -> Option<u64> {
    let today = now_ms - now_ms % DAY_MS;
    match text {
        "today" => return Some(today),
        "yesterday" => return Some(today.saturating_sub(DAY_MS)),
        _ => {}
    }
    if let Some(ms) =
        clock::parse_iso8601(text).or_else(|| clock::parse_iso8601(&format!("{text}T00:00:00Z")))
    {
        return Some(ms);
    }
    let unit = text.chars().last()?;
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    let each = match unit {
        'm' => 60 * 1000,
        'h' => 60 * 60 * 1000,
        'd' => DAY_MS,
        'w' => 7 * DAY_MS,
        _ => return None,
    };
    Some(now_ms.saturating_sub(number.saturating_mul(each)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2025-11-20T23:30:11.042Z.
    const NOW: u64 = 1_763_681_411_042;

    fn matching(text: &str) -> String {
        Query::parse(text, NOW, false).to_fts().unwrap_or_default()
    }

    #[test]
    fn query_words_and_phrases_become_fts_expression() {
        let usual = "{said command file} : ";
        assert_eq!(matching("login loop"), format!(r#"{usual}"login" AND {usual}"loop""#));
        assert_eq!(matching(r#""the loop" log*"#), format!(r#"{usual}"the loop" AND {usual}"log" *"#));
        assert_eq!(matching("a -b -c"), format!(r#"({usual}"a") NOT ({usual}"b" OR {usual}"c")"#));
        assert_eq!(
            matching("file:login.rs command:\"cargo test\""),
            r#"file : "login.rs" AND command : "cargo test""#
        );
        assert_eq!(matching("thinking:hm"), r#"thought : "hm""#);
        assert_eq!(matching(r#"x"y OR"#), format!(r#"{usual}"x""y" AND {usual}"OR""#));
        assert_eq!(matching("std::fs file::x"), format!(r#"{usual}"std::fs" AND {usual}"file::x""#));
        assert_eq!(matching("-a"), "");
        assert_eq!(matching("- ( * \"\""), "");
        assert!(Query::parse("-a ((", NOW, false).is_empty() && Query::parse("", NOW, true).is_empty());
    }

    #[test]
    fn query_last_word_is_prefix_while_typing() {
        let last = |text: &str| Query::parse(text, NOW, true).terms.last().unwrap().prefix;
        assert!(last("fix lo") && last("x*") && last("file:lo"));
        assert!(!last("fix lo ") && !last("\"fix lo\"") && !last("\"fix lo"));
    }

    #[test]
    fn query_filters_are_parsed_and_errors_reported() {
        let query =
            Query::parse("project:bowline role:user role:tool since:2025-11-01 before:1d x", NOW, false);
        assert_eq!(
            (query.projects, query.roles),
            (vec!["bowline".to_string()], vec![Role::User, Role::Tool])
        );
        assert_eq!(query.since_ms.map(clock::iso8601).unwrap(), "2025-11-01T00:00:00.000Z");
        assert_eq!(query.before_ms, Some(NOW - DAY_MS));
        assert_eq!((query.terms.len(), query.problems.len()), (1, 0));
        let query = Query::parse("role:king since:soon since:99999999999999999999d", NOW, false);
        assert!(query.is_empty() && query.problems.len() == 3, "{query:?}");
        assert_eq!(Query::parse("since:today", NOW, false).since_ms, Some(NOW - NOW % DAY_MS));
        assert_eq!(Query::parse("since:18446744073709551615w", NOW, false).since_ms, Some(0));
        let query = Query::parse(&"project:x ".repeat(2_000), NOW, false);
        assert_eq!((query.projects.len(), query.problems.len()), (WORDS_MAX, 1));
    }
}
