//! Tokenizer for the text of a tree-sitter query: patterns one by one, and their tokens. Must not know
//! grammars. <https://tree-sitter.github.io/tree-sitter/using-parsers/queries/1-syntax.html>

use std::borrow::Cow;

/// A token of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::syntax) enum Token<'a> {
    Open,
    Close,
    Choice,
    ChoiceEnd,
    /// A string, without its quotes.
    Text(Cow<'a, str>),
    /// Anything else: kinds, `@captures`, `fields:`, operators.
    Word(&'a str),
}

/// An item of a flat list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::syntax) enum Item<'a> {
    Text(Cow<'a, str>),
    Word(&'a str),
}

impl Item<'_> {
    /// Returns its text.
    pub(in crate::syntax) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Word(word) => word,
        }
    }
}

/// One pattern, with its captures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::syntax) struct PatternText<'a>(pub &'a str);

impl<'a> PatternText<'a> {
    /// Returns its tokens.
    pub(in crate::syntax) fn tokens(&self) -> Tokens<'a> {
        Tokens { rest: self.0, peeked: None }
    }
}

/// The patterns of a query, in order.
pub(in crate::syntax) fn forms(query: &str) -> Vec<PatternText<'_>> {
    let mut starts = Vec::new();
    let (mut depth, mut at) = (0usize, 0);
    while let Some((from, token, rest)) = lex(&query[at..]) {
        match token {
            Token::Open | Token::Choice => {
                if depth == 0 {
                    starts.push(at + from);
                }
                depth += 1;
            }
            Token::Close | Token::ChoiceEnd => depth = depth.saturating_sub(1),
            Token::Text(_) | Token::Word("_") if depth == 0 => starts.push(at + from),
            Token::Text(_) | Token::Word(_) => {}
        }
        at = query.len() - rest.len();
    }
    let ends = starts.iter().skip(1).copied().chain([query.len()]);
    starts.iter().zip(ends).map(|(from, to)| PatternText(&query[*from..to])).collect()
}

/// The tokens of a pattern, with one token of lookahead.
#[derive(Debug, Clone)]
pub(in crate::syntax) struct Tokens<'a> {
    rest: &'a str,
    peeked: Option<Token<'a>>,
}

impl<'a> Tokens<'a> {
    pub(in crate::syntax) fn next(&mut self) -> Option<Token<'a>> {
        if let Some(token) = self.peeked.take() {
            return Some(token);
        }
        let (_, token, rest) = lex(self.rest)?;
        self.rest = rest;
        Some(token)
    }

    pub(in crate::syntax) fn peek(&mut self) -> Option<&Token<'a>> {
        if self.peeked.is_none() {
            self.peeked = self.next();
        }
        self.peeked.as_ref()
    }

    /// Whether a predicate follows: a parenthesis and a word with `#`.
    pub(in crate::syntax) fn at_predicate(&self) -> bool {
        let mut ahead = self.clone();
        matches!((ahead.next(), ahead.next()), (Some(Token::Open), Some(Token::Word(word))) if word.starts_with('#'))
    }

    /// A flat list between brackets.
    pub(in crate::syntax) fn read_list(&mut self) -> Option<Vec<Item<'a>>> {
        if self.next()? != Token::Open {
            return None;
        }
        let mut out = Vec::new();
        loop {
            match self.next()? {
                Token::Close => return Some(out),
                Token::Text(text) => out.push(Item::Text(text)),
                Token::Word(word) => out.push(Item::Word(word)),
                _ => return None,
            }
        }
    }
}

/// Returns the next token: its offset, its value, and the rest.
fn lex(text: &str) -> Option<(usize, Token<'_>, &str)> {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(comment) = rest.strip_prefix(';') else { break };
        rest = comment.find('\n').map_or("", |end| &comment[end..]);
    }
    let start = text.len() - rest.len();
    let first = rest.chars().next()?;
    let single = |token| Some((start, token, &rest[1..]));
    match first {
        '(' => single(Token::Open),
        ')' => single(Token::Close),
        '[' => single(Token::Choice),
        ']' => single(Token::ChoiceEnd),
        '"' => {
            let (word, rest) = quoted(&rest[1..])?;
            Some((start, Token::Text(word), rest))
        }
        _ => {
            let ends = |c: char| c.is_whitespace() || "()[]\";".contains(c);
            let end = rest.find(ends).unwrap_or(rest.len());
            Some((start, Token::Word(&rest[..end]), &rest[end..]))
        }
    }
}

/// Returns a string up to its closing quote, and the rest.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let end = text.find(['"', '\\'])?;
    if text[end..].starts_with('"') {
        return Some((Cow::Borrowed(&text[..end]), &text[end + 1..]));
    }
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((Cow::Owned(out), &text[at + 1..])),
            '\\' => out.push(match chars.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                other => other,
            }),
            c => out.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_is_split_into_patterns() {
        let query =
            "; c\n(a) @x (b\n \"(\")@y.z ; (no)\n[\"c\" (d)]\n \"e\" @k _ @w\n((f) @g (#eq? @g \")\"))";
        let all: Vec<&str> = forms(query).iter().map(|form| form.0.trim_end()).collect();
        let clean: Vec<&str> = all.iter().map(|form| form.split(" ;").next().unwrap().trim_end()).collect();
        assert_eq!(
            clean,
            ["(a) @x", "(b\n \"(\")@y.z", "[\"c\" (d)]", "\"e\" @k", "_ @w", "((f) @g (#eq? @g \")\"))"]
        );
    }

    #[test]
    fn query_string_escapes_are_decoded() {
        let mut tokens = PatternText(r#"("a\"\n\\d") @x"#).tokens();
        assert_eq!(tokens.next(), Some(Token::Open));
        assert_eq!(tokens.peek(), Some(&Token::Text("a\"\n\\d".into())));
        assert_eq!(tokens.next(), Some(Token::Text("a\"\n\\d".into())));
        assert_eq!(tokens.next(), Some(Token::Close));
        assert_eq!(tokens.next(), Some(Token::Word("@x")));
        assert_eq!(tokens.next(), None);
        assert_eq!(PatternText("\"open").tokens().next(), None);
    }
}
