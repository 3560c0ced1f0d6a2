//! Rows below the head of a card, within limited numbers of rows. Must not know kinds of calls.

use std::ops::Range;

use crate::base::width::{grapheme_width, graphemes, truncate, visible};
use crate::ide::features::transcript::cards::form::CardForm;
use crate::tui::widgets::line::{self, BreakMode, Line, Role, Span, wrap};
use crate::tui::widgets::markdown::code_blocks::Colored;

/// Lines shown of output in short form.
pub const TAIL_ROWS: usize = 5;
/// Lines shown of an error in short form.
pub const FAILURE_ROWS: usize = 8;
/// Maximum lines shown in full form; the rest is in the session's artifacts.
pub const WHOLE_ROWS: usize = 2_000;

/// Indentation below the head of a call.
pub const INDENT: &str = "  ";
/// Style of sentences: broken between words.
pub const PROSE: (&str, BreakMode) = ("agent.tool.output", BreakMode::Words);
/// Style of errors.
pub const FAILURE: (&str, BreakMode) = ("error", BreakMode::Words);
/// Style of arguments.
pub const ARGUMENT: (&str, BreakMode) = ("agent.tool.title", BreakMode::Anywhere);
/// Style of output.
const OUTPUT: (&str, BreakMode) = ("agent.tool.output", BreakMode::Anywhere);

/// Maximum bytes of text per cell: of a long line, what exceeds its rows is not laid out. A family emoji
/// takes 25 in two cells.
const CELL_BYTES: usize = 16;
/// Maximum bytes of a line, in whatever form.
const LINE_BYTES: usize = 8 << 10;

/// Returns the beginning of a line that can fill at most that many rows.
pub fn seen(line: &str, rows: usize, width: u16) -> &str {
    let room = (rows * usize::from(width.max(1)) * CELL_BYTES).min(LINE_BYTES);
    &line[..line.floor_char_boundary(room)]
}

/// Returns lines indented below a call, the first `rows` of them.
pub fn indented<'a>(
    lines: impl Iterator<Item = &'a str>,
    form: &CardForm<'_>,
    rows: usize,
    (scope, mode): (&'static str, BreakMode),
) -> Vec<Line> {
    let indent = [Span::new(INDENT, scope)];
    let mut out = Vec::new();
    for line in lines {
        if out.len() >= rows {
            out.push(more(None, form));
            break;
        }
        let seen = seen(line, rows + 1 - out.len(), form.width);
        out.extend(wrap(&[Span::new(seen, scope)], form.width, &indent, &indent, mode));
        if seen.len() < line.len() && out.len() <= rows {
            out.push(more(None, form));
        }
    }
    if out.len() > rows {
        out.truncate(rows);
        out.push(more(None, form));
    }
    out
}

/// Returns the last `rows` lines, with a note on how many precede them.
pub fn tail(text: &str, form: &CardForm<'_>, rows: usize) -> Vec<Line> {
    let text = text.trim_end();
    if text.is_empty() {
        return Vec::new();
    }
    let kept: Vec<&str> = text.rsplit('\n').take(rows).collect();
    let earlier = count_lines(text) - kept.len();
    let mut out = Vec::new();
    if earlier > 0 {
        out.push(more(Some(earlier), form));
    }
    out.extend(indented(kept.into_iter().rev(), form, rows * 2, OUTPUT));
    out
}

/// Returns the first `rows` lines, with a note on how many follow them.
pub fn beginning(
    text: &str,
    form: &CardForm<'_>,
    rows: usize,
    style: (&'static str, BreakMode),
) -> Vec<Line> {
    let text = text.trim_end();
    let mut out = indented(text.lines().take(rows), form, rows * 2, style);
    let later = count_lines(text).saturating_sub(rows);
    if later > 0 && out.len() <= rows * 2 {
        out.push(more(Some(later), form));
    }
    out
}

/// Counts the lines of a text that ends without a line feed, in one pass: half a million short ones are counted in
/// every frame in which a command writes.
fn count_lines(text: &str) -> usize {
    let feeds = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    if text.is_empty() { 0 } else { feeds + 1 }
}

/// Returns the line for what is not shown, with its number of lines where that is known.
pub fn more(count: Option<usize>, form: &CardForm<'_>) -> Line {
    let count = count.map_or_else(String::new, |count| format!("{count} "));
    let key = if form.keys.expand.is_empty() { String::new() } else { format!(" · {}", form.keys.expand) };
    let text = format!("{INDENT}… {count}more{key}");
    let text = truncate(&text, usize::from(form.width)).into_owned();
    vec![Span::new(text, "ui.hint").with_role(Role::Aside)]
}

/// Returns the spans of a part of a piece of code, in its colors where they are known.
pub fn painted(code: &str, part: Range<usize>, colors: &[Colored], scope: &'static str) -> Vec<Span> {
    let from = colors.partition_point(|(range, _)| range.end <= part.start);
    let (mut spans, mut at) = (Vec::new(), part.start);
    for (range, color) in &colors[from..] {
        if range.start >= part.end {
            break;
        }
        let (start, end) = (range.start.max(at), range.end.min(part.end));
        // A range of colors may cut a character: the text matters more.
        let (Some(before), Some(text)) = (code.get(at..start), code.get(start..end)) else { continue };
        spans.extend((!before.is_empty()).then(|| Span::new(before, scope)));
        spans.extend((!text.is_empty()).then(|| Span::new(text, color)));
        at = end;
    }
    let rest = code.get(at..part.end).unwrap_or_default();
    spans.extend((!rest.is_empty()).then(|| Span::new(rest, scope)));
    spans
}

/// Returns the beginning of spans that fits into a row, without control characters; `…` ends it if there is more.
pub fn fit(spans: Vec<Span>, width: usize) -> Vec<Span> {
    // What cannot fit is not looked at.
    let columns = u16::try_from(width + 1).unwrap_or(u16::MAX);
    let safe = |span: Span| Span::new(visible(seen(&span.text, 1, columns)), span.scope).with_role(span.role);
    let spans: Vec<Span> = spans.into_iter().map(safe).collect();
    if line::width(&spans) <= width {
        return spans;
    }
    let (mut out, mut room) = (Vec::new(), width.saturating_sub(1));
    for span in spans {
        let mut end = 0;
        for grapheme in graphemes(&span.text) {
            let Some(left) = room.checked_sub(grapheme_width(grapheme)) else {
                let role = if span.role == Role::Text { Role::Cut } else { span.role };
                out.push(Span::new(format!("{}…", &span.text[..end]), span.scope).with_role(role));
                return out;
            };
            (room, end) = (left, end + grapheme.len());
        }
        out.push(span);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(spans: &[Span]) -> String {
        spans.iter().map(|span| span.text.as_str()).collect()
    }

    #[test]
    fn cards_row_is_cut_at_its_end() {
        let spans = || vec![Span::new("cargo ", "a"), Span::new("漢字\u{1b}", "b")];
        assert_eq!(text(&fit(spans(), 11)), "cargo 漢字␛");
        assert_eq!(text(&fit(spans(), 10)), "cargo 漢…");
        assert_eq!(text(&fit(spans(), 6)), "cargo…");
        assert_eq!(text(&fit(vec![Span::new("x".repeat(1 << 20), "a")], 3)), "xx…");
    }

    #[test]
    fn cards_colors_that_cut_a_character_lose_no_text() {
        let code = "a é b";
        let spans = painted(code, 0..code.len(), &[(0..1, "x"), (3..4, "y"), (5..6, "z")], "base");
        assert_eq!(text(&spans), code);
        assert_eq!(text(&painted(code, 2..4, &[(0..6, "x")], "base")), "é");
    }
}
