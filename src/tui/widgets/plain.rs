//! Plain text that may grow at its end: split into pieces, wrapped at a width, laid out where it is shown.
//!
//! Must not know themes or canvases; lines carry scopes. The caller keeps the text and passes it with each
//! call.

use std::ops::Range;

use crate::tui::widgets::line::{self, BreakMode, Line, Role, Span, wrap};
use crate::tui::widgets::line_cache::LineCache;

/// Approximate number of bytes of whole lines laid out together.
const PIECE: usize = 2 << 10;
/// A line longer than this is cut, at a space if it has one.
const LINE_MAX: usize = 8 << 10;

/// Layout of one text.
#[derive(Debug)]
pub struct PlainText {
    scope: &'static str,
    /// Prefix of the first line; the others are indented by its width.
    lead: Option<Span>,
    /// Ends of the pieces that further text cannot change.
    ends: Vec<usize>,
    /// Start of the text after leading blank lines.
    start: usize,
    /// Bytes of the text already processed.
    seen: usize,
    /// Width of the lines; 0 while there are none.
    width: u16,
    cache: LineCache,
    /// Lines after the last piece.
    open: Vec<Line>,
    stale: bool,
}

impl PlainText {
    /// Returns an empty layout with this scope. `lead` is the prefix of its first line.
    pub fn new(scope: &'static str, lead: Option<Span>) -> Self {
        Self {
            scope,
            lead,
            ends: Vec::new(),
            start: 0,
            seen: 0,
            width: 0,
            cache: LineCache::default(),
            open: Vec::new(),
            stale: true,
        }
    }

    /// Returns the number of lines. The text must start with the text of earlier calls.
    pub fn height(&mut self, text: &str, width: u16) -> usize {
        self.lay_out(text, width.max(1));
        self.cache.height() + self.open.len()
    }

    /// Passes the lines of a range to `draw`.
    pub fn visit(&mut self, text: &str, width: u16, range: Range<usize>, draw: &mut impl FnMut(&Line)) {
        self.lay_out(text, width.max(1));
        let (scope, lead, ends, start, width) = (self.scope, &self.lead, &self.ends, self.start, self.width);
        let make = |piece: usize| {
            piece_lines(&text[range_of(ends, start, piece)], piece == 0, scope, lead.as_ref(), width)
        };
        self.cache.visit(range.clone(), make, draw);
        let above = self.cache.height();
        let (from, to) = (range.start.saturating_sub(above), range.end.saturating_sub(above));
        self.open.iter().take(to).skip(from).for_each(draw);
    }

    /// Returns its size in bytes.
    pub fn bytes(&self) -> usize {
        self.ends.capacity() * size_of::<usize>() + self.cache.bytes() + line::bytes(&self.open)
    }

    fn lay_out(&mut self, text: &str, width: u16) {
        if self.seen != text.len() {
            self.split(text);
            self.stale = true;
        }
        if self.width != width {
            self.width = width;
            self.cache.clear();
            self.stale = true;
        }
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let lead = self.lead.as_ref();
        for piece in self.cache.pieces()..self.ends.len() {
            let range = range_of(&self.ends, self.start, piece);
            self.cache.push(false, piece_lines(&text[range], piece == 0, self.scope, lead, width));
        }
        let open = text[self.closed_end()..].trim_end();
        let is_first = self.ends.is_empty();
        self.open = if open.is_empty() && !(is_first && lead.is_some()) {
            Vec::new()
        } else {
            lines(open, is_first, self.scope, lead, width)
        };
    }

    /// Returns the start of the part that further text may change.
    fn closed_end(&self) -> usize {
        self.ends.last().copied().unwrap_or(self.start)
    }

    fn split(&mut self, text: &str) {
        self.seen = text.len();
        if self.ends.is_empty() {
            self.start = text.len() - text.trim_start_matches('\n').len();
        }
        while let Some(length) = piece_length(&text[self.closed_end()..]) {
            self.ends.push(self.closed_end() + length);
        }
    }
}

fn range_of(ends: &[usize], start: usize, piece: usize) -> Range<usize> {
    piece.checked_sub(1).map_or(start, |before| ends[before])..ends[piece]
}

/// Returns the length of the first piece of a text, once it is certain. It depends only on the content of the
/// piece, so that it does not matter how the text was delivered.
fn piece_length(text: &str) -> Option<usize> {
    let window = |bytes: usize| (text.len() > bytes).then(|| &text[..text.floor_char_boundary(bytes)]);
    let whole = window(PIECE)?.rfind('\n').map(|at| at + 1);
    whole.or_else(|| {
        let window = window(LINE_MAX)?;
        Some(window.rfind('\n').or_else(|| window.rfind(' ')).map_or(window.len(), |at| at + 1))
    })
}

/// Lays out a piece. One that ends within a line of the text goes on in the next piece.
fn piece_lines(
    text: &str,
    is_first: bool,
    scope: &'static str,
    lead: Option<&Span>,
    width: u16,
) -> Vec<Line> {
    if text.ends_with('\n') {
        return lines(text, is_first, scope, lead, width);
    }
    let (text, spaces) = text.strip_suffix(' ').map_or((text, 0), |before| (before, 1));
    let mut lines = lines(text, is_first, scope, lead, width);
    if let Some(last) = lines.last_mut() {
        last.push(Span::new("", scope).with_role(Role::Wrap(spaces)));
    }
    lines
}

fn lines(text: &str, is_first: bool, scope: &'static str, lead: Option<&Span>, width: u16) -> Vec<Line> {
    let span = [Span::new(text, scope)];
    let first: Line = lead.cloned().into_iter().collect();
    let rest = [Span::new(" ".repeat(line::width(&first)), scope)];
    let rest = if lead.is_some() { &rest[..] } else { &[] };
    wrap(&span, width, if is_first { &first } else { rest }, rest, BreakMode::Words)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(plain: &mut PlainText, text: &str, width: u16) -> Vec<Line> {
        let (height, mut out) = (plain.height(text, width), Vec::new());
        plain.visit(text, width, 0..height, &mut |line: &Line| out.push(line.clone()));
        assert_eq!(out.len(), height);
        out
    }

    fn show(text: &str, width: u16, lead: Option<Span>) -> String {
        let lines = all(&mut PlainText::new("t", lead), text, width);
        let text = |line: &Line| line.iter().map(|span| span.text.as_str()).collect::<String>();
        lines.iter().map(text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn plain_text_wraps_with_lead() {
        let lead = || Some(Span::new("› ", "p"));
        assert_eq!(show("one two\n\nthree\n", 7, lead()), "› one|  two|  |  three");
        assert_eq!(show("", 7, lead()), "› ");
        assert_eq!(show("\n\n a\n \n", 7, None), " a");
        assert_eq!(show(" \n ", 7, None), "");
    }

    #[test]
    fn plain_long_text_equals_single_layout() {
        let text: String =
            (0..3_000).map(|n| if n % 7 == 0 { "\n".into() } else { format!("line {n} of it\n") }).collect();
        let text = text.trim_matches('\n');
        let whole = wrap(&[Span::new(text, "t")], 9, &[], &[], BreakMode::Words);
        assert_eq!(all(&mut PlainText::new("t", None), text, 9), whole);
    }

    #[test]
    fn plain_long_line_loses_no_word() {
        let words: Vec<String> = (0..20_000).map(|n| format!("w{n}")).collect();
        let shown = show(&words.join(" "), 40, None).replace('|', " ");
        assert!(shown.split_whitespace().eq(words.iter().map(String::as_str)), "words are missing");
        let unbroken = "x".repeat(100_000);
        assert_eq!(show(&unbroken, 40, None).matches('x').count(), 100_000);
    }

    #[test]
    fn plain_long_text_holds_few_bytes() {
        let text = "some words of a text that was pasted\n".repeat(30_000);
        let mut plain = PlainText::new("t", None);
        let height = plain.height(&text, 80);
        for start in [0, height / 2, height - 40] {
            let mut rows = 0;
            plain.visit(&text, 80, start..start + 40, &mut |_: &Line| rows += 1);
            assert_eq!(rows, 40);
            assert!(plain.bytes() < text.len() / 8, "{} bytes for {}", plain.bytes(), text.len());
        }
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(64))]
        #[test]
        fn plain_portions_do_not_matter(
            parts in prop::collection::vec(prop::sample::select(vec!["word ", "\n", "漢字", "x", "\t", "\r\n"]), 0..6_000),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6), width in 1u16..60,
        ) {
            let text = parts.concat();
            let mut cuts: Vec<_> = cuts.iter().map(|c| text.floor_char_boundary(c.index(text.len() + 1))).collect();
            cuts.push(text.len());
            cuts.sort_unstable();
            let mut grown = PlainText::new("t", None);
            for cut in cuts {
                all(&mut grown, &text[..cut], width);
            }
            prop_assert_eq!(all(&mut grown, &text, width), all(&mut PlainText::new("t", None), &text, width));
        }
    }
}
