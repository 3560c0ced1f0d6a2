//! Display width of texts in terminal cells, and replacements for characters that must not reach a terminal.
//!
//! Must not know files, themes or terminals. Widths follow `unicode-width`, as in ratatui.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Returns the cells of a grapheme cluster: 0 for a lone combining mark, 2 for wide characters. Control
/// characters count as their replacements by [`visible`]; a tab counts as 1.
pub fn grapheme_width(grapheme: &str) -> usize {
    match grapheme.as_bytes() {
        [] => 0,
        [b'\t'] => 1,
        [byte] if *byte >= 0x20 && *byte != 0x7f => 1,
        [first, second] if is_latin([*first, *second]) => 1,
        _ if grapheme.chars().any(is_unsafe) => UnicodeWidthStr::width(&*visible(grapheme)),
        _ => UnicodeWidthStr::width(grapheme),
    }
}

/// Whether two bytes are a Latin letter or sign from U+00A1 to U+024F that takes one cell and does not
/// combine with the previous character. The soft hyphen takes none, and © and ® may become emoji.
fn is_latin(bytes: [u8; 2]) -> bool {
    matches!(bytes, [0xc2, 0xa1..=0xa8 | 0xaa..=0xac | 0xaf..=0xbf] | [0xc3..=0xc8, _] | [0xc9, ..=0x8f])
}

/// Returns the grapheme clusters of a text. There is always a boundary before an ASCII character, except
/// within CRLF, so most program text, and Latin script, is split without Unicode's tables.
pub fn graphemes(text: &str) -> Graphemes<'_> {
    Graphemes { rest: text }
}

/// See [`graphemes`].
#[derive(Debug, Clone)]
pub struct Graphemes<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Graphemes<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let length = match self.rest.as_bytes() {
            [] => return None,
            [b' '..=b'~'] | [b' '..=b'~', 0..=0x7f, ..] => 1,
            [first, second] | [first, second, 0..=0x7f, ..] if is_latin([*first, *second]) => 2,
            _ => self.rest.graphemes(true).next()?.len(),
        };
        let (grapheme, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(grapheme)
    }
}

/// Returns the cells of a text without tabs.
pub fn text_width(text: &str) -> usize {
    let (mut rest, mut width) = (text, 0);
    while !rest.is_empty() {
        let plain = rest.bytes().take_while(|byte| (b' '..=b'~').contains(byte)).count();
        // The next character may combine with the last of them.
        let alone = if plain < rest.len() { plain.saturating_sub(1) } else { plain };
        width += alone;
        rest = &rest[alone..];
        if let Some(grapheme) = graphemes(rest).next() {
            width += grapheme_width(grapheme);
            rest = &rest[grapheme.len()..];
        }
    }
    width
}

/// Whether a character could control a terminal, reorder the line around it, or be invisible. Joiners are
/// excluded: scripts and emoji need them.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Marks, embeddings, overrides and isolates of direction.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Line and paragraph separators, and characters of zero width.
            | '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
            // Kitty shows a part of an image in its place.
            | '\u{10eeee}')
}

/// Returns the text with every unsafe character replaced by a visible one: `␛` for escape, `␀` for NUL,
/// `<9B>` for a C1 control, `<U+202E>` for a direction override. Tabs and line feeds become `␉` and `␊`,
/// since only a caller that lays out lines can handle them.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c as u32 {
            code @ 0..=0x1f => out.extend(char::from_u32(0x2400 + code)),
            0x7f => out.push('\u{2421}'),
            code @ 0x80..=0x9f => out.extend(format!("<{code:02X}>").chars()),
            code if is_unsafe(c) => out.extend(format!("<U+{code:04X}>").chars()),
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The same for a text of several lines: line feeds are kept.
pub fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// Breaks a text at its spaces into lines of at most `cols` cells; a longer word is broken anywhere.
pub fn word_wrap(text: &str, cols: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { break };
        if !line.is_empty() && text_width(line) + 1 + text_width(word) <= cols {
            line.push(' ');
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(String::new());
        }
        for grapheme in word.graphemes(true) {
            let Some(line) = lines.last_mut() else { break };
            if !line.is_empty() && text_width(line) + text_width(grapheme) > cols {
                lines.push(grapheme.to_string());
            } else {
                line.push_str(grapheme);
            }
        }
    }
    lines
}

/// Truncates a text to at most `max` cells at a grapheme boundary, with `…` as its last cell if truncated.
pub fn truncate(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max && text.is_ascii() || text_width(text) <= max {
        return Cow::Borrowed(text);
    }
    let mut used = 0;
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let width = grapheme_width(grapheme);
        if used + width > max.saturating_sub(1) {
            break;
        }
        used += width;
        end = at + grapheme.len();
    }
    let mut out = text[..end].to_string();
    if max > 0 {
        out.push('…');
    }
    Cow::Owned(out)
}

/// Behind the last part of a text of which there are more.
const MORE: &str = " …";

/// Returns the first parts of a text for which there is room, with `gap` between them and `…` behind them if there are
/// more. Only the first one is ever cut.
pub fn truncate_parts<'a>(text: &'a str, gap: &str, max: usize) -> Cow<'a, str> {
    if text_width(text) <= max {
        return text.into();
    }
    let cuts = text.rmatch_indices(gap).map(|(at, _)| &text[..at]);
    let fitting = cuts.into_iter().find(|parts| text_width(parts) + text_width(MORE) <= max);
    let first = text.split(gap).next().unwrap_or_default();
    fitting.map_or_else(|| truncate(first, max), |parts| format!("{parts}{MORE}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_of_common_text() {
        for (text, cells) in
            [("a", 1), ("é", 1), ("e\u{301}", 1), ("漢", 2), ("👩‍👩‍👧", 2), ("\u{1b}", 1), ("\u{9b}", 4)]
        {
            assert_eq!(text_width(text), cells, "{text:?}");
        }
    }

    #[test]
    fn width_latin_letters_match_unicode() {
        let latin = (0x80..=0x7ff).filter_map(char::from_u32).filter(|c| {
            let mut bytes = [0; 2];
            is_latin([c.encode_utf8(&mut bytes).as_bytes()[0], c.encode_utf8(&mut bytes).as_bytes()[1]])
        });
        let latin: Vec<char> = latin.collect();
        assert_eq!(
            (latin.first(), latin.last(), latin.len()),
            (Some(&'¡'), Some(&'ɏ'), 0x24f - 0xa1 + 1 - 3)
        );
        for c in latin {
            let text = c.to_string();
            assert_eq!((UnicodeWidthStr::width(&*text), is_unsafe(c)), (1, false), "{c:?}");
            for before in ["a", "é", "\u{200d}", "👩\u{200d}", "क\u{94d}", "\r"] {
                let text = format!("{before}{c}.");
                let cut: Vec<&str> = text.graphemes(true).collect();
                assert_eq!(cut[cut.len() - 2..], [&*c.to_string(), "."], "{text:?}");
            }
        }
    }

    proptest::proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn width_graphemes_match_unicode(parts in proptest::collection::vec("[ -~]|[\u{a0}-\u{250}]|\\PC|\r|\n|\u{301}|\u{200d}|👩|🇩|क|्", 0..40)) {
            let text = parts.concat();
            let cut: Vec<&str> = graphemes(&text).collect();
            proptest::prop_assert_eq!(&cut, &text.graphemes(true).collect::<Vec<_>>());
            proptest::prop_assert_eq!(text_width(&text), cut.iter().map(|g| grapheme_width(g)).sum::<usize>());
        }
    }

    #[test]
    fn width_controls_are_made_visible() {
        assert_eq!(visible("a\u{1b}[31m\u{7f}\u{9b}\u{202e}"), "a␛[31m␡<9B><U+202E>");
        assert_eq!(visible("a\u{200b}b\u{feff}\u{61c}"), "a<U+200B>b<U+FEFF><U+061C>");
        assert!(matches!(visible("plain é 👩\u{200d}👧"), Cow::Borrowed(_)));
    }

    #[test]
    fn width_truncate_parts_cuts_none_but_the_first() {
        let text = "Escape stops · Enter steers · Alt-Enter queues";
        assert_eq!(truncate_parts(text, " · ", 46), text);
        assert_eq!(truncate_parts(text, " · ", 45), "Escape stops · Enter steers …");
        assert_eq!(truncate_parts(text, " · ", 29), "Escape stops · Enter steers …");
        assert_eq!(truncate_parts(text, " · ", 28), "Escape stops …");
        assert_eq!(truncate_parts(text, " · ", 13), "Escape stops");
        assert_eq!(truncate_parts(text, " · ", 7), "Escape…");
    }

    #[test]
    fn width_truncate_never_splits_wide_character() {
        assert_eq!(truncate("漢字漢字", 5), "漢字…");
        assert_eq!(truncate("漢字漢字", 4), "漢…");
        assert_eq!(truncate("abc", 3), "abc");
        assert_eq!(truncate("abc", 0), "");
    }

    #[test]
    fn width_word_wrap_breaks_at_spaces_and_in_long_words() {
        assert_eq!(word_wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(word_wrap("a longword b", 4), ["a", "long", "word", "b"]);
        assert_eq!(word_wrap("漢字漢", 4), ["漢字", "漢"]);
        assert_eq!(word_wrap("", 4), [""]);
        assert_eq!(word_wrap("wide 漢", 1), ["w", "i", "d", "e", "漢"], "no room at all");
    }
}
