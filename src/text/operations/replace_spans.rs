//! Replaces a piece of text at every range of a selection, and maps the ranges. Must not know the new text.

use std::ops::Range as ByteRange;

use crate::text::changes::ChangeSet;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// A replaced span, and its new position.
struct ReplacedSpan {
    old: ByteRange<Byte>,
    new: ByteRange<Byte>,
}

/// Replaces a span at every range: `span` selects it, `new` returns the replacement. `None` from either skips
/// the range. Selected text stays selected around the new text; cursors keep their offset in it as far as
/// possible. Of overlapping spans the first one is replaced.
pub fn replace(
    text: &Text,
    selection: &Selection,
    span: impl Fn(Range) -> Option<ByteRange<Byte>>,
    mut new: impl FnMut(&str) -> Option<String>,
) -> Transaction {
    let mut edits = Vec::new();
    let mut done: Vec<ReplacedSpan> = Vec::new();
    let mut shift = 0isize;
    for range in selection.ranges() {
        let Some(old) = span(*range) else { continue };
        if done.last().is_some_and(|last| old.start < last.old.end || old == last.old) {
            continue;
        }
        let Some(content) = new(&text.slice(old.clone())) else { continue };
        let start = Byte(old.start.0.saturating_add_signed(shift));
        shift += content.len() as isize - (old.end - old.start) as isize;
        done.push(ReplacedSpan { old: old.clone(), new: start..start + content.len() });
        // An equal replacement is not a change.
        if *text.slice(old.clone()) != *content {
            edits.push((old, content));
        }
    }
    let changes = ChangeSet::replace(text.end().0, edits);
    let mut result = text.clone();
    changes.apply(&mut result);
    let map_position = |at: Byte| {
        let n = done.partition_point(|d| d.old.start <= at);
        let Some(last) = n.checked_sub(1).map(|n| &done[n]) else { return at };
        if at >= last.old.end {
            return last.new.end + (at - last.old.end);
        }
        result.grapheme_floor(last.new.end.min(last.new.start + (at - last.old.start)))
    };
    let after = selection.transform(|range| {
        let own = done.iter().find(|d| !range.is_empty() && d.old == range.span());
        match own {
            Some(own) if range.head < range.anchor => Range::new(own.new.end, own.new.start),
            Some(own) => Range::new(own.new.start, own.new.end),
            None => Range::new(map_position(range.anchor), map_position(range.head)),
        }
    });
    Transaction::new(changes).select(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked;

    fn check(new: &str, before: &str, after: &str) {
        let (mut text, selection) = marked::parse(before);
        let span = |range: Range| (!range.is_empty()).then(|| range.span());
        let edit = replace(&text, &selection, span, |_| Some(new.to_string()));
        edit.changes.apply(&mut text);
        assert_eq!(marked::show(&text, &edit.selection.unwrap()), after, "from {before:?}");
    }

    #[test]
    fn spans_cover_replacements() {
        check("xy", "«a»b»é«c|", "«xy»b»xy«c|");
        check("", "«a»b|", "|b|");
        check("ö", "«a»«a»", "«ö»«ö»");
    }
}
