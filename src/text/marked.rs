//! Test notation for a text with cursors and selections.
//!
//! `|` is a cursor, `«abc»` a selection whose head is at its end, `»abc«` one whose head is at its start. The
//! first one is the primary. Texts with these characters cannot be written.

use super::position::Byte;
use super::rope::Text;
use super::selection::{Range, Selection};

/// Parses the notation. A text without a mark has a cursor at its start.
pub fn parse(marked: &str) -> (Text, Selection) {
    let mut plain = String::new();
    let mut ranges = Vec::new();
    let mut open: Option<(Byte, bool)> = None;
    for c in marked.chars() {
        let at = Byte(plain.len());
        match (c, open) {
            ('|', _) => ranges.push(Range::cursor(at)),
            ('«' | '»', None) => open = Some((at, c == '«')),
            ('«' | '»', Some((start, forward))) => {
                ranges.push(if forward { Range::new(start, at) } else { Range::new(at, start) });
                open = None;
            }
            _ => plain.push(c),
        }
    }
    if ranges.is_empty() {
        ranges.push(Range::cursor(Byte(0)));
    }
    (Text::from(plain.as_str()), Selection::new(ranges, 0))
}

/// Writes the notation.
pub fn show(text: &Text, selection: &Selection) -> String {
    let mut out = text.to_string();
    for range in selection.ranges().iter().rev() {
        if range.is_empty() {
            out.insert(range.head.0, '|');
        } else {
            let (first, last) = if range.anchor < range.head { ('«', '»') } else { ('»', '«') };
            out.insert(range.end().0, last);
            out.insert(range.start().0, first);
        }
    }
    out
}

/// Asserts the result of an edit, and that the edit sets the selection itself.
#[cfg(test)]
#[track_caller]
pub(crate) fn check(
    edit: impl Fn(&Text, &Selection) -> super::transaction::Transaction,
    before: &str,
    after: &str,
) {
    let (mut text, selection) = parse(before);
    let edit = edit(&text, &selection);
    edit.changes.apply(&mut text);
    assert_eq!(show(&text, &edit.selection.unwrap()), after, "from {before:?}");
}
