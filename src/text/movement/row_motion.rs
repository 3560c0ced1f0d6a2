//! Motions by screen rows: up, down and the ends of a row are visual, and no motion stops inside a fold. Must
//! not know the caller.

use crate::text::display::rows::DisplayMap;
use crate::text::movement::motion::{self, Motion};
use crate::text::position::{Byte, Line};
use crate::text::selection::Range;

/// Returns the range after a motion by rows.
pub fn move_range(lens: &DisplayMap<'_>, range: Range, motion: Motion, extend: bool) -> Range {
    let at = range.head;
    let head = match motion {
        Motion::Up(rows) | Motion::Down(rows) => {
            let down = matches!(motion, Motion::Down(_));
            let (head, goal) = lens.vertical(at, range.goal, rows, down);
            return Range { goal: Some(goal), ..range.move_head(head, extend) };
        }
        Motion::LineStart => row_start(lens, range),
        Motion::LineEnd => {
            let row = lens.row_at(at);
            let end = lens.last_of(&row);
            if at == end { lens.text.line_end(row.line) } else { end }
        }
        _ => motion::move_range(lens.text, range, motion, extend, lens.tab_width).head,
    };
    // These motions have explicit targets, which the user wants to see.
    let opens = matches!(motion, Motion::Bracket | Motion::BlockStart | Motion::BlockEnd);
    range.move_head(if opens { head } else { past_fold(lens, at, head) }, extend)
}

/// Returns the start of the row, then that of the line as without rows.
fn row_start(lens: &DisplayMap<'_>, range: Range) -> Byte {
    let row = lens.row_at(range.head);
    if !row.is_first && range.head != row.start {
        return row.start;
    }
    motion::move_range(lens.text, Range::cursor(range.head), Motion::LineStart, false, lens.tab_width).head
}

/// Returns the adjusted target of a motion that would end inside a fold.
fn past_fold(lens: &DisplayMap<'_>, from: Byte, to: Byte) -> Byte {
    let Some(fold) = lens.folds.fold_hiding(to) else { return to };
    let below = Line(lens.text.line_of(fold.end).0 + 1);
    if to > from && below <= lens.text.last_line() { lens.text.line_start(below) } else { fold.start }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::display::folds::{Folds, hidden_range};
    use crate::text::marked;

    /// Folds the lines given, wraps at so many cells.
    fn check(
        motion: Motion,
        (wrap, fold): (Option<usize>, Option<(usize, usize)>),
        before: &str,
        after: &str,
    ) {
        let (text, selection) = marked::parse(before);
        let mut folds = Folds::default();
        folds.close(fold.and_then(|(first, last)| hidden_range(&text, &(Line(first)..Line(last)))));
        let lens = DisplayMap { text: &text, folds: &folds, inlays: &[], tab_width: 4, wrap };
        let moved = selection.transform(|range| move_range(&lens, range, motion, false));
        assert_eq!(marked::show(&text, &moved), after, "{motion:?} from {before:?}");
    }

    const FOLDED: (Option<usize>, Option<(usize, usize)>) = (None, Some((0, 2)));
    const WRAPPED: (Option<usize>, Option<(usize, usize)>) = (Some(8), None);

    #[test]
    fn row_motion_up_and_down_by_wrapped_row() {
        check(Motion::Down(1), WRAPPED, "o|ne two three\nfour", "one two t|hree\nfour");
        check(Motion::Down(1), WRAPPED, "one two t|hree\nfo|ur", "one two three\nf|our|");
        check(Motion::Up(1), WRAPPED, "漢字漢字漢|\nx", "漢|字漢字漢\nx");
        check(Motion::Up(2), WRAPPED, "one two three\nfo|ur", "on|e two three\nfour");
        check(Motion::Down(1), FOLDED, "a| {\n b\n  é\nc|", "a {\n b\n  é\nc|");
        check(Motion::Up(1), FOLDED, "a {\n b\n é\n|c", "|a {\n b\n é\nc");
    }

    #[test]
    fn row_motion_line_ends_stop_at_row_ends_first() {
        check(Motion::LineEnd, WRAPPED, "o|ne two three|", "one two| three|");
        check(Motion::LineEnd, WRAPPED, "one two| three", "one two three|");
        check(Motion::LineStart, WRAPPED, "  one two t|hree", "  one two |three");
        check(Motion::LineStart, WRAPPED, "  one two |three", "  |one two three");
        check(Motion::LineStart, WRAPPED, "  é|", "  |é");
    }

    #[test]
    fn row_motion_never_stops_inside_fold() {
        check(Motion::Right, FOLDED, "a {|\n b\n é\nc", "a {\n b\n é\n|c");
        check(Motion::Left, FOLDED, "a {\n b\n é\n|c", "a {|\n b\n é\nc");
        check(Motion::WordRight, FOLDED, "a| {\n b\n é\nc", "a {\n b\n é\n|c");
        check(Motion::WordLeft, FOLDED, "a {\n b\n é\n|c", "a {|\n b\n é\nc");
        check(Motion::DocumentEnd, FOLDED, "|a {\n b\n é", "a {|\n b\n é");
        check(Motion::ParagraphDown, FOLDED, "|a {\n\n é\nc", "a {\n\n é\n|c");
    }

    #[test]
    fn row_motion_without_wrap_equals_line_motion() {
        let (text, selection) = marked::parse("a|b\tc\n\n漢字«é»\nx");
        let folds = Folds::default();
        let lens = DisplayMap { text: &text, folds: &folds, inlays: &[], tab_width: 4, wrap: None };
        for motion in [Motion::Up(1), Motion::Down(1), Motion::Down(9), Motion::LineStart, Motion::LineEnd] {
            for range in selection.ranges() {
                let plain = motion::move_range(&text, *range, motion, true, 4);
                assert_eq!(move_range(&lens, *range, motion, true), plain, "{motion:?}");
            }
        }
    }
}
