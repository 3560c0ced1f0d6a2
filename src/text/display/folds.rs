//! Closed folds: hidden ranges of a text. They are mapped through changes, and an edit inside one opens it.
//! Must not know why they were folded or how rows are drawn.

use std::ops::Range;

use crate::text::changes::{ChangeSet, Side};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// The closed folds of a text. Each hides the text from the end of its first line, which stays visible, to
/// the end of its last line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folds {
    /// All folds, by start, longer ones first; some are nested.
    closed: Vec<Range<Byte>>,
    /// The outermost folds.
    outer: Vec<Range<Byte>>,
}

/// Returns the range that a fold of these lines hides, if any. The last line stays visible if it is indented
/// no further than the first one, since it closes what the first one opens.
pub fn hidden_range(text: &Text, lines: &Range<Line>) -> Option<Range<Byte>> {
    let blanks = |line: Line| text.line(line).bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_blank = |line: Line| blanks(line) == text.line_end(line) - text.line_start(line);
    let closes = !is_blank(lines.end) && blanks(lines.end) <= blanks(lines.start);
    let last = Line(lines.end.0.saturating_sub(usize::from(closes)));
    (last > lines.start).then(|| text.line_end(lines.start)..text.line_end(last))
}

impl Folds {
    /// Whether there are no closed folds.
    pub fn is_empty(&self) -> bool {
        self.closed.is_empty()
    }

    /// Returns the number of closed folds, nested ones included.
    pub fn len(&self) -> usize {
        self.closed.len()
    }

    /// Closes folds, see [`hidden`]. Closed ones stay closed.
    pub fn close(&mut self, folds: impl IntoIterator<Item = Range<Byte>>) {
        self.closed.extend(folds.into_iter().filter(|fold| !fold.is_empty()));
        self.normalize();
    }

    /// Opens all folds.
    pub fn open_all(&mut self) {
        *self = Self::default();
    }

    /// Opens the folds that hide an offset; returns whether there were any.
    pub fn reveal(&mut self, at: Byte) -> bool {
        self.retain(|fold| !(fold.start < at && at <= fold.end))
    }

    /// Opens the fold whose first line ends at an offset, without nested ones; returns whether there was one.
    pub fn open_at(&mut self, end_of_line: Byte) -> bool {
        let outermost = self.closed.iter().find(|fold| fold.start == end_of_line).cloned();
        self.retain(|fold| Some(fold) != outermost.as_ref())
    }

    /// Opens every fold that hides a part of a range or starts in it.
    pub fn open_within(&mut self, range: &Range<Byte>) -> bool {
        self.retain(|fold| fold.start > range.end || fold.end < range.start)
    }

    fn retain(&mut self, stays: impl Fn(&Range<Byte>) -> bool) -> bool {
        let before = self.closed.len();
        self.closed.retain(stays);
        let differs = before != self.closed.len();
        if differs {
            self.normalize();
        }
        differs
    }

    fn normalize(&mut self) {
        self.closed.sort_by_key(|fold| (fold.start, std::cmp::Reverse(fold.end)));
        self.closed.dedup();
        self.outer.clear();
        for fold in &self.closed {
            match self.outer.last_mut() {
                // A fold that starts in the last line of another one is hidden with it.
                Some(last) if fold.start <= last.end => last.end = last.end.max(fold.end),
                _ => self.outer.push(fold.clone()),
            }
        }
    }

    /// Returns the fold that hides an offset. The end of a fold's first line is visible.
    pub fn fold_hiding(&self, at: Byte) -> Option<&Range<Byte>> {
        let after = self.outer.partition_point(|fold| fold.end < at);
        self.outer.get(after).filter(|fold| fold.start < at)
    }

    /// Returns the hidden range after the end of a line.
    pub fn fold_after(&self, end_of_line: Byte) -> Option<&Range<Byte>> {
        let after = self.outer.partition_point(|fold| fold.start < end_of_line);
        self.outer.get(after).filter(|fold| fold.start == end_of_line)
    }

    /// Returns the nearest visible offset, backward.
    pub fn nearest_visible(&self, at: Byte) -> Byte {
        self.fold_hiding(at).map_or(at, |fold| fold.start)
    }

    /// Returns the next visible line, if there is one.
    pub fn line_below(&self, text: &Text, line: Line) -> Option<Line> {
        if self.is_empty() {
            return (line < text.last_line()).then(|| Line(line.0 + 1));
        }
        let last = self.fold_after(text.line_end(line)).map_or(line, |fold| text.line_of(fold.end));
        (last < text.last_line()).then(|| Line(last.0 + 1))
    }

    /// Returns the previous visible line, if there is one.
    pub fn line_above(&self, text: &Text, line: Line) -> Option<Line> {
        let above = Line(line.0.checked_sub(1)?);
        if self.is_empty() {
            return Some(above);
        }
        Some(self.fold_hiding(text.line_end(above)).map_or(above, |fold| text.line_of(fold.start)))
    }

    /// Maps the folds through a change; those that it edits inside are opened.
    pub fn map(&mut self, changes: &ChangeSet) {
        if self.closed.is_empty() {
            return;
        }
        let is_edited = |fold: &Range<Byte>| {
            let near = changes.edits_from(fold.start).take_while(|edit| edit.old.start <= fold.end);
            near.into_iter().any(|edit| {
                let end = edit.old.end;
                end > fold.start || (end == fold.start && edit.text.contains('\n'))
            })
        };
        self.closed.retain(|fold| !is_edited(fold));
        for fold in &mut self.closed {
            *fold = changes.map(fold.start, Side::After)..changes.map(fold.end, Side::Before);
        }
        self.normalize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CODE: &str = "fn ä() {\n    if b {\n        c();\n    } else {\n        d();\n    }\n}\nend\n";

    fn fold(text: &Text, first: usize, last: usize) -> Range<Byte> {
        hidden_range(text, &(Line(first)..Line(last))).unwrap()
    }

    fn shown(text: &Text, folds: &Folds) -> Vec<usize> {
        let down: Vec<usize> =
            std::iter::successors(Some(Line(0)), |line| folds.line_below(text, *line)).map(|l| l.0).collect();
        let last = text.line_of(folds.nearest_visible(text.end()));
        let up = std::iter::successors(Some(last), |line| folds.line_above(text, *line));
        let mut up: Vec<usize> = up.map(|l| l.0).collect();
        up.reverse();
        assert_eq!(down, up, "up and down see the same lines");
        down
    }

    #[test]
    fn folds_keep_closing_line_visible() {
        let text = Text::from(CODE);
        let mut folds = Folds::default();
        folds.close([fold(&text, 1, 3), fold(&text, 3, 5)]);
        assert_eq!(shown(&text, &folds), [0, 1, 3, 5, 6, 7, 8]);
        assert_eq!(hidden_range(&text, &(Line(5)..Line(6))), None);
        let python = Text::from("def f():\n    a\n    b\nx");
        folds.open_all();
        folds.close([fold(&python, 0, 2)]);
        assert_eq!(shown(&python, &folds), [0, 3]);
    }

    #[test]
    fn folds_nested_stay_closed() {
        let text = Text::from(CODE);
        let mut folds = Folds::default();
        folds.close([fold(&text, 1, 3), fold(&text, 0, 6)]);
        assert_eq!(shown(&text, &folds), [0, 6, 7, 8]);
        assert!(folds.open_at(text.line_end(Line(0))));
        assert_eq!(shown(&text, &folds), [0, 1, 3, 4, 5, 6, 7, 8]);
        assert!(folds.reveal(text.line_start(Line(2))) && !folds.reveal(Byte(0)));
        assert!(folds.is_empty());
    }

    #[test]
    fn folds_open_on_inner_edit_and_move_otherwise() {
        let text = Text::from(CODE);
        let closed = || {
            let mut folds = Folds::default();
            folds.close([fold(&text, 1, 3)]);
            folds
        };
        let after = |at: Byte, len: usize, new: &str| {
            let mut folds = closed();
            let changes = ChangeSet::replace(text.end().0, [(at..at + len, new.to_string())]);
            folds.map(&changes);
            let mut after = text.clone();
            changes.apply(&mut after);
            (shown(&after, &folds).len() < after.line_count(), shown(&after, &folds))
        };
        let (end, inside) = (text.line_end(Line(1)), text.line_start(Line(2)) + 3);
        assert!(after(Byte(0), 0, "// x\n").0);
        assert_eq!(after(Byte(0), 0, "// x\n").1, [0, 1, 2, 4, 5, 6, 7, 8, 9]);
        assert!(after(end, 0, " // é").0, "typed behind its first line");
        assert!(!after(end, 0, "\n").0 && !after(end, 1, "").0);
        assert!(!after(inside, 0, "x").0 && !after(inside, 2, "").0);
        assert!(after(text.line_start(Line(3)), 0, "x").0, "typed below it");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn folds_visible_rows_match_list_of_lines(count in 1..20usize, folds in prop::collection::vec((0..20usize, 1..6usize), 0..6)) {
            let text = Text::from("x\n".repeat(count).as_str());
            let mut hides = vec![false; count + 1];
            let mut closed = Folds::default();
            for (first, lines) in folds.into_iter().filter(|(first, lines)| first + lines <= count) {
                closed.close([text.line_end(Line(first))..text.line_end(Line(first + lines))]);
                hides[first + 1..=first + lines].fill(true);
            }
            let expected: Vec<usize> = (0..=count).filter(|line| !hides[*line]).collect();
            prop_assert_eq!(shown(&text, &closed), expected);
        }
    }
}
