//! Lines of spans with theme scopes, and wrapping to a width.
//!
//! Must not know canvases or themes. The result is safe to draw: tabs are expanded and control characters are
//! symbols. Each span says what of it belongs to the text, so that rows can be copied without their decoration
//! and without the breaks of wrapping (`copied`).

use std::ops::Range;
use std::sync::Arc;

use crate::base::width::{grapheme_width, graphemes, is_unsafe, visible};

/// A piece of text with one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// Theme scope of its style.
    pub scope: &'static str,
    /// What of it belongs to the text.
    pub role: Role,
    /// Target of its link, in the form for terminals (`links::target`).
    pub link: Option<Arc<str>>,
}

/// What of a span belongs to the text that its line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// All of it.
    #[default]
    Text,
    /// The marker or indentation of an item of a list: text that also is a prefix of lines.
    Marker,
    /// Nothing: a border, a prefix, padding.
    Decoration,
    /// Nothing, nor anything else in its line: a rule, a note on what is not shown.
    Aside,
    /// A tab that begins here; the cells up to its stop are decoration.
    Tab,
    /// The beginning of a longer text.
    Cut,
    /// No cells: the text goes on in the next line, after this many spaces.
    Wrap(u16),
    /// The border between two cells of a table, each of which may go on in the next line.
    CellEnd,
    /// A row of an image; the text stands for it where it is not drawn.
    Image(ImageRow),
}

/// A row of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageRow {
    /// What the caller knows the image by.
    pub key: u64,
    /// The row, from 0.
    pub row: u16,
    /// Maximum columns and rows of the image.
    pub max: (u16, u16),
}

impl Span {
    /// A span of text.
    pub fn new(text: impl Into<String>, scope: &'static str) -> Self {
        Self { text: text.into(), scope, role: Role::Text, link: None }
    }

    /// A span that is not part of the text.
    pub fn decoration(text: impl Into<String>, scope: &'static str) -> Self {
        Self::new(text, scope).with_role(Role::Decoration)
    }

    /// Returns the span in another role.
    #[must_use]
    pub fn with_role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Returns whether the texts of both look alike and have one link.
    fn looks_like(&self, other: &Self) -> bool {
        (self.scope, &self.link) == (other.scope, &other.link)
    }

    /// Returns the span as a link.
    #[must_use]
    pub fn with_link(mut self, link: Option<Arc<str>>) -> Self {
        self.link = link;
        self
    }
}

/// Content of one row.
pub type Line = Vec<Span>;

/// Where a line may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakMode {
    /// After spaces and beside wide characters; inside a word only when it is too long.
    Words,
    /// Anywhere between graphemes, after a space near the end of the line if there is one; spaces are kept.
    Anywhere,
}

/// Such a space is looked for in one of so many parts of the line.
const NEAR_PART: usize = 3;
/// Columns between tab stops.
const TAB: usize = 4;

/// Returns the number of bytes in lines.
pub fn bytes(lines: &[Line]) -> usize {
    let spans = |line: &Line| line.iter().map(|span| span.text.capacity()).sum::<usize>();
    lines.iter().map(|line| size_of::<Line>() + line.capacity() * size_of::<Span>() + spans(line)).sum()
}

/// Returns the width of a line in cells.
pub fn width(line: &[Span]) -> usize {
    line.iter().map(|span| crate::base::width::text_width(&span.text)).sum()
}

/// Returns whether the text of a line goes on in the next line.
pub fn continues(line: &[Span]) -> bool {
    line.iter().any(|span| matches!(span.role, Role::Wrap(_)))
}

/// A grapheme to be placed in a line.
struct Piece<'a> {
    text: std::borrow::Cow<'a, str>,
    width: usize,
    /// What it is a part of.
    span: &'a Span,
    role: Role,
}

/// Wraps spans to `width` cells; line feeds also break. `first` begins the first line and `rest` the others;
/// both are omitted where they would leave less than two cells. They are decoration, except for markers at the
/// beginning of what is a line of the text.
pub fn wrap(spans: &[Span], width: u16, first: &[Span], rest: &[Span], how: BreakMode) -> Vec<Line> {
    let total = usize::from(width.max(1));
    let is_narrow = self::width(first).max(self::width(rest)) + 2 > total;
    let (first, rest) = if is_narrow { (&[][..], &[][..]) } else { (first, rest) };
    let rooms = [first, rest].map(|prefix| total - self::width(prefix));
    let pieces = pieces(spans, rooms[0].min(rooms[1]), how);
    let mut out = Vec::new();
    let mut start = 0;
    let mut continues = false;
    loop {
        let (end, next) = line_end(&pieces, start, rooms[usize::from(!out.is_empty())], how);
        let mut line = prefix(if out.is_empty() { first } else { rest }, continues);
        let from = line.len();
        for piece in &pieces[start..end] {
            match line[from..].last_mut() {
                Some(span) if span.role == piece.role && span.looks_like(piece.span) => {
                    span.text.push_str(&piece.text);
                }
                _ => {
                    let (target, text) = (piece.span.link.clone(), piece.text.clone());
                    line.push(Span::new(text, piece.span.scope).with_role(piece.role).with_link(target));
                }
            }
        }
        let dropped = &pieces[end..next];
        continues = next < pieces.len() && dropped.last().is_none_or(|piece| piece.text != "\n");
        if continues {
            let spaces = u16::try_from(dropped.len()).unwrap_or(u16::MAX);
            line.push(Span::new("", pieces[next].span.scope).with_role(Role::Wrap(spaces)));
        }
        out.push(line);
        if next >= pieces.len() {
            return out;
        }
        start = next;
    }
}

/// Returns the prefix of a line; in one that `continues` the line above, markers are only indentation.
fn prefix(spans: &[Span], continues: bool) -> Line {
    let role = |span: &Span| match span.role {
        Role::Marker if !continues => Role::Marker,
        _ => Role::Decoration,
    };
    spans.iter().map(|span| span.clone().with_role(role(span))).collect()
}

/// Returns the end of the line that begins at `start`, and the start of the next one.
fn line_end(pieces: &[Piece<'_>], start: usize, room: usize, how: BreakMode) -> (usize, usize) {
    let mut used = 0;
    // End of the line and start of the next, at the last possible break.
    let mut last = None;
    for (at, piece) in pieces.iter().enumerate().skip(start) {
        if piece.text == "\n" {
            return (at, at + 1);
        }
        let space = piece.text == " ";
        if how == BreakMode::Words && at > start && !space {
            let before = &pieces[at - 1];
            if before.text == " " || before.width > 1 || piece.width > 1 {
                let end = (start..at).rev().find(|i| pieces[*i].text != " ").map_or(start, |i| i + 1);
                // Leading indentation is not a possible break.
                last = (end > start).then_some((end, at)).or(last);
            }
        }
        if used + piece.width > room {
            if how == BreakMode::Words && space {
                let next = (at..pieces.len()).find(|i| pieces[*i].text != " ").unwrap_or(pieces.len());
                let next = next + usize::from(pieces.get(next).is_some_and(|piece| piece.text == "\n"));
                return (at, next);
            }
            let end = at.max(start + 1);
            return last.or_else(|| space_near(pieces, start..at, how)).unwrap_or((end, end));
        }
        used += piece.width;
    }
    (pieces.len(), pieces.len())
}

/// Returns the break after the last space in the last part of a line that may be broken anywhere.
fn space_near(pieces: &[Piece<'_>], line: Range<usize>, how: BreakMode) -> Option<(usize, usize)> {
    let first = line.end - line.len() / NEAR_PART;
    let is_space = |at: &usize| how == BreakMode::Anywhere && pieces[*at].text == " ";
    let after = (first..line.end).rev().find(is_space)? + 1;
    (after > line.start).then_some((after, after))
}

/// Splits spans into safe graphemes. A grapheme wider than the line becomes `…`.
fn pieces(spans: &[Span], room: usize, how: BreakMode) -> Vec<Piece<'_>> {
    let mut out: Vec<Piece<'_>> = Vec::new();
    let mut column = 0;
    for span in spans {
        let role = span.role;
        for grapheme in graphemes(&span.text) {
            if matches!(grapheme, "\n" | "\r\n") {
                column = 0;
                out.push(Piece { text: "\n".into(), width: 0, span, role });
            } else if grapheme == "\t" {
                // Between words it is like spaces, which a break removes.
                let mut kept = if how == BreakMode::Words { role } else { Role::Tab };
                for _ in 0..TAB - column % TAB {
                    column += 1;
                    out.push(Piece { text: " ".into(), width: 1, span, role: kept });
                    kept = if how == BreakMode::Words { role } else { Role::Decoration };
                }
            } else if grapheme.chars().any(is_unsafe) {
                for sign in graphemes(&visible(grapheme)) {
                    column += 1;
                    out.push(Piece { text: sign.to_string().into(), width: 1, span, role });
                }
            } else {
                let width = grapheme_width(grapheme);
                column += width.min(room);
                out.push(if width > room {
                    Piece { text: "…".into(), width: 1, span, role }
                } else {
                    Piece { text: grapheme.into(), width, span, role }
                });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str, width: u16) -> String {
        show(&wrap(&[Span::new(text, "t")], width, &[], &[], BreakMode::Words))
    }

    fn show(lines: &[Line]) -> String {
        let text = |line: &Line| line.iter().map(|span| span.text.as_str()).collect::<String>();
        lines.iter().map(text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn line_wrap_breaks_between_words() {
        assert_eq!(words("the quick brown fox", 10), "the quick|brown fox");
        assert_eq!(words("the quick  brown", 9), "the quick|brown");
        assert_eq!(words("a\n\nb \nc", 9), "a||b |c");
        assert_eq!(words("", 9), "");
        assert_eq!(words("ab ", 2), "ab");
        assert_eq!(words("  ab cd", 4), "  ab|cd");
    }

    #[test]
    fn line_wrap_long_words_and_wide_characters() {
        assert_eq!(words("see abcdefghij", 5), "see|abcde|fghij");
        assert_eq!(words("漢字漢字", 5), "漢字|漢字");
        assert_eq!(words("ab漢字cd", 4), "ab漢|字cd");
        assert_eq!(words("漢", 1), "…");
    }

    #[test]
    fn line_wrap_tabs_and_controls_become_cells() {
        assert_eq!(words("a\tb\x1b[m", 20), "a   b␛[m");
        let code = wrap(&[Span::new("  a  b", "t")], 4, &[], &[], BreakMode::Anywhere);
        assert_eq!(show(&code), "  a | b");
    }

    #[test]
    fn line_wrap_prefixes_need_room() {
        let wrap = |width| {
            let (bullet, indent) = ([Span::new("• ", "b")], [Span::new("  ", "b")]);
            show(&wrap(&[Span::new("one two", "t")], width, &bullet, &indent, BreakMode::Words))
        };
        assert_eq!(wrap(6), "• one|  two");
        assert_eq!(wrap(3), "one|two");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn line_wrap_respects_width_and_loses_nothing(text in "[a-c 漢é\t\n\u{301}\u{1b}👩\u{200d}]{0,60}", width in 1u16..12) {
            for how in [BreakMode::Words, BreakMode::Anywhere] {
                let lines = wrap(&[Span::new(text.clone(), "t")], width, &[], &[], how);
                for line in &lines {
                    prop_assert!(super::width(line) <= usize::from(width), "{:?}", line);
                }
                let letters = |text: &str| text.chars().filter(char::is_ascii_lowercase).count();
                prop_assert_eq!(letters(&show(&lines)), letters(&text));
            }
        }
    }
}
