//! Patterns and replacements as Vim writes them, as regular expressions. What the engine does
//! not know, as looking ahead, stays as it is and is refused there.

use crate::text::search::Case;

/// The text up to an unescaped sign, and what stands behind it; `None` when it does not come.
/// The escaped sign itself stands without its backslash.
pub fn until(text: &str, sign: char) -> (String, Option<&str>) {
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

/// A pattern as a regular expression, and the case that it asks for itself by `\c` or `\C`.
pub fn translate(pattern: &str) -> (String, Option<Case>) {
    let mut out = String::new();
    let mut case = None;
    let mut very = false;
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    let mut in_count = false;
    while let Some(c) = chars.next() {
        if in_class {
            in_class = c != ']';
            match (c, chars.peek().copied()) {
                ('\\', Some(next)) => {
                    out.extend(['\\', next]);
                    chars.next();
                }
                ('[' | '&' | '~', _) => out.extend(['\\', c]),
                _ => out.push(c),
            }
            continue;
        }
        match (c, very) {
            ('\\', _) => match chars.next() {
                Some('v') => very = true,
                Some('m') => very = false,
                Some('c') => case = Some(Case::Ignored),
                Some('C') => case = Some(Case::Exact),
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
                    // No class takes the end of a line.
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

fn at_start(out: &str) -> bool {
    out.is_empty()
        || out.ends_with('(') && !out.ends_with("\\(")
        || out.ends_with('|') && !out.ends_with("\\|")
}

fn at_end(rest: &str) -> bool {
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
        'S' => out.push_str("[^ \\t]"),
        'e' => out.push('\u{1b}'),
        c if c.is_ascii_punctuation() || "dDwWntrb".contains(c) => out.extend(['\\', c]),
        c => out.push(c),
    }
}

/// A replacement as the engine writes them: `&` and `\0` are the match, `\1` to `\9` its groups,
/// `\r` a line feed.
pub fn replacement(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("${0}"),
            '$' => out.push_str("$$"),
            '\\' => match chars.next() {
                Some(digit @ '0'..='9') => out.push_str(&format!("${{{digit}}}")),
                Some('r' | 'n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('$') => out.push_str("$$"),
                Some(other) => out.push(other),
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
    fn patterns_become_regular_expressions() {
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
            ("\\s\\S", "[ \\t][^ \\t]"),
            ("x\\.y", "x\\.y"),
            ("[", "\\["),
        ];
        for (vim, regex) in cases {
            assert_eq!(translate(vim).0, regex, "{vim}");
        }
        assert_eq!(translate("Foo\\c"), ("Foo".to_string(), Some(Case::Ignored)));
    }

    #[test]
    fn replacements_name_groups() {
        assert_eq!(replacement("<&> \\1 \\& $1 \\r"), "<${0}> ${1} & $$1 \n");
    }

    #[test]
    fn a_pattern_ends_at_its_sign() {
        assert_eq!(until("a\\/b/c/g", '/'), ("a/b".to_string(), Some("c/g")));
        assert_eq!(until("a\\.b", '/'), ("a\\.b".to_string(), None));
    }
}
