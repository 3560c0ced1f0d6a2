//! Long texts that were pasted into a prompt: each stands as one short label until it is unfolded. The text itself is
//! not changed. Must not know how it is drawn.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::base::plural::pluralize;
use crate::ide::model::image_labels::is_label;
use crate::text::changes::{ChangeSet, Side};
use crate::text::position::Byte;
use crate::text::rope::Text;

/// A text with more lines is folded.
const LINES_MAX: usize = 10;
/// A text with more bytes is folded.
const BYTES_MAX: usize = 2 << 10;
/// Maximum number of texts that are folded again when they come back.
const KNOWN_MAX: usize = 16;
/// Maximum bytes of these.
const KNOWN_BYTES: usize = 16 << 20;

/// The folded texts of a prompt.
#[derive(Debug, Default)]
pub struct Pastes {
    /// Where they are, sorted.
    folded: Vec<Range<Byte>>,
    /// What was folded, the newest last. When it comes back by undo, paste or from the history, it is folded again.
    known: VecDeque<Arc<str>>,
    /// Number of changes of the above that are no changes of the text.
    revision: u64,
}

impl Pastes {
    /// The folded ranges, sorted.
    pub fn folded(&self) -> &[Range<Byte>] {
        &self.folded
    }

    /// Returns a number that changes with every fold that comes or goes without a change of the text.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns nothing folded; what was folded here is still known.
    #[must_use]
    pub fn emptied(&mut self) -> Self {
        Self { folded: Vec::new(), known: std::mem::take(&mut self.known), revision: self.revision + 1 }
    }

    /// Folds a part of a text if it is long.
    pub fn fold(&mut self, text: &Text, range: Range<Byte>) {
        let is_free = self.folded.iter().all(|fold| fold.end <= range.start || range.end <= fold.start);
        if !is_free || !is_foldable(text, &range) {
            return;
        }
        self.revision += 1;
        let content: Arc<str> = text.slice(range.clone()).into();
        self.known.retain(|known| *known != content);
        self.known.push_back(content);
        let bytes = |known: &VecDeque<Arc<str>>| known.iter().map(|text| text.len()).sum::<usize>();
        while self.known.len() > KNOWN_MAX || bytes(&self.known) > KNOWN_BYTES {
            self.known.pop_front();
        }
        self.folded.push(range);
        self.folded.sort_by_key(|fold| fold.start);
    }

    /// Unfolds the text at a position, else the nearest one before it, else the first; returns whether there was
    /// one.
    pub fn unfold(&mut self, text: &Text, at: Byte) -> bool {
        let touching = self.folded.iter().position(|fold| fold.start <= at && at <= fold.end);
        let before = || self.folded.iter().rposition(|fold| fold.end <= at);
        let Some(found) = touching.or_else(before).or_else(|| (!self.folded.is_empty()).then_some(0)) else {
            return false;
        };
        let content = text.slice(self.folded.remove(found));
        self.known.retain(|known| **known != *content);
        self.revision += 1;
        true
    }

    /// Returns the folded text that a position is inside of.
    pub fn around(&self, at: Byte) -> Option<&Range<Byte>> {
        self.folded.iter().find(|fold| fold.start < at && at < fold.end)
    }

    /// Returns the range, extended such that it has each folded text as a whole or not at all.
    pub fn widen(&self, range: Range<Byte>) -> Range<Byte> {
        let touched = self.folded.iter().filter(|fold| fold.start < range.end && range.start < fold.end);
        touched.fold(range.clone(), |wide, fold| wide.start.min(fold.start)..wide.end.max(fold.end))
    }

    /// Maps the ranges through a change. A change inside of one unfolds it.
    pub fn map(&mut self, changes: &ChangeSet) {
        if self.folded.is_empty() && self.known.is_empty() {
            return;
        }
        let is_inside = |fold: &Range<Byte>| {
            let mut edits = changes.edits_from(fold.start).take_while(|edit| edit.old.start < fold.end);
            edits.any(|edit| edit.old.end > fold.start)
        };
        let kept = std::mem::take(&mut self.folded).into_iter().filter(|fold| !is_inside(fold));
        let map =
            |fold: Range<Byte>| changes.map(fold.start, Side::After)..changes.map(fold.end, Side::Before);
        self.folded = kept.map(map).filter(|fold| fold.start < fold.end).collect();
        let shortest = self.known.iter().map(|known| known.len()).min().unwrap_or(usize::MAX);
        for edit in changes.edits().filter(|edit| edit.text.len() >= shortest) {
            let again = self.known_in(edit.text);
            let moved = again.into_iter().map(|(start, end)| edit.new.start + start..edit.new.start + end);
            self.folded.extend(moved);
        }
        self.folded.sort_by_key(|fold| fold.start);
    }

    /// Returns where the known texts are in an inserted one.
    fn known_in(&self, text: &str) -> Vec<(usize, usize)> {
        let (mut found, mut from) = (Vec::new(), 0);
        let next = |from: usize| {
            let starts = self.known.iter().filter_map(|known| {
                let start = memchr::memmem::find(&text.as_bytes()[from..], known.as_bytes())?;
                Some((from + start, from + start + known.len()))
            });
            // Of those that begin together the longest.
            starts.min_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)))
        };
        while let Some((start, end)) = next(from) {
            found.push((start, end));
            from = end;
        }
        found
    }

    /// Returns the start of the line on screen that a position is in: a folded text breaks no line.
    pub fn line_start(&self, text: &Text, at: Byte) -> Byte {
        let start = text.line_start(text.line_of(at));
        // The folds before are looked at from the last one on.
        self.folded.iter().rev().fold(start, |start, fold| {
            let crosses = fold.start < start && start <= fold.end;
            if crosses { text.line_start(text.line_of(fold.start)) } else { start }
        })
    }

    /// Returns the end of the line on screen that a position is in.
    pub fn line_end(&self, text: &Text, at: Byte) -> Byte {
        let end = text.line_end(text.line_of(at));
        self.folded.iter().fold(end, |end, fold| {
            let crosses = fold.start <= end && end < fold.end;
            if crosses { text.line_end(text.line_of(fold.end)) } else { end }
        })
    }
}

/// Returns whether a part of a text is folded: a long one, or the label of an image, which then is one unit.
fn is_foldable(text: &Text, range: &Range<Byte>) -> bool {
    is_long(text, range) || is_label(&text.slice(range.clone()))
}

/// Returns whether a part of a text is long enough to be folded.
fn is_long(text: &Text, range: &Range<Byte>) -> bool {
    line_count(text, range) > LINES_MAX || range.end - range.start > BYTES_MAX
}

/// Number of lines; the end of the last line begins none.
fn line_count(text: &Text, range: &Range<Byte>) -> usize {
    let last = if range.end > range.start { range.end.back(1) } else { range.end };
    text.line_of(last).0 - text.line_of(range.start).0 + 1
}

/// Returns what stands for a folded part of a text.
pub fn label(text: &Text, range: &Range<Byte>) -> String {
    if !is_long(text, range) {
        return text.slice(range.clone()).to_string();
    }
    match line_count(text, range) {
        lines @ 0..=LINES_MAX => {
            let kilobytes = (range.end - range.start).div_ceil(1 << 10);
            format!("[{}, {kilobytes} kB]", pluralize(lines, "line", "lines"))
        }
        lines => format!("[{lines} lines]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> String {
        (0..count).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn paste_label_says_lines_or_size() {
        let long = "x".repeat(3_000);
        for (text, expected) in [
            (lines(500), "[500 lines]"),
            (lines(11).trim_end().to_string(), "[11 lines]"),
            (long.clone(), "[1 line, 3 kB]"),
            (format!("{long}\nb"), "[2 lines, 3 kB]"),
        ] {
            let text = Text::from(&*text);
            let mut pastes = Pastes::default();
            pastes.fold(&text, Byte(0)..text.end());
            assert_eq!(label(&text, &pastes.folded()[0]), expected);
        }
        let mut pastes = Pastes::default();
        for short in [lines(10), "x".repeat(2_048), String::new()] {
            let text = Text::from(&*short);
            pastes.fold(&text, Byte(0)..text.end());
        }
        assert!(pastes.folded().is_empty());
    }

    #[test]
    fn paste_lines_on_screen_go_around_folds() {
        let paste = lines(20);
        let plain = format!("first\nbefore {paste}{paste}after\nlast");
        let text = Text::from(&*plain);
        let (start, length) = ("first\nbefore ".len(), paste.len());
        let mut pastes = Pastes::default();
        pastes.fold(&text, Byte(start)..Byte(start + length));
        pastes.fold(&text, Byte(start + length)..Byte(start + 2 * length));
        let (from, to) = (Byte("first\n".len()), Byte(plain.len() - "\nlast".len()));
        for at in [from, Byte(start), Byte(start + length), Byte(start + 2 * length), to] {
            assert_eq!((pastes.line_start(&text, at), pastes.line_end(&text, at)), (from, to), "{at:?}");
        }
        assert_eq!((pastes.line_start(&text, Byte(2)), pastes.line_end(&text, Byte(2))), (Byte(0), Byte(5)));
        assert_eq!(pastes.line_start(&text, text.end()), to + 1);
        assert_eq!(pastes.widen(Byte(start + 3)..Byte(start + 4)), Byte(start)..Byte(start + length));
        assert_eq!(pastes.widen(Byte(start)..Byte(start)), Byte(start)..Byte(start));
    }

    #[test]
    fn paste_that_comes_back_is_folded_unless_it_was_unfolded() {
        let paste = lines(20);
        let text = Text::from(&*paste);
        let mut pastes = Pastes::default();
        pastes.fold(&text, Byte(0)..text.end());
        pastes.map(&ChangeSet::replace(paste.len(), [(Byte(0)..Byte(paste.len()), String::new())]));
        assert!(pastes.folded().is_empty());
        let twice = format!("é {paste}and {paste}");
        pastes.map(&ChangeSet::replace(0, [(Byte(0)..Byte(0), twice.clone())]));
        let (first, second) = (Byte("é ".len()), Byte("é and ".len() + paste.len()));
        assert_eq!(pastes.folded(), [first..first + paste.len(), second..second + paste.len()]);
        assert!(pastes.unfold(&Text::from(&*twice), Byte(0)));
        assert_eq!(pastes.folded().len(), 1);
        pastes.map(&ChangeSet::replace(twice.len(), [(Byte(0)..Byte(twice.len()), twice)]));
        assert!(pastes.folded().is_empty(), "its text is not known any more");
    }
}
