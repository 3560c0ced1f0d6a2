//! Reading a shell command just far enough to know which programs it runs with which words.
//!
//! Must not know which programs are harmless. Everything that is not plain words, quotes and
//! chains gives `None`: a reader that guesses is worse than one that asks.

/// One word of a command, quotes removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The text.
    pub text: String,
    /// Whether the shell may turn the word into file names from its first character on, and so
    /// into anything, an option too.
    pub wild: bool,
}

/// The simple commands of a script, joined by `&&`, `||`, `;`, `|` or line feeds. `None` when
/// the script does anything else: substitutes, redirects (other than to `/dev/null` and
/// `2>&1`), groups, runs in the background.
pub fn parse(script: &str) -> Option<Vec<Vec<Word>>> {
    let mut reader = Reader { rest: script.chars().collect(), at: 0 };
    let mut commands = Vec::new();
    let mut words = Vec::new();
    loop {
        reader.skip_blanks();
        let Some(next) = reader.peek() else { break };
        match next {
            '\n' | ';' | '&' | '|' if !reader.starts_with("&>") => {
                reader.separator()?;
                commands.push(std::mem::take(&mut words));
            }
            _ if reader.redirection()? => {}
            _ => words.push(reader.word()?),
        }
    }
    commands.push(words);
    commands.retain(|words| !words.is_empty());
    Some(commands)
}

/// Redirections that change nothing when they lead to [`NOWHERE`].
const OPERATORS: [&str; 5] = ["2>", "1>", "&>", ">", "<"];
const NOWHERE: &str = "/dev/null";

struct Reader {
    rest: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += 1;
        next
    }

    fn starts_with(&self, text: &str) -> bool {
        let mut at = self.at;
        text.chars().all(|c| {
            at += 1;
            self.rest.get(at - 1) == Some(&c)
        })
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.starts_with("\\\n") => self.at += 2,
                _ => return,
            }
        }
    }

    fn separator(&mut self) -> Option<()> {
        let length = match () {
            () if self.starts_with("&&") || self.starts_with("||") => 2,
            // `|&`, `;;` and a lone `&` mean something else.
            () if self.starts_with("&") || self.starts_with("|&") || self.starts_with(";;") => return None,
            () => 1,
        };
        self.at += length;
        Some(())
    }

    /// Reads a harmless redirection; `None` for any other one, false when there is none here.
    fn redirection(&mut self) -> Option<bool> {
        let digits = self.rest[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
        if !matches!(self.rest.get(self.at + digits), Some('>' | '<' | '&')) {
            return Some(false);
        }
        if self.starts_with("2>&1") {
            self.at += 4;
        } else {
            let operator = OPERATORS.iter().find(|operator| self.starts_with(operator))?;
            self.at += operator.len();
            self.skip_blanks();
            if !self.starts_with(NOWHERE) {
                return None;
            }
            self.at += NOWHERE.len();
        }
        // `>/dev/nullify` is another file.
        matches!(self.peek(), None | Some(' ' | '\t' | '\n' | ';' | '&' | '|')).then_some(true)
    }

    fn word(&mut self) -> Option<Word> {
        let mut text = String::new();
        let mut wild = false;
        if self.peek() == Some('#') {
            return None;
        }
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' => break,
                '$' | '`' | '(' | ')' | '{' | '}' | '<' | '>' | '\r' => return None,
                '\'' => self.single_quoted(&mut text)?,
                '"' => self.double_quoted(&mut text)?,
                '\\' => {
                    self.at += 1;
                    text.extend(self.next().filter(|c| *c != '\n'));
                }
                _ => {
                    wild |= text.is_empty() && matches!(c, '*' | '?' | '[');
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        Some(Word { text, wild })
    }

    fn single_quoted(&mut self, text: &mut String) -> Option<()> {
        self.at += 1;
        loop {
            match self.next()? {
                '\'' => return Some(()),
                c => text.push(c),
            }
        }
    }

    fn double_quoted(&mut self, text: &mut String) -> Option<()> {
        self.at += 1;
        loop {
            match self.next()? {
                '"' => return Some(()),
                '$' | '`' => return None,
                '\\' => match self.next()? {
                    c @ ('"' | '\\' | '$' | '`') => text.push(c),
                    '\n' => {}
                    c => text.extend(['\\', c]),
                },
                c => text.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(script: &str) -> Option<Vec<Vec<String>>> {
        let commands = parse(script)?;
        Some(commands.into_iter().map(|c| c.into_iter().map(|w| w.text).collect()).collect())
    }

    #[test]
    fn words_quotes_and_chains() {
        let parsed = words("ls -la 'a b' && echo \"x\\\"y\" z\\ w | wc; cat f\nid").unwrap();
        let parsed: Vec<String> = parsed.iter().map(|command| command.join("·")).collect();
        assert_eq!(parsed, ["ls·-la·a b", "echo·x\"y·z w", "wc", "cat·f", "id"]);
        assert_eq!(words("ls 2>/dev/null"), words("ls"));
        assert_eq!(words("ls &> /dev/null; id"), words("ls; id"));
        assert_eq!(words("ls > /dev/null 2>&1 | wc"), words("ls | wc"));
        assert_eq!(words("ls \\\n -l"), words("ls -l"));
    }

    #[test]
    fn everything_else_is_not_read() {
        for script in [
            "a > f",
            "a >> f",
            "a < f",
            "a 2> f",
            "a &",
            "a & b",
            "$(a)",
            "`a`",
            "a $X",
            "\"$X\"",
            "(a)",
            "{ a; }",
            "a <<E",
            "'open",
            "\"open",
            "a >/dev/nullify",
            "a >/dev/null.x",
            "a |& b",
            "# a",
            "a {b,c}",
            "a\rb",
            "a >&2x",
            "a &>f",
            "a >|f",
            "a 1<>f",
        ] {
            assert_eq!(parse(script), None, "{script}");
        }
    }

    #[test]
    fn wild_words_are_marked() {
        let parsed = parse("ls *.rs 'b*' src/*").unwrap();
        let wild: Vec<bool> = parsed[0].iter().map(|word| word.wild).collect();
        assert_eq!(wild, [false, true, false, false]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_text_is_read_or_refused(script in "[a-z '\"\\\\$&|;<>(){}#\n*0-9/-]{0,40}") {
            let _read_or_refused = parse(&script);
        }

        #[test]
        fn quoted_text_is_one_word(text in "[^'\0]{0,30}") {
            let parsed = words(&format!("echo '{text}'")).unwrap();
            prop_assert_eq!(&parsed[0][1], &text);
        }
    }
}
