//! Converts command output to plain text: colors and cursor movements are useless for a model.
//!
//! Must not know commands.

/// Returns the text without escape sequences and control characters. `\r\n` and a lone `\r` become line
/// feeds, so that each state of a progress line stays readable; tabs and line feeds are kept.
pub fn strip_ansi(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut plain = AnsiStripper::default();
    plain.feed(text, &mut |run| out.push_str(run));
    plain.end(&mut |run| out.push_str(run));
    out
}

/// The same for a text in arbitrary chunks.
#[derive(Debug, Default)]
pub struct AnsiStripper {
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After a carriage return that may belong to a line feed.
    Return,
    /// After an escape.
    Escape,
    /// Among the intermediate characters of an escape.
    Between,
    /// In a control sequence: parameters, intermediates, one final character. Anything else was not a
    /// sequence and is kept.
    Control,
    /// In a string that ends with BEL, `ESC \` or U+009C. A line feed ends it, too: an unclosed one must not
    /// swallow the rest of the output.
    Quoted,
    /// After an escape in such a string.
    Closing,
}

/// Bytes that are checked together.
const BLOCK: usize = 64;

impl AnsiStripper {
    /// Processes a chunk and passes on the remaining text in runs.
    pub fn feed(&mut self, text: &str, out: &mut impl FnMut(&str)) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.state == State::Text {
                let clean = clean_prefix_len(rest.as_bytes());
                if clean > 0 {
                    out(&rest[..clean]);
                    rest = &rest[clean..];
                }
            }
            let Some(c) = rest.chars().next() else { return };
            rest = &rest[c.len_utf8()..];
            self.take(c, out);
        }
    }

    /// The end of the text.
    pub fn end(&mut self, out: &mut impl FnMut(&str)) {
        if std::mem::take(&mut self.state) == State::Return {
            out("\n");
        }
    }

    fn take(&mut self, c: char, out: &mut impl FnMut(&str)) {
        let next = match (self.state, c) {
            (State::Quoted | State::Return, '\n') => None,
            (State::Escape, '[') | (State::Control, ' '..='?') => Some(State::Control),
            (State::Escape | State::Between, ' '..='/') => Some(State::Between),
            (State::Quoted, '\u{7}' | '\u{9c}') | (State::Closing, '\\') => Some(State::Text),
            (State::Quoted, '\u{1b}') => Some(State::Closing),
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') | (State::Quoted, _) => Some(State::Quoted),
            (State::Escape | State::Between, '0'..='~') | (State::Control, '@'..='~') => Some(State::Text),
            (State::Return, _) => {
                out("\n");
                None
            }
            _ => None,
        };
        self.state = next.unwrap_or_else(|| text(c, out));
    }
}

/// A character of the text itself.
fn text(c: char, out: &mut impl FnMut(&str)) -> State {
    match c {
        '\u{1b}' => return State::Escape,
        '\u{9b}' => return State::Control,
        '\r' => return State::Return,
        '\n' | '\t' => out(c.encode_utf8(&mut [0; 4])),
        c if c.is_control() => {}
        c => out(c.encode_utf8(&mut [0; 4])),
    }
    State::Text
}

/// Returns how many of the first bytes are certainly plain text; ends between characters. Whole blocks are
/// checked without a branch per byte.
fn clean_prefix_len(bytes: &[u8]) -> usize {
    let mut at = 0;
    for block in bytes.chunks(BLOCK) {
        if block.iter().fold(false, |found, byte| found | is_suspect(*byte)) {
            return at + block.iter().position(|byte| is_suspect(*byte)).unwrap_or(0);
        }
        at += block.len();
    }
    at
}

/// Whether the byte is a control character, or the first byte of one above 127 (or of some others).
fn is_suspect(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\n' && byte != b'\t') || byte == 0x7f || byte == 0xc2
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ansi_sequences_are_stripped() {
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
            assert_eq!(strip_ansi(raw), wanted, "{raw:?}");
        }
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(200))]

        #[test]
        fn ansi_stripped_text_has_no_controls(text in "[a\u{1b}\\[\\];0m\r\n\u{7}\u{9b}]{0,30}") {
            let out = strip_ansi(&text);
            prop_assert!(out.chars().all(|c| c == '\n' || !c.is_control()));
            prop_assert_eq!(strip_ansi(&out), out);
        }

        #[test]
        fn ansi_pieces_match_full_text(
            pieces in prop::collection::vec("[aé£\u{1b}\\[\\]\\\\;0m\r\n\u{7}\u{9b}\u{9c}]{0,9}", 0..8),
        ) {
            let mut out = String::new();
            let mut by_piece = AnsiStripper::default();
            for piece in &pieces {
                by_piece.feed(piece, &mut |run| out.push_str(run));
            }
            by_piece.end(&mut |run| out.push_str(run));
            prop_assert_eq!(out, strip_ansi(&pieces.concat()));
        }
    }
}
