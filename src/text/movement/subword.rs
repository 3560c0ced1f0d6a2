//! Subwords of names: `camelCase`, `HTTPServer`, `snake_case`, `kebab-case`.
//!
//! Must not know cursors. Pure functions from an offset to an offset, also used to split names for case
//! changes.

use crate::text::position::Byte;
use crate::text::rope::Text;

/// Class of a character within a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    /// Letters that are not upper case, of any script, and their marks.
    Lower,
    Digit,
    Other,
}

fn class(c: char) -> Class {
    if c.is_uppercase() {
        Class::Upper
    } else if c.is_numeric() {
        Class::Digit
    } else if c.is_alphabetic() || is_mark(c) {
        Class::Lower
    } else {
        Class::Other
    }
}

/// Whether the character is a combining mark, which belongs to the previous letter.
fn is_mark(c: char) -> bool {
    c > '\u{2ff}' && unicode_width::UnicodeWidthChar::width(c) == Some(0)
}

/// Returns the end of the subword at or after an offset.
pub fn right(text: &Text, at: Byte) -> Byte {
    let at = skip(text, at, |c| class(c) == Class::Other);
    let uppers = skip(text, at, |c| class(c) == Class::Upper || is_mark(c));
    let lowers = skip(text, uppers, |c| class(c) == Class::Lower);
    if uppers > at && lowers > uppers {
        let last = text.prev_grapheme(uppers);
        // In `HTTPServer` the last capital starts the next subword.
        return if last > at { last } else { lowers };
    }
    if lowers > at {
        return lowers;
    }
    skip(text, at, |c| class(c) == Class::Digit)
}

/// Returns the start of the subword at or before an offset.
pub fn left(text: &Text, at: Byte) -> Byte {
    let at = skip_back(text, at, |c| class(c) == Class::Other);
    let digits = skip_back(text, at, |c| class(c) == Class::Digit);
    if digits < at {
        return digits;
    }
    let lowers = skip_back(text, at, |c| class(c) == Class::Lower);
    let upper = |c| class(c) == Class::Upper;
    if lowers < at {
        let capital = text.char_before(lowers).filter(|c| upper(*c));
        return lowers.back(capital.map_or(0, char::len_utf8));
    }
    skip_back(text, at, upper)
}

/// Returns the subwords of a name, in order, without separators.
pub fn parts(name: &str) -> Vec<String> {
    let text = Text::from(name);
    let mut parts = Vec::new();
    let mut at = Byte(0);
    while at < text.end() {
        let start = skip(&text, at, |c| class(c) == Class::Other);
        at = right(&text, start);
        if at == start {
            break;
        }
        parts.push(text.slice(start..at).into_owned());
    }
    parts
}

fn skip(text: &Text, mut at: Byte, predicate: impl Fn(char) -> bool) -> Byte {
    for c in text.chunks_from(at).flat_map(str::chars) {
        if !predicate(c) {
            return at;
        }
        at += c.len_utf8();
    }
    at
}

fn skip_back(text: &Text, mut at: Byte, predicate: impl Fn(char) -> bool) -> Byte {
    while let Some(c) = text.char_before(at).filter(|c| predicate(*c)) {
        at = at.back(c.len_utf8());
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cuts(name: &str) -> String {
        parts(name).join("|")
    }

    #[test]
    fn subword_splits_identifiers() {
        for (name, parts) in [
            ("camelCase", "camel|Case"),
            ("HTTPServer2", "HTTP|Server|2"),
            ("snake_case__x", "snake|case|x"),
            ("kebab-case", "kebab|case"),
            ("größeÄndern", "größe|Ändern"),
            ("e\u{301}taE\u{301}", "e\u{301}ta|E\u{301}"),
            ("utf8Text", "utf|8|Text"),
            ("日本 語", "日本|語"),
            ("__", ""),
            ("", ""),
        ] {
            assert_eq!(cuts(name), parts, "{name}");
        }
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(128))]
        #[test]
        fn subword_left_and_right_stay_inside(plain in "[a-cA-CéÉ_ 0-9]{0,30}") {
            let text = Text::from(plain.as_str());
            let mut at = Byte(0);
            while at < text.end() {
                let next = right(&text, at);
                prop_assert!(next > at && next <= text.end());
                prop_assert!(left(&text, next) < next);
                at = next;
            }
        }
    }
}
