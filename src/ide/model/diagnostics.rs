//! Diagnostics of an open text: what language servers found in it, moved along with edits. Must not know servers.

use std::ops::Range;

use crate::base::plural::pluralize;
use crate::lsp::answers::diagnostics::{Diagnostic, Severity};
use crate::text::changes::{ChangeSet, Side};
use crate::text::position::Byte;
use crate::text::rope::Text;

/// One of them in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// What it is about, in the text as it is now.
    pub range: Range<Byte>,
    /// What it says.
    pub diagnostic: Diagnostic,
}

/// How many there are of each severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Remarks and hints.
    pub others: usize,
}

impl Counts {
    /// Counts severities.
    pub fn of(severities: impl Iterator<Item = Severity>) -> Self {
        let mut counts = Self::default();
        for severity in severities {
            match severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Information | Severity::Hint => counts.others += 1,
            }
        }
        counts
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn with(self, more: Self) -> Self {
        Self {
            errors: self.errors + more.errors,
            warnings: self.warnings + more.warnings,
            others: self.others + more.others,
        }
    }

    /// Returns these without those that are a part of them.
    #[must_use]
    pub fn without(self, part: Self) -> Self {
        Self {
            errors: self.errors.saturating_sub(part.errors),
            warnings: self.warnings.saturating_sub(part.warnings),
            others: self.others.saturating_sub(part.others),
        }
    }

    /// Whether there is an error or a warning.
    pub fn has_problems(self) -> bool {
        self.errors + self.warnings > 0
    }

    /// Returns errors and warnings in words, as far as there are any: `2 errors, 1 warning`.
    pub fn words(self) -> Vec<String> {
        let parts = [(self.errors, "error", "errors"), (self.warnings, "warning", "warnings")];
        let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
        parts.map(|(count, one, several)| pluralize(count, one, several)).collect()
    }
}

/// Where diagnostics come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Source {
    /// Number of the server.
    pub server: u32,
    /// Whether it was asked for them, or has sent them by itself.
    pub is_pulled: bool,
}

/// All of them, by position.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    /// Each with the number of the server that found it.
    marks: Vec<(Source, Mark)>,
    /// Length of the longest: a search for what touches a position starts that far before it.
    longest: usize,
    /// How many there are: each frame shows it, and a move changes nothing in it.
    counts: Counts,
}

impl Diagnostics {
    /// Replaces what a server found.
    pub fn set(&mut self, source: Source, found: impl IntoIterator<Item = Mark>) {
        self.marks.retain(|(by, _)| *by != source);
        self.marks.extend(found.into_iter().map(|mark| (source, mark)));
        self.marks.sort_by_key(|(_, mark)| (mark.range.start, std::cmp::Reverse(mark.diagnostic.severity)));
        self.counts = Counts::of(self.all().map(|mark| mark.diagnostic.severity));
        self.measure();
    }

    fn measure(&mut self) {
        self.longest =
            self.marks.iter().map(|(_, mark)| mark.range.end - mark.range.start).max().unwrap_or(0);
    }

    /// Moves them along with an edit. One whose text was deleted as a whole stays, empty, until the server says more.
    pub fn map(&mut self, changes: &ChangeSet) {
        if self.marks.is_empty() {
            return;
        }
        for (_, mark) in &mut self.marks {
            let start = changes.map(mark.range.start, Side::After);
            let end = changes.map(mark.range.end, Side::Before);
            mark.range = start..end.max(start);
        }
        self.measure();
    }

    /// Returns all, by position.
    pub fn all(&self) -> impl Iterator<Item = &Mark> {
        self.marks.iter().map(|(_, mark)| mark)
    }

    /// Returns them with the numbers of their servers.
    pub fn by_server(&self) -> impl Iterator<Item = (u32, &Mark)> {
        self.marks.iter().map(|(source, mark)| (source.server, mark))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Returns those that touch a range, by position.
    pub fn touching(&self, range: Range<Byte>) -> impl Iterator<Item = &Mark> {
        let first = self.marks.partition_point(|(_, mark)| mark.range.start + self.longest < range.start);
        let found = self.marks[first..].iter().map(|(_, mark)| mark);
        found
            .take_while(move |mark| mark.range.start <= range.end)
            .filter(move |mark| mark.range.end >= range.start)
    }

    /// Returns those of a server that touch a range, by position.
    pub fn of_server(&self, server: u32, range: Range<Byte>) -> impl Iterator<Item = &Mark> {
        let own = self.marks.iter().filter(move |(by, _)| by.server == server).map(|(_, mark)| mark);
        own.filter(move |mark| mark.range.start <= range.end && mark.range.end >= range.start)
    }

    /// Returns the worst one that starts in a line.
    pub fn of_line(&self, line: Range<Byte>) -> Option<&Mark> {
        let first = self.marks.partition_point(|(_, mark)| mark.range.start < line.start);
        let found = self.marks[first..].iter().map(|(_, mark)| mark);
        // The first of the worst ones: `max_by_key` would return the last.
        found.take_while(|mark| mark.range.start <= line.end).reduce(|worst, mark| {
            if mark.diagnostic.severity > worst.diagnostic.severity { mark } else { worst }
        })
    }

    /// Returns the next one behind a position, or the first one of the text.
    pub fn next(&self, at: Byte) -> Option<&Mark> {
        self.all().find(|mark| mark.range.start > at).or_else(|| self.all().next())
    }

    /// Returns the last one before a position, or the last one of the text.
    pub fn previous(&self, at: Byte) -> Option<&Mark> {
        let before = self.marks.partition_point(|(_, mark)| mark.range.start < at);
        let before = before.checked_sub(1).and_then(|n| self.marks.get(n));
        before.or_else(|| self.marks.last()).map(|(_, mark)| mark)
    }

    /// Returns how many there are.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

/// Returns what a diagnostic is about in a text as a range that can be seen: an empty one is its character, or at the end
/// of a line the one before.
pub fn visible_range(range: &Range<Byte>, text: &Text) -> Range<Byte> {
    let (start, end) = (range.start.min(text.end()), range.end.min(text.end()));
    if start < end {
        return start..end;
    }
    let line = text.line_of(start);
    let (from, to) = text.line_bounds(line);
    if start < to {
        start..text.next_grapheme(start)
    } else if from < start {
        text.prev_grapheme(start)..start
    } else {
        start..start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::position;

    fn mark(range: Range<usize>, severity: Severity, message: &str) -> Mark {
        let diagnostic = Diagnostic {
            range: position::Range::default(),
            severity,
            message: message.to_string(),
            source: None,
            code: None,
            is_unnecessary: false,
            is_deprecated: false,
            sent: "{}".into(),
        };
        Mark { range: Byte(range.start)..Byte(range.end), diagnostic }
    }

    fn messages<'a>(marks: impl Iterator<Item = &'a Mark>) -> Vec<&'a str> {
        marks.map(|mark| mark.diagnostic.message.as_str()).collect()
    }

    fn found() -> Diagnostics {
        let mut found = Diagnostics::default();
        found.set(pushed(1), [mark(4..6, Severity::Warning, "b"), mark(0..20, Severity::Hint, "a")]);
        found.set(pushed(2), [mark(4..4, Severity::Error, "c")]);
        found
    }

    fn pushed(server: u32) -> Source {
        Source { server, is_pulled: false }
    }

    #[test]
    fn diagnostics_of_a_server_replace_only_its_own() {
        let mut found = found();
        assert_eq!(messages(found.all()), ["a", "c", "b"], "by position, the worst first");
        assert_eq!(found.counts(), Counts { errors: 1, warnings: 1, others: 1 });
        found.set(pushed(1), []);
        assert_eq!(messages(found.all()), ["c"]);
        assert_eq!(found.counts(), Counts { errors: 1, ..Counts::default() });
        found.set(Source { is_pulled: true, ..pushed(2) }, [mark(0..1, Severity::Error, "d")]);
        found.map(&ChangeSet::replace(30, [(Byte(0)..Byte(30), String::new())]));
        assert_eq!(found.counts(), Counts { errors: 2, ..Counts::default() }, "also without their text");
    }

    #[test]
    fn diagnostics_touching_a_range_are_found_also_if_they_start_far_before() {
        let found = found();
        assert_eq!(messages(found.touching(Byte(18)..Byte(19))), ["a"]);
        assert_eq!(messages(found.touching(Byte(4)..Byte(4))), ["a", "c", "b"]);
        assert_eq!(messages(found.touching(Byte(21)..Byte(22))), [""; 0]);
        assert_eq!(messages(found.of_server(1, Byte(4)..Byte(4))), ["a", "b"]);
        let worst = found.of_line(Byte(3)..Byte(9)).unwrap();
        assert_eq!(worst.diagnostic.message, "c");
        assert!(found.of_line(Byte(7)..Byte(9)).is_none());
    }

    #[test]
    fn diagnostics_move_along_with_edits() {
        let mut found = found();
        found.map(&ChangeSet::replace(30, [(Byte(0)..Byte(0), "xx".to_string())]));
        let ranges: Vec<_> = found.all().map(|mark| mark.range.start.0..mark.range.end.0).collect();
        assert_eq!(ranges, [2..22, 6..6, 6..8]);
        found.map(&ChangeSet::replace(32, [(Byte(3)..Byte(30), String::new())]));
        let ranges: Vec<_> = found.all().map(|mark| mark.range.start.0..mark.range.end.0).collect();
        assert_eq!(ranges, [2..3, 3..3, 3..3]);
    }

    #[test]
    fn diagnostics_next_and_previous_go_around() {
        let found = found();
        assert_eq!(found.next(Byte(0)).unwrap().diagnostic.message, "c");
        assert_eq!(found.next(Byte(4)).unwrap().diagnostic.message, "a");
        assert_eq!(found.previous(Byte(4)).unwrap().diagnostic.message, "a");
        assert_eq!(found.previous(Byte(0)).unwrap().diagnostic.message, "b");
    }

    #[test]
    fn diagnostic_without_text_is_seen_at_a_character() {
        let text = Text::from("ab\n\n漢");
        let shown = |at: usize| {
            let range = visible_range(&(Byte(at)..Byte(at)), &text);
            range.start.0..range.end.0
        };
        assert_eq!(
            [shown(0), shown(2), shown(3), shown(4), shown(7), shown(99)],
            [0..1, 1..2, 3..3, 4..7, 4..7, 4..7]
        );
    }
}
