//! Translates Vim patterns and replacements to regular expressions. Features that the engine lacks, such as
//! lookahead, are passed through and rejected there.

use std::iter::Peekable;
use std::str::Chars;

use crate::text::movement::motion::is_word;
use crate::text::search::CaseMatching;

/// Returns the text up to an unescaped sign, and the rest; `None` when there is no such sign. An escaped sign
/// loses its backslash.
pub fn split_at_sign(text: &str, sign: char) -> (String, Option<&str>) {
    let mut out = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == sign {
            return (out, Some(&text[at + c.len_utf8()..]));
        }
        if c == '\\' {
            match chars.next() {
                Some((_, next)) if next == sign => out.push(next),
                Some((_, next)) => out.extend(['\\', next]),
                None => out.push(c),
            }
            continue;
        }
        out.push(c);
    }
    (out, None)
}

/// Returns a pattern as a regular expression, and its own case flag `\c` or `\C`.
pub fn translate(pattern: &str) -> (String, Option<CaseMatching>) {
    let mut out = String::new();
    let mut case = None;
    let mut very = false;
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    let mut in_count = false;
    while let Some(c) = chars.next() {
        if in_class {
            in_class = c != ']';
            class_char(c, &mut chars, &mut out);
            continue;
        }
        match (c, very) {
            ('\\', _) => match chars.next() {
                Some('v') => very = true,
                Some('m') => very = false,
                Some('c') => case = Some(CaseMatching::Insensitive),
                Some('C') => case = Some(CaseMatching::Sensitive),
                Some('{') if !very => {
                    in_count = true;
                    if chars.clone().take(2).eq("-}".chars()) {
                        out.push_str("*?");
                        chars.nth(1);
                        in_count = false;
                    } else {
                        out.push('{');
                    }
                }
                Some(next) => escaped(next, very, &mut out),
                None => out.push_str("\\\\"),
            },
            ('[', _) => {
                in_class = pattern.contains(']');
                out.push_str(if in_class { "[" } else { "\\[" });
                if in_class && chars.peek() == Some(&'^') {
                    // No class matches a line end.
                    out.push_str("^\\n");
                    chars.next();
                }
            }
            ('}', false) if in_count => {
                in_count = false;
                out.push('}');
            }
            ('*', false) if out.is_empty() || out.ends_with('^') => out.push_str("\\*"),
            ('^', false) if !at_start(&out) => out.push_str("\\^"),
            ('$', false) if !at_end(&chars.clone().collect::<String>()) => out.push_str("\\$"),
            ('(' | ')' | '|' | '+' | '?' | '{' | '}', false) => out.extend(['\\', c]),
            ('<' | '>', true) => out.push_str("\\b"),
            ('=', true) => out.push('?'),
            _ => out.push(c),
        }
    }
    (out, case)
}

/// Translates a character of a class in square brackets.
fn class_char(c: char, chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    match (c, chars.peek().copied()) {
        ('\\', Some(next)) => {
            out.extend(['\\', next]);
            chars.next();
        }
        ('[' | '&' | '~', _) => out.extend(['\\', c]),
        _ => out.push(c),
    }
}

fn at_start(out: &str) -> bool {
    out.is_empty()
        || out.ends_with('(') && !out.ends_with("\\(")
        || out.ends_with('|') && !out.ends_with("\\|")
}

/// Returns the word, if a pattern matches exactly a whole word.
pub fn whole_word(pattern: &str) -> Option<&str> {
    let word = pattern.strip_prefix("\\<")?.strip_suffix("\\>")?;
    (!word.is_empty() && word.chars().all(is_word)).then_some(word)
}

/// Returns a pattern that matches exactly this text.
pub fn literal(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "\\/.*$^~[]".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn at_end(rest: &str) -> bool {
    let rest = rest.strip_suffix("\\c").or(rest.strip_suffix("\\C")).unwrap_or(rest);
    rest.is_empty() || rest.starts_with("\\)") || rest.starts_with("\\|") || rest.starts_with("\\n")
}

fn escaped(c: char, very: bool, out: &mut String) {
    match c {
        '(' | ')' | '|' | '+' | '?' if !very => out.push(c),
        '=' if !very => out.push('?'),
        '<' | '>' if !very => out.push_str("\\b"),
        'h' => out.push_str("[A-Za-z_]"),
        'a' => out.push_str("[A-Za-z]"),
        'l' => out.push_str("[a-z]"),
        'u' => out.push_str("[A-Z]"),
        'x' => out.push_str("[0-9A-Fa-f]"),
        'k' | 'i' => out.push_str("\\w"),
        's' => out.push_str("[ \\t]"),
        'S' => out.push_str("[^ \\t\\n]"),
        // In Vim these are ASCII only, and no class matches a line end.
        'w' => out.push_str("[0-9A-Za-z_]"),
        'W' => out.push_str("[^0-9A-Za-z_\\n]"),
        'd' => out.push_str("[0-9]"),
        'D' => out.push_str("[^0-9\\n]"),
        'e' => out.push('\u{1b}'),
        c if c.is_ascii_punctuation() || "ntrb".contains(c) => out.extend(['\\', c]),
        c => out.push(c),
    }
}

/// A parsed replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    /// A group of the match; the match itself is the first.
    Group(usize),
    /// Changes the case of the next character, or of all that follow; `None` ends that.
    Case(Option<CaseTarget>),
}

/// Which letters change, and to which case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CaseTarget {
    upper: bool,
    one: bool,
}

/// Parses a replacement in Vim's syntax: `&` and `\0` are the match, `\1` to `\9` its groups, `\r` a line
/// feed, `\u` and `\l` change the case of the next character, `\U` and `\L` that of all up to `\e` or `\E`.
pub fn replacement(text: &str) -> Replacement {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let next = if c == '\\' { chars.next() } else { None };
        let part = match (c, next) {
            ('&', _) => Part::Group(0),
            ('\\', Some(digit @ '0'..='9')) => Part::Group(digit as usize - '0' as usize),
            ('\\', Some(c @ ('u' | 'l'))) => Part::Case(Some(CaseTarget { upper: c == 'u', one: true })),
            ('\\', Some(c @ ('U' | 'L'))) => Part::Case(Some(CaseTarget { upper: c == 'U', one: false })),
            ('\\', Some('e' | 'E')) => Part::Case(None),
            ('\\', other) => {
                plain.push(match other {
                    Some('r' | 'n') => '\n',
                    Some('t') => '\t',
                    Some(other) => other,
                    None => '\\',
                });
                continue;
            }
            _ => {
                plain.push(c);
                continue;
            }
        };
        if !plain.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut plain)));
        }
        parts.push(part);
    }
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Replacement(parts)
}

impl Replacement {
    /// Returns the text for one match, whose groups `group` returns.
    pub fn expand(&self, group: impl Fn(usize) -> String) -> String {
        let mut out = String::new();
        let (mut one, mut all) = (None, None);
        for part in &self.0 {
            let text = match part {
                Part::Text(text) => text.clone(),
                Part::Group(n) => group(*n),
                Part::Case(Some(letter)) if letter.one => {
                    one = Some(letter.upper);
                    continue;
                }
                Part::Case(letter) => {
                    all = letter.map(|letter| letter.upper);
                    continue;
                }
            };
            for c in text.chars() {
                match one.take().or(all) {
                    Some(true) => out.extend(c.to_uppercase()),
                    Some(false) => out.extend(c.to_lowercase()),
                    None => out.push(c),
                }
            }
        }
        out
    }
}

/// Expands `~` in a replacement to the previous one, and `\~` to a literal.
pub fn expand_tilde(text: &str, last: Option<&str>) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '~' => out.push_str(last.unwrap_or_default()),
            '\\' => match chars.next() {
                Some('~') => out.push('~'),
                Some(next) => out.extend(['\\', next]),
                None => out.push('\\'),
            },
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vim_pattern_becomes_regex() {
        let cases = [
            ("foo", "foo"),
            ("\\<foo\\>", "\\bfoo\\b"),
            ("a\\(b\\|c\\)\\+", "a(b|c)+"),
            ("f(x)|y", "f\\(x\\)\\|y"),
            ("^a*b$", "^a*b$"),
            ("*a", "\\*a"),
            ("a^b$c", "a\\^b\\$c"),
            ("[a-z]\\{2}", "[a-z]{2}"),
            ("\\v(a|b)+<c>", "(a|b)+\\bc\\b"),
            ("\\s\\S", "[ \\t][^ \\t\\n]"),
            ("x\\.y", "x\\.y"),
            ("[", "\\["),
        ];
        for (vim, regex) in cases {
            assert_eq!(translate(vim).0, regex, "{vim}");
        }
        assert_eq!(translate("Foo\\c"), ("Foo".to_string(), Some(CaseMatching::Insensitive)));
    }

    fn filled(new: &str) -> String {
        let groups = ["one Two", "one", "Two"];
        replacement(new).expand(|n| groups.get(n).copied().unwrap_or_default().to_string())
    }

    #[test]
    fn substitute_replacement_expands_groups() {
        assert_eq!(filled("<&> \\1 \\& $1 \\r\\9"), "<one Two> one & $1 \n");
    }

    #[test]
    fn substitute_replacement_changes_case() {
        let cases = [
            ("\\U&", "ONE TWO"),
            ("\\L&x", "one twox"),
            ("\\u&", "One Two"),
            ("\\l\\2", "two"),
            ("\\U\\1\\E-\\2", "ONE-Two"),
            ("\\u\\L&\\e!É", "One two!É"),
            ("\\Ués\\eé", "ÉSé"),
        ];
        for (new, text) in cases {
            assert_eq!(filled(new), text, "{new}");
        }
    }

    #[test]
    fn substitute_tilde_repeats_last_replacement() {
        assert_eq!(expand_tilde("~-\\~\\&", Some("ab")), "ab-~\\&");
        assert_eq!(expand_tilde("~", None), "");
    }

    #[test]
    fn vim_pattern_ends_at_delimiter() {
        assert_eq!(split_at_sign("a\\/b/c/g", '/'), ("a/b".to_string(), Some("c/g")));
        assert_eq!(split_at_sign("a\\.b", '/'), ("a\\.b".to_string(), None));
    }
}
