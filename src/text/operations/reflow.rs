//! Hard wrap: rewraps paragraphs at a column, preserving indentation, comment signs and the hanging indent of
//! list items. Must not know which column.

use crate::base::width::text_width;
use crate::text::changes::ChangeSet;
use crate::text::operations::comment_tokens::CommentTokens;
use crate::text::operations::lines::blocks;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Maximum lines of a paragraph around a cursor, in each direction.
const LINES_MAX: usize = 2_000;

/// A paragraph: its lines, their prefixes, and its words.
struct Paragraph {
    first: Line,
    last: Line,
    /// The prefix of the first line: indentation, comment sign, bullet of a list item.
    lead: String,
    /// The prefix of further lines.
    next: String,
    /// Each word and its offset in the old text.
    words: Vec<(Byte, String)>,
}

/// Rewraps the paragraphs of every selection, or the paragraph around every cursor. Cursors stay at their
/// word.
pub fn reflow(
    text: &Text,
    selection: &Selection,
    width: usize,
    tab_width: usize,
    signs: Option<CommentTokens>,
) -> Transaction {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    for (first, last) in blocks(text, selection) {
        let (first, last) = if first == last { paragraph_around(text, first, signs) } else { (first, last) };
        let done = paragraphs.last().map_or(0, |p| p.last.0 + 1);
        paragraphs.extend(split_paragraphs(text, first.0.max(done)..last.0 + 1, signs));
    }
    let ending =
        if text.line(Line(0)).len() < text.line_start(Line(1)).0.saturating_sub(1) { "\r\n" } else { "\n" };
    let mut edits = Vec::new();
    // The new offset of each word.
    let mut moved: Vec<(Byte, usize, Byte)> = Vec::new();
    let mut shift = 0isize;
    for paragraph in &paragraphs {
        let span = text.line_start(paragraph.first)..text.line_end(paragraph.last);
        let start = Byte(span.start.0.saturating_add_signed(shift));
        let (new, offsets) = fill(paragraph, width, tab_width, ending);
        moved.extend(
            paragraph.words.iter().zip(offsets).map(|((old, word), at)| (*old, word.len(), start + at)),
        );
        shift += new.len() as isize - (span.end - span.start) as isize;
        if text.slice(span.clone()) != new {
            edits.push((span, new));
        }
    }
    let changes = ChangeSet::replace(text.end().0, edits);
    let map_position = |at: Byte| {
        let line = text.line_of(at);
        if !paragraphs.iter().any(|p| p.first <= line && line <= p.last) {
            return changes.map(at, crate::text::changes::Side::After);
        }
        let n = moved.partition_point(|(old, ..)| *old <= at).saturating_sub(1);
        moved.get(n).map_or(at, |(old, len, new)| *new + (at - *old).min(*len))
    };
    let after = selection.transform(|range| Range::new(map_position(range.anchor), map_position(range.head)));
    Transaction::new(changes).select(after)
}

/// Returns the length of a line's prefix before its first word: indentation and comment sign.
fn leader(line: &str, signs: Option<CommentTokens>) -> usize {
    let indent = line.len() - line.trim_start().len();
    let rest = &line[indent..];
    let sign = signs.and_then(|signs| signs.line).filter(|sign| rest.starts_with(sign));
    // `///`, `//!` and `##` are comment signs, too; so is the star of a long block comment.
    let sign = match sign {
        Some(sign) => {
            let last = sign.chars().next_back().unwrap_or('/');
            let more = rest[sign.len()..].chars().take_while(|c| *c == last || *c == '!').map(char::len_utf8);
            sign.len() + more.sum::<usize>()
        }
        None if rest.starts_with('>') => rest.len() - rest.trim_start_matches(['>', ' ']).len(),
        None if rest.starts_with("* ") && signs.is_some_and(|s| s.block.is_some_and(|b| b.0 == "/*")) => 1,
        None => 0,
    };
    let rest = &rest[sign..];
    indent + sign + (rest.len() - rest.trim_start().len())
}

/// Returns the length of a list item's bullet or number, including its space.
fn bullet(rest: &str) -> usize {
    if ["- ", "* ", "+ "].iter().any(|bullet| rest.starts_with(bullet)) {
        return 2;
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = (1..=3).contains(&digits) && [". ", ") "].iter().any(|s| rest[digits..].starts_with(s));
    if numbered { digits + 2 } else { 0 }
}

/// The paragraph around a line.
fn paragraph_around(text: &Text, line: Line, signs: Option<CommentTokens>) -> (Line, Line) {
    let of = |n: usize| {
        let line = text.line(Line(n));
        let lead = leader(&line, signs);
        (line[..lead].trim_end().to_string(), bullet(&line[lead..]) > 0, line.len() == lead)
    };
    let (lead, mut begins, empty) = of(line.0);
    if empty {
        return (line, line);
    }
    let (mut first, mut last) = (line.0, line.0);
    while !begins && first > 0 && line.0 - first < LINES_MAX {
        let (above, starts, empty) = of(first - 1);
        if empty || comment_token_of(&above) != comment_token_of(&lead) {
            break;
        }
        first -= 1;
        begins = starts;
    }
    while last < text.last_line().0 && last - line.0 < LINES_MAX {
        let (below, starts, empty) = of(last + 1);
        if empty || starts || comment_token_of(&below) != comment_token_of(&lead) {
            break;
        }
        last += 1;
    }
    (Line(first), Line(last))
}

/// Returns the comment sign of a prefix, without indentation.
fn comment_token_of(leader: &str) -> &str {
    leader.trim()
}

/// The paragraphs of a run of lines.
fn split_paragraphs(
    text: &Text,
    lines: std::ops::Range<usize>,
    signs: Option<CommentTokens>,
) -> Vec<Paragraph> {
    let mut out: Vec<Paragraph> = Vec::new();
    let mut open = false;
    for n in lines {
        let line = text.line(Line(n));
        let lead = leader(&line, signs);
        if lead == line.len() {
            open = false;
            continue;
        }
        let item = bullet(&line[lead..]);
        let same = |p: &Paragraph| {
            comment_token_of(&p.lead[..leader(&p.lead, signs)]) == comment_token_of(&line[..lead])
        };
        if !open || item > 0 || !out.last().is_some_and(same) {
            let next = format!("{}{}", &line[..lead], " ".repeat(item));
            let lead = line[..lead + item].to_string();
            out.push(Paragraph { first: Line(n), last: Line(n), lead, next, words: Vec::new() });
            open = true;
        }
        let Some(paragraph) = out.last_mut() else { continue };
        paragraph.last = Line(n);
        let start = text.line_start(Line(n));
        let words = line[lead + item..].split_whitespace();
        paragraph.words.extend(words.map(|word| {
            let at = word.as_ptr() as usize - line.as_ptr() as usize;
            (start + at, word.to_string())
        }));
    }
    out
}

/// Returns the rewrapped paragraph, and the offset of each word in it.
fn fill(paragraph: &Paragraph, width: usize, tab_width: usize, ending: &str) -> (String, Vec<usize>) {
    let columns = |text: &str| {
        text.chars().map(|c| if c == '\t' { tab_width } else { 0 }).sum::<usize>()
            + text_width(&text.replace('\t', ""))
    };
    let mut out = paragraph.lead.clone();
    let mut column = columns(&out);
    let mut offsets = Vec::with_capacity(paragraph.words.len());
    let mut begun = false;
    for (_, word) in &paragraph.words {
        let cells = text_width(word);
        if begun && column + 1 + cells > width {
            out.push_str(ending);
            out.push_str(&paragraph.next);
            column = columns(&paragraph.next);
        } else if begun {
            out.push(' ');
            column += 1;
        }
        offsets.push(out.len());
        out.push_str(word);
        column += cells;
        begun = true;
    }
    (out, offsets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked;
    use crate::text::operations::comment_tokens;
    use proptest::prelude::*;

    fn check(name: &str, width: usize, before: &str, after: &str) {
        let (mut text, selection) = marked::parse(before);
        let edit = reflow(&text, &selection, width, 4, comment_tokens::for_file(name));
        edit.changes.apply(&mut text);
        assert_eq!(marked::show(&text, &edit.selection.unwrap()), after, "from {before:?}");
    }

    #[test]
    fn reflow_breaks_paragraphs_at_column() {
        check("a.txt", 10, "one two three f|our\nfive\n\nsix", "one two\nthree f|our\nfive\n\nsix");
        check("a.txt", 8, "日本 日本 日|本", "日本\n日本\n日|本");
        check("a.txt", 5, "muchtoolong a|", "muchtoolong\na|");
        check("a.txt", 20, "«a\nb\n\nc\nd»", "«a b\n\nc d»");
        check("a.txt", 20, "a|\r\nb\r\n", "a| b\r\n");
        check("a.txt", 6, "a b c |d\n\ne f g h|", "a b c\n|d\n\ne f g\nh|");
        check("a.txt", 20, "|", "|");
    }

    #[test]
    fn reflow_keeps_comment_signs_and_lists() {
        check("a.rs", 12, "  /// one two t|hree\n  code();", "  /// one\n  /// two\n  /// t|hree\n  code();");
        check("a.rs", 20, "// a|\n// b\n//\n// c", "// a| b\n//\n// c");
        check("a.py", 9, "# größer |alsdies\nx", "# größer\n# |alsdies\nx");
        check("a.md", 10, "- one two th|ree\n- b", "- one two\n  th|ree\n- b");
        check("a.md", 10, "> a b c d e| f", "> a b c d\n> e| f");
        check("a.txt", 8, "12. a b c| d", "12. a b\n    c| d");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(64))]
        #[test]
        fn reflow_keeps_words_and_respects_width(words in prop::collection::vec("[a-zé日]{1,6}", 1..40), width in 12usize..30) {
            let plain = words.join(" ");
            let mut text = Text::from(plain.as_str());
            let edit = reflow(&text, &Selection::cursor(Byte(0)), width, 4, None);
            edit.changes.apply(&mut text);
            let out = text.to_string();
            prop_assert_eq!(out.split_whitespace().collect::<Vec<_>>(), words.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert!(out.lines().all(|line| text_width(line) <= width));
            // Done twice it changes nothing.
            prop_assert!(reflow(&text, &Selection::cursor(Byte(0)), width, 4, None).changes.is_identity());
        }
    }
}
