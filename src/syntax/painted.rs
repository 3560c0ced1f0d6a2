//! Scopes that were found for a part of a text, carried along while the text is edited, so that
//! the screen has colours until new ones are found. Must not know trees.

use std::ops::Range;

use crate::text::changes::{ChangeSet, Edit};
use crate::text::position::Byte;

/// A piece of text with a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Where it is.
    pub range: Range<Byte>,
    /// Its scope.
    pub scope: &'static str,
}

/// The scopes of a part of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Painted {
    range: Range<Byte>,
    spans: Vec<Span>,
}

impl Painted {
    /// These spans, sorted and apart, are all that there are in a range.
    pub fn new(range: Range<Byte>, spans: Vec<Span>) -> Self {
        Self { range, spans }
    }

    /// What was looked at.
    pub fn range(&self) -> Range<Byte> {
        self.range.clone()
    }

    /// All of it.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Whether all of a range was looked at.
    pub fn covers(&self, range: &Range<Byte>) -> bool {
        self.range.start <= range.start && range.end <= self.range.end
    }

    /// The spans that touch a range.
    pub fn within(&self, range: &Range<Byte>) -> &[Span] {
        let from = self.spans.partition_point(|span| span.range.end <= range.start);
        let to = self.spans.partition_point(|span| span.range.start < range.end);
        &self.spans[from.min(to)..to]
    }

    /// Carries everything along with a change of the text. A word that is typed on keeps its
    /// scope, and so does what surrounds a change.
    pub fn map(&mut self, changes: &ChangeSet) {
        let edits: Vec<_> = changes.edits().collect();
        // From the end, so that each edit's place is still that of the old text.
        for edit in edits.iter().rev() {
            let move_on = |at: Byte| Byte(at.0 - (edit.old.end - edit.old.start) + edit.text.len());
            let word = edit.text.chars().all(|c| c.is_alphanumeric() || c == '_');
            let from = self.spans.partition_point(|span| span.range.end < edit.old.start);
            let behind = self.spans.partition_point(|span| span.range.start <= edit.old.end).max(from);
            for span in &mut self.spans[behind..] {
                span.range = move_on(span.range.start)..move_on(span.range.end);
            }
            for span in &mut self.spans[from..behind] {
                span.range = map_start(span.range.start, edit)..map_end(span.range.end, edit, word);
            }
            if self.spans[from..behind].iter().any(|span| span.range.is_empty()) {
                self.spans.retain(|span| !span.range.is_empty());
            }
            let Range { start, end } = self.range;
            let start = if start > edit.old.end { move_on(start) } else { start.min(edit.old.start) };
            self.range = start..if end >= edit.old.end { move_on(end) } else { end.min(edit.old.start) };
        }
    }
}

fn map_start(at: Byte, edit: &Edit<'_>) -> Byte {
    let Range { start, end } = edit.old;
    if at >= end {
        Byte(at.0 - (end - start) + edit.text.len())
    } else if at > start {
        start + edit.text.len()
    } else {
        at
    }
}

fn map_end(at: Byte, edit: &Edit<'_>, word: bool) -> Byte {
    let Range { start, end } = edit.old;
    if at > end {
        Byte(at.0 - (end - start) + edit.text.len())
    } else if at == end && word {
        start + edit.text.len()
    } else {
        at.min(start)
    }
}

#[cfg(test)]
mod tests;
