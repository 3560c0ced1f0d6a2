//! Toggles comments of lines and selections. Must not know languages: the comment signs are arguments.

use std::ops::Range as ByteRange;

use crate::text::changes::{ChangeSet, Side};
use crate::text::movement::motion;
use crate::text::operations::comment_tokens::CommentTokens;
use crate::text::operations::lines::blocks;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

type Edits = Vec<(ByteRange<Byte>, String)>;

/// Comments out the lines that a selection touches, each run of lines separately; a run of only comments is
/// uncommented. Blank lines are skipped.
pub fn toggle_lines(text: &Text, selection: &Selection, signs: CommentTokens) -> Transaction {
    let mut edits = Edits::new();
    for (first, last) in blocks(text, selection) {
        let lines: Vec<Line> = (first.0..=last.0).map(Line).collect();
        let filled: Vec<Line> = lines
            .iter()
            .copied()
            .filter(|line| motion::indent_end(text, *line) < text.line_end(*line))
            .collect();
        let lines = if filled.is_empty() { lines } else { filled };
        match (signs.line, signs.block) {
            (Some(sign), _) => toggle_run(text, &lines, sign, &mut edits),
            (None, Some(pair)) => wrap_run(text, &lines, pair, &mut edits),
            (None, None) => {}
        }
    }
    finish(text, selection, edits)
}

fn toggle_run(text: &Text, lines: &[Line], sign: &str, edits: &mut Edits) {
    let indents: Vec<Byte> = lines.iter().map(|line| motion::indent_end(text, *line)).collect();
    let rest = |n: usize| text.slice(indents[n]..text.line_end(lines[n]));
    if (0..lines.len()).all(|n| rest(n).starts_with(sign)) {
        for (n, at) in indents.iter().enumerate() {
            let space = usize::from(rest(n)[sign.len()..].starts_with(' '));
            edits.push((*at..*at + sign.len() + space, String::new()));
        }
        return;
    }
    // All signs are in one column: that of the least indented line.
    let width = |n: usize| indents[n] - text.line_start(lines[n]);
    let least = (0..lines.len()).map(width).min().unwrap_or(0);
    for line in lines {
        let at = text.line_start(*line) + least;
        edits.push((at..at, format!("{sign} ")));
    }
}

fn wrap_run(text: &Text, lines: &[Line], (open, close): (&str, &str), edits: &mut Edits) {
    let span = |line: &Line| {
        let start = motion::indent_end(text, *line);
        start..start + text.slice(start..text.line_end(*line)).trim_end().len()
    };
    let spans: Vec<_> = lines.iter().map(span).collect();
    let inner = |span: &ByteRange<Byte>| unwrapped(&text.slice(span.clone()), open, close);
    let all = spans.iter().all(|span| inner(span).is_some());
    for span in spans {
        if let Some((lead, tail)) = inner(&span).filter(|_| all) {
            edits.push((span.start..span.start + lead, String::new()));
            edits.push((span.end.back(tail)..span.end, String::new()));
        } else {
            edits.push((span.start..span.start, format!("{open} ")));
            edits.push((span.end..span.end, format!(" {close}")));
        }
    }
}

/// Returns the bytes of the signs at both ends of a comment, with a space inside each.
fn unwrapped(content: &str, open: &str, close: &str) -> Option<(usize, usize)> {
    let inner = content.strip_prefix(open)?.strip_suffix(close)?;
    let lead = usize::from(inner.starts_with(' '));
    let tail = usize::from(inner.len() > lead && inner.ends_with(' '));
    Some((open.len() + lead, close.len() + tail))
}

/// Puts signs around every selection, or removes those at its ends, inside or just outside. A cursor means
/// its line.
pub fn toggle_block(text: &Text, selection: &Selection, (open, close): (&str, &str)) -> Transaction {
    let mut edits = Edits::new();
    let mut done = Byte(0);
    for range in selection.ranges() {
        let line = text.line_of(range.head);
        let span =
            if range.is_empty() { motion::indent_end(text, line)..text.line_end(line) } else { range.span() };
        let outside = text.char_floor(span.start.back(open.len() + 1)).max(done);
        if span.start < done {
            continue;
        }
        done = span.end;
        let content = text.slice(span.clone());
        if let Some((lead, tail)) = unwrapped(&content, open, close) {
            edits.push((span.start..span.start + lead, String::new()));
            edits.push((span.end.back(tail)..span.end, String::new()));
            continue;
        }
        let before = text.slice(outside..span.start);
        let behind = text.slice(span.end..text.char_floor(span.end + close.len() + 1));
        let lead =
            [format!("{open} "), open.to_string()].into_iter().find(|sign| before.ends_with(sign.as_str()));
        let tail = [format!(" {close}"), close.to_string()]
            .into_iter()
            .find(|sign| behind.starts_with(sign.as_str()));
        if let (Some(lead), Some(tail)) = (lead, tail) {
            edits.push((span.start.back(lead.len())..span.start, String::new()));
            edits.push((span.end..span.end + tail.len(), String::new()));
            done = span.end + tail.len();
        } else {
            edits.push((span.start..span.start, format!("{open} ")));
            edits.push((span.end..span.end, format!(" {close}")));
        }
    }
    finish(text, selection, edits)
}

/// Cursors keep their character: they go after inserted text, unless they end a selection.
fn finish(text: &Text, selection: &Selection, edits: Edits) -> Transaction {
    let changes = ChangeSet::replace(text.end().0, edits);
    let mapping = &changes;
    let after = selection.transform(|range| {
        let (start, end) = (mapping.map(range.start(), Side::After), mapping.map(range.end(), Side::Before));
        match (range.is_empty(), range.head < range.anchor) {
            // At the end of a line a cursor stays inside the signs, at its start after them.
            (true, _) if at_end(text, range.head) => Range::cursor(end),
            (true, _) => Range::cursor(start),
            (false, true) => Range::new(end.max(start), start),
            (false, false) => Range::new(start, end.max(start)),
        }
    });
    Transaction::new(changes).select(after)
}

fn at_end(text: &Text, at: Byte) -> bool {
    let line = text.line_of(at);
    at == text.line_end(line) && at > motion::indent_end(text, line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked::check;
    use crate::text::operations::comment_tokens;

    #[test]
    fn comment_toggle_lines_roundtrips() {
        let rust = |t: &Text, s: &Selection| toggle_lines(t, s, comment_tokens::for_file("a.rs").unwrap());
        for (plain, commented) in [
            ("  a|é\nb", "  // a|é\nb"),
            ("«  a\n\n    b»\nc", "«  // a\n\n  //   b»\nc"),
            ("a|\nb\n|c", "// a|\nb\n// |c"),
            ("|", "// |"),
        ] {
            check(rust, plain, commented);
            check(rust, commented, plain);
        }
        check(rust, "«//a\n// b»", "«a\nb»");
        check(rust, "«// a\nb»", "// «// a\n// b»");
    }

    #[test]
    fn comment_toggle_wraps_without_line_comments() {
        let html = |t: &Text, s: &Selection| toggle_lines(t, s, comment_tokens::for_file("a.html").unwrap());
        for (plain, commented) in [
            ("  <p>|é", "  <!-- <p>|é -->"),
            ("«<a>\n<b>»", "<!-- «<a> -->\n<!-- <b>» -->"),
            ("a|", "<!-- a| -->"),
        ] {
            check(html, plain, commented);
            check(html, commented, plain);
        }
    }

    #[test]
    fn comment_toggle_block_roundtrips() {
        let block = |t: &Text, s: &Selection| toggle_block(t, s, ("/*", "*/"));
        for (plain, commented) in
            [("a «bé» c", "a /* «bé» */ c"), ("»a«\n«b»", "/* »a« */\n/* «b» */"), ("  x|y", "  /* x|y */")]
        {
            check(block, plain, commented);
            check(block, commented, plain);
        }
        check(block, "«/*é*/»", "«é»");
    }
}
