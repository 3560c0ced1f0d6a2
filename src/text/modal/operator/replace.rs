//! Replacement of single characters, by command and while typing. Must not know keys.

use crate::text::changes::{ChangeSet, Side};
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::movement::motion;
use crate::text::position::Byte;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Replaces `count` characters at every cursor by a character; `None` if a line has too few. A line feed
/// replaces all of them.
pub fn replace(page: ModalText<'_>, cursors: &[Byte], with: char, count: usize) -> Option<Transaction> {
    let mut edits: Vec<(std::ops::Range<Byte>, String)> = Vec::new();
    for at in cursors {
        let mut end = *at;
        for _ in 0..count {
            let next = page.right(end);
            if next == end {
                return None;
            }
            end = next;
        }
        let start = edits.last().map_or(*at, |(last, _)| last.end.max(*at));
        let new = if with == '\n' {
            // The new line is indented like this one; white space before its text is removed.
            let line = page.line(*at);
            let indent = page.text.slice(page.start(line)..motion::indent_end(page.text, line).min(*at));
            while page.char(end).is_some_and(|c| c == ' ' || c == '\t') {
                end = page.right(end);
            }
            // A line without text has no indentation.
            if page.at_end(end) { "\n".to_string() } else { format!("\n{indent}") }
        } else {
            with.to_string().repeat(count)
        };
        edits.push((start..end.max(start), new));
    }
    let changes = ChangeSet::replace(page.text.end().0, edits.iter().cloned());
    let after = |(span, new): &(std::ops::Range<Byte>, String)| {
        let end = changes.map(span.end, Side::After);
        // After a line break the cursor is on the indentation's last character.
        let back = if with == '\n' { usize::from(new.len() > 1) } else { with.len_utf8() };
        Range::cursor(Byte(end.0 - back))
    };
    let ranges = edits.iter().map(after).collect();
    let selection = Selection::new(ranges, 0);
    Some(Transaction::new(changes).select(selection))
}

/// Replaces the character at every cursor by a typed one; after the last one it is appended.
pub fn overtype(page: ModalText<'_>, selection: &Selection, typed: &str) -> Transaction {
    let edits = selection.ranges().iter().map(|range| {
        let at = range.head;
        let end = if typed == "\n" { at } else { page.right(at) };
        (at..end, typed.to_string())
    });
    let changes = ChangeSet::replace(page.text.end().0, edits);
    let after = selection.transform(|range| {
        let end = if typed == "\n" { range.head } else { page.right(range.head) };
        Range::cursor(changes.map(end, Side::After))
    });
    Transaction::new(changes).select(after)
}
