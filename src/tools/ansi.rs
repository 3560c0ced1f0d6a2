//! Command output as plain text: colours and cursor commands mean nothing to a model.
//!
//! Must not know commands.

/// The text without escape sequences and control characters. `\r\n` and a lone `\r` become
/// line feeds, so that each state of a progress line stays readable; tabs and line feeds stay.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_control(&mut chars),
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// After an escape: a control sequence, a string that ends in BEL or ST, or one more character
/// after any intermediate ones.
fn skip_escape(chars: &mut Chars<'_>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_string(chars);
        }
        Some(' '..='/') => {
            while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
            chars.next_if(|c| ('0'..='~').contains(c));
        }
        Some('0'..='~') => {
            chars.next();
        }
        _ => {}
    }
}

/// Parameters, intermediates, one final character. Anything else was no sequence and stays.
fn skip_control(chars: &mut Chars<'_>) {
    while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
    chars.next_if(|c| ('@'..='~').contains(c));
}

/// Up to BEL, `ESC \` or U+009C. A line feed ends it too: a string that nobody closed must not
/// swallow the rest of the output.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sequences_go_and_text_stays() {
        for (raw, wanted) in [
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\!", "link!"),
            ("\u{1b}]0;open\nnext", "\nnext"),
            ("10%\r20%\r\nend\r\n", "10%\n20%\nend\n"),
            ("a\u{1b}(Bb\u{1b}7c\u{1b}", "abc"),
            ("\u{1b}[31é", "é"),
            ("b\u{8}\u{0}\t\u{9b}2Jx", "b\tx"),
            ("plain ünï", "plain ünï"),
        ] {
            assert_eq!(plain(raw), wanted, "{raw:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn nothing_that_commands_a_terminal_is_left(text in "[a\u{1b}\\[\\];0m\r\n\u{7}\u{9b}]{0,30}") {
            let out = plain(&text);
            prop_assert!(out.chars().all(|c| c == '\n' || !c.is_control()));
            prop_assert_eq!(plain(&out), out);
        }
    }
}
