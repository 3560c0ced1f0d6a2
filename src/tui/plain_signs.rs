//! Drawn signs as characters that a screen reader can speak: borders and bars become blanks, marks become ASCII of
//! the same width. Must not know who draws them, nor touch the user's own text: the canvas decides what is a sign.

use std::borrow::Cow;

/// Returns whether a screen reader speaks a character as noise: arrows, box drawing, blocks, geometric shapes, braille
/// patterns and private use.
pub fn is_ornament(c: char) -> bool {
    matches!(c,
        '\u{2190}'..='\u{21ff}'
        | '\u{2500}'..='\u{25ff}'
        | '\u{2800}'..='\u{28ff}'
        | '\u{e000}'..='\u{f8ff}'
        | '\u{f0000}'..='\u{10fffd}')
}

/// Returns what stands for a sign, of the same width; `None` if it can stay.
fn plain(c: char) -> Option<char> {
    Some(match c {
        '●' | '◦' | '◐' | '◑' | '◒' | '◓' | '•' | '★' | '☆' => '*',
        '○' => 'o',
        '◇' => '#',
        '▸' | '→' | '›' => '>',
        '←' | '‹' => '<',
        '−' => '-',
        '×' => 'x',
        '·' => ',',
        '✓' => '+',
        '✗' => '!',
        '∴' | '⋮' | '⋯' | '⚑' => ' ',
        c if is_ornament(c) => ' ',
        _ => return None,
    })
}

/// Returns a text of the program without ornaments, cell by cell as wide as before.
pub fn without_ornaments(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(|c| plain(c).is_some()) {
        return text.into();
    }
    // A comma follows its word.
    text.replace(" · ", ",  ").chars().map(|c| plain(c).unwrap_or(c)).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::width::text_width;
    use proptest::prelude::*;

    #[test]
    fn plain_signs_keep_words_and_drop_borders() {
        assert_eq!(without_ornaments("│ a → b · c ✓ ─╮"), "  a > b,  c +   ");
        assert_eq!(without_ornaments("漢字 naïve …"), "漢字 naïve …");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn plain_signs_have_the_width_of_what_they_replace(text in "[ -~│─▸●·→✓✗⠋\u{e0b0}漢é]{0,30}") {
            let plain = without_ornaments(&text);
            prop_assert_eq!(text_width(&plain), text_width(&text));
            prop_assert!(!plain.chars().any(is_ornament), "{plain}");
        }
    }
}
