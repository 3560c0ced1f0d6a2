//! Motions that depend only on the text. Must not know keys, searches or screens.

use crate::text::modal::motion::find::{self, Find};
use crate::text::modal::motion::modal_text::{ModalText, StepResult};
use crate::text::modal::motion::motion_target::{Extent, MotionTarget};
use crate::text::modal::motion::sentences;
use crate::text::modal::motion::words;
use crate::text::movement::brackets;
use crate::text::position::{Byte, Column, Line};

/// A motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// One character left, within the line.
    Left,
    /// One character right, within the line.
    Right,
    /// One character back, across lines.
    Backward,
    /// One character forward, across lines.
    Forward,
    /// A line down, at the column aimed at.
    Down,
    /// A line up.
    Up,
    /// To the first column.
    LineBegin,
    /// To the first character that is no white space.
    FirstNonBlank,
    /// To the last character.
    LineEnd,
    /// To the last character that is no white space.
    LastNonBlank,
    /// To the column given by the count.
    Column,
    /// To the first character of a line below.
    LineBelow,
    /// To the first character of a line above.
    LineAbove,
    /// To the first non-blank character of this line, or of the line count minus one below.
    LineHere,
    /// To the first line, or the line given by the count.
    Top,
    /// To the last line, or the line given by the count.
    Bottom,
    /// To the matching bracket; with a count to that percentage of the lines.
    Match,
    /// To the next word; to the next WORD (delimited by white space) if true.
    Word(bool),
    /// To the start of the word.
    WordBack(bool),
    /// To the end of the word.
    WordEnd(bool),
    /// To the end of the previous word.
    WordEndBack(bool),
    /// To the next empty line.
    Paragraph,
    /// To the empty line before.
    ParagraphBack,
    /// To the next sentence.
    Sentence,
    /// To the start of the sentence.
    SentenceBack,
    /// To a character in the line; the flag repeats the last search.
    Find(Find, bool),
}

/// Returns the landing of a motion, `goal` being the goal column; `None` when it is impossible. `operator`:
/// one is pending, which changes some ends.
pub fn motion_target(
    page: ModalText<'_>,
    from: Byte,
    goal: Option<Column>,
    motion: Move,
    count: Option<usize>,
    operator: bool,
) -> Option<MotionTarget> {
    use Extent::{Exclusive, Inclusive, Lines};
    let n = count.unwrap_or(1).max(1);
    let line = page.line(from);
    let below = || Line((line.0 + n).min(page.last_line().0));
    // A count of one is this line.
    let counted = || Line((line.0 + n - 1).min(page.last_line().0));
    let to = |at, extent| Some(MotionTarget::new(at, extent));
    let found = |at: Option<Byte>, extent| at.map(|at| MotionTarget::new(at, extent));
    let ends = |landing| clamp_for_operator(page, from, operator, landing);
    // With too large a count an operator covers what exists.
    let words_on = |result, extent| {
        let landing = word_target(page, operator, result, extent);
        Some(ends(landing).partial(landing.is_partial && !operator))
    };
    let words_back = |result, extent| Some(word_target(page, operator, result, extent));
    match motion {
        Move::Right | Move::Forward => step(page, from, n, motion, operator).map(ends),
        Move::Left | Move::Backward => step(page, from, n, motion, operator),
        Move::Down | Move::Up => vertical(page, from, goal, n, motion == Move::Down),
        Move::LineBegin => to(page.start(line), Exclusive),
        Move::FirstNonBlank => to(page.first_non_blank(line), Exclusive),
        // A count moves to lines below, of which one must exist.
        Move::LineEnd | Move::LastNonBlank | Move::LineHere if n > 1 && line == page.last_line() => None,
        Move::LineEnd => Some(line_end(page, counted())),
        Move::LastNonBlank => Some(text_end(page, counted(), operator)),
        Move::Column => {
            Some(MotionTarget::new(page.at(line, Column(n - 1)), Exclusive).with_goal(Column(n - 1)))
        }
        Move::LineBelow if line == page.last_line() => None,
        Move::LineBelow => to(page.first_non_blank(below()), Lines),
        Move::LineAbove if line.0 == 0 => None,
        Move::LineAbove => to(page.first_non_blank(Line(line.0.saturating_sub(n))), Lines),
        Move::LineHere => to(page.first_non_blank(counted()), Lines),
        Move::Top => Some(line_target(page, from, goal, count.unwrap_or(1))),
        Move::Bottom => Some(line_target(page, from, goal, count.unwrap_or(usize::MAX))),
        Move::Match => bracket(page, from, goal, count),
        Move::Word(big) => words_on(words::next(page, from, n, big, operator), Exclusive),
        Move::WordEnd(big) => words_on(words::end(page, from, n, big, false), Inclusive),
        Move::WordBack(big) => words_back(words::previous(page, from, n, big), Exclusive),
        Move::WordEndBack(big) => words_back(words::previous_end(page, from, n, big), Inclusive),
        Move::Paragraph => found(paragraph(page, from, n, true, operator), Exclusive).map(ends),
        Move::ParagraphBack => found(paragraph(page, from, n, false, operator), Exclusive),
        Move::Sentence | Move::SentenceBack => sentence(page, from, n, motion == Move::Sentence),
        Move::Find(find, is_repeat) => {
            let extent = if find.forward { Inclusive } else { Exclusive };
            found(find::find(page, from, find, n, is_repeat), extent)
        }
    }
}

/// To the last character of a line, or after it where the cursor can rest there.
fn line_end(page: ModalText<'_>, line: Line) -> MotionTarget {
    let end = if page.can_rest_at_end { page.end(line) } else { page.last_of(line) };
    MotionTarget::new(end, Extent::Inclusive).with_goal(Column(usize::MAX))
}

/// To the last character of a line that is no white space.
fn text_end(page: ModalText<'_>, line: Line, operator: bool) -> MotionTarget {
    // An operator that keeps the goal column uses the line's end.
    let goal = operator.then_some(Column(usize::MAX));
    MotionTarget { goal, ..MotionTarget::new(last_non_blank(page, line), Extent::Inclusive) }
}

/// To a line, counted from 1 and at most the last, in the column aimed at.
fn line_target(page: ModalText<'_>, from: Byte, goal: Option<Column>, number: usize) -> MotionTarget {
    let line = Line((number.max(1) - 1).min(page.last_line().0));
    let goal = goal.unwrap_or_else(|| page.column(from));
    MotionTarget::new(page.at(line, goal), Extent::Lines).with_goal(goal)
}

/// To a word, or as far as possible.
fn word_target(
    page: ModalText<'_>,
    operator: bool,
    result: Result<Byte, Byte>,
    extent: Extent,
) -> MotionTarget {
    let at = result.unwrap_or_else(|at| at);
    let at = if operator { at } else { page.cursor_position(at) };
    MotionTarget::new(at, extent).partial(result.is_err())
}

/// With an operator, includes the last character to reach the end of the line.
fn clamp_for_operator(
    page: ModalText<'_>,
    from: Byte,
    operator: bool,
    landing: MotionTarget,
) -> MotionTarget {
    let at = landing.to;
    let ends = operator && at > from && page.at_end(at) && at > page.start_of(at);
    if ends { MotionTarget { to: page.left(at), extent: Extent::Inclusive, ..landing } } else { landing }
}

/// By characters. With an operator it does not fail at the border: the range is then empty, or a line.
fn step(page: ModalText<'_>, from: Byte, n: usize, motion: Move, operator: bool) -> Option<MotionTarget> {
    let line = page.line(from);
    let (at, extent) = match motion {
        Move::Left => (repeat_step(from, n, |at| page.left(at)), Extent::Exclusive),
        Move::Right => (right(page, from, n, operator), Extent::Exclusive),
        Move::Backward if operator => {
            let at = wrapped(page, from, n, false, operator);
            // The line break is included only after a line with content.
            let above = at.map_or(line.0, |at| page.line(at).0)..line.0;
            let exact = above.is_empty() || above.map(Line).any(|line| !page.is_empty_line(line));
            (at, if exact { Extent::Exact } else { Extent::Exclusive })
        }
        Move::Backward => (wrapped(page, from, n, false, operator), Extent::Exclusive),
        _ => (wrapped(page, from, n, true, operator), Extent::Exclusive),
    };
    Some(MotionTarget::new(at.or(operator.then_some(from))?, extent))
}

fn sentence(page: ModalText<'_>, from: Byte, n: usize, forward: bool) -> Option<MotionTarget> {
    let at = sentences::go(page, from, n, forward)?;
    // The cursor cannot rest after the last character: an operator includes it.
    let behind = forward && at > page.start_of(at) && page.at_end(at) && !page.can_rest_at_end;
    let extent = if behind { Extent::Inclusive } else { Extent::Exclusive };
    Some(MotionTarget::new(if behind { page.left(at) } else { at }, extent))
}

fn repeat_step(from: Byte, n: usize, step: impl Fn(Byte) -> Byte) -> Option<Byte> {
    let mut at = from;
    for _ in 0..n {
        let to = step(at);
        if to == at {
            break;
        }
        at = to;
    }
    (at != from).then_some(at)
}

/// Right; with an operator it may reach the end of the line.
fn right(page: ModalText<'_>, from: Byte, n: usize, operator: bool) -> Option<Byte> {
    let at = repeat_step(from, n, |at| page.right(at))?;
    if operator || page.can_rest_at_end || !page.at_end(at) {
        return Some(at);
    }
    Some(page.cursor_position(at)).filter(|at| *at != from)
}

fn wrapped(page: ModalText<'_>, from: Byte, n: usize, forward: bool, operator: bool) -> Option<Byte> {
    let mut at = from;
    for _ in 0..n {
        let (step, to) = if forward { page.next(at) } else { page.back(at) };
        if step == StepResult::Nowhere {
            break;
        }
        // An operator includes the end of the previous line.
        at = if !forward && (operator || page.can_rest_at_end) && step == StepResult::NewLine {
            page.end_of(to)
        } else {
            to
        };
        // The cursor cannot rest at the end of a line: it moves on to the next line.
        if forward && step == StepResult::LineEnd && !operator && !page.can_rest_at_end {
            let (step, to) = page.next(at);
            if step == StepResult::Nowhere {
                at = page.cursor_position(at);
                break;
            }
            at = to;
        }
    }
    (at != from).then_some(at)
}

fn vertical(
    page: ModalText<'_>,
    from: Byte,
    goal: Option<Column>,
    n: usize,
    down: bool,
) -> Option<MotionTarget> {
    let line = page.line(from);
    let target = if down {
        (line < page.last_line()).then(|| Line((line.0 + n).min(page.last_line().0)))?
    } else {
        (line.0 > 0).then(|| Line(line.0.saturating_sub(n)))?
    };
    let goal = goal.unwrap_or_else(|| page.column(from));
    Some(MotionTarget::new(page.at(target, goal), Extent::Lines).with_goal(goal))
}

fn last_non_blank(page: ModalText<'_>, line: Line) -> Byte {
    let mut at = page.last_of(line);
    while at > page.start(line) && page.char(at).is_some_and(char::is_whitespace) {
        at = page.left(at);
    }
    at
}

fn bracket(
    page: ModalText<'_>,
    from: Byte,
    goal: Option<Column>,
    count: Option<usize>,
) -> Option<MotionTarget> {
    if let Some(percent) = count {
        let lines = page.last_line().0 + 1;
        let line = Line((percent * lines).div_ceil(100).clamp(1, lines) - 1);
        let goal = goal.unwrap_or_else(|| page.column(from));
        return (percent <= 100)
            .then(|| MotionTarget::new(page.at(line, goal), Extent::Lines).with_goal(goal));
    }
    let mut at = from;
    while !page.at_end(at) {
        if page.char(at).is_some_and(|c| "()[]{}".contains(c)) {
            return Some(MotionTarget::new(brackets::partner(page.text, at)?, Extent::Inclusive));
        }
        at = page.right(at);
    }
    None
}

fn paragraph(page: ModalText<'_>, from: Byte, n: usize, forward: bool, operator: bool) -> Option<Byte> {
    let mut line = page.line(from);
    for left in (0..n).rev() {
        // Over the empty lines at the cursor, then to the next one.
        let mut seen_text = !page.is_empty_line(line);
        loop {
            let beyond = if forward { line >= page.last_line() } else { line.0 == 0 };
            if beyond && left > 0 {
                return None;
            }
            if beyond {
                let end = page.last();
                let to = match (forward, operator) {
                    (true, true) => end,
                    (true, false) => page.cursor_position(end),
                    (false, _) => Byte(0),
                };
                return Some(to);
            }
            line = if forward { Line(line.0 + 1) } else { Line(line.0 - 1) };
            let empty = page.is_empty_line(line);
            if empty && seen_text {
                break;
            }
            seen_text |= !empty;
        }
    }
    Some(page.start(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked;
    use crate::text::rope::Text;
    use crate::text::selection::Range;
    use proptest::prelude::*;

    #[track_caller]
    fn check(motion: Move, count: Option<usize>, before: &str, after: &str) {
        let (text, selection) = marked::parse(before);
        let page = ModalText::new(&text, 4);
        let moved = selection.transform(|range| {
            let landing = motion_target(page, range.head, range.goal, motion, count, false);
            landing.map_or(range, |landing| Range::cursor(landing.to))
        });
        assert_eq!(marked::show(&text, &moved), after, "{motion:?} {count:?} from {before:?}");
    }

    #[test]
    fn vim_word_motions() {
        check(Move::Word(false), None, "|größe, é\n", "größe|, é\n");
        check(Move::Word(true), None, "|größe, é\n|a b", "größe, |é\na |b");
        check(Move::Word(false), Some(2), "|a\n\nb", "a\n\n|b");
        check(Move::WordEnd(false), None, "|größe, x\n", "größ|e, x\n");
        check(Move::WordEnd(false), None, "größ|e, x\n", "größe|, x\n");
        check(Move::WordBack(false), None, "a bé|c d|\n", "a |béc |d\n");
        check(Move::WordEndBack(false), None, "aé c|d\n", "a|é cd\n");
    }

    #[test]
    fn vim_line_and_column_motions() {
        check(Move::LineEnd, None, "|añb\ncd", "añ|b\ncd");
        check(Move::LineEnd, Some(2), "|ab\ncé", "ab\nc|é");
        check(Move::Down, None, "ab|c\n\n", "abc\n|\n");
        check(Move::Down, None, "abc|\n", "abc|\n");
        check(Move::Column, Some(3), "|\tab", "|\tab");
        check(Move::Right, Some(9), "|añb\n", "añ|b\n");
        check(Move::Left, None, "|a\n|b", "|a\n|b");
        check(Move::Bottom, None, "|a\n  b\n", "a\n|  b\n");
        check(Move::LineBelow, None, "|a\n  b\n", "a\n  |b\n");
    }

    #[test]
    fn vim_match_paragraph_sentence_and_find_motions() {
        check(Move::Match, None, "|f(é[x])", "f(é[x]|)");
        check(Move::Match, Some(50), "|a\nb\nc\nd\n", "a\n|b\nc\nd\n");
        check(Move::Paragraph, None, "|a\nb\n\nc", "a\nb\n|\nc");
        check(Move::ParagraphBack, None, "a\n\nb\nc|", "a\n|\nb\nc");
        check(Move::Sentence, None, "|Ä b. C d!\nE", "Ä b. |C d!\nE");
        check(Move::SentenceBack, None, "Ä b. C |d!", "Ä b. |C d!");
        let find = Find { target: 'é', forward: true, till: true };
        check(Move::Find(find, false), None, "|abéé", "a|béé");
        check(Move::Find(find, true), None, "a|béxé", "abé|xé");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(96))]
        #[test]
        fn vim_motions_stay_inside_text(
            plain in "[a-c .(){}é\n]{0,60}",
            from in 0usize..60,
            count in prop::option::of(1usize..5),
            operator: bool,
        ) {
            let text = Text::from(plain.as_str());
            let page = ModalText::new(&text, 4);
            let from = page.cursor_position(Byte(from));
            for motion in [
                Move::Left, Move::Right, Move::Backward, Move::Forward, Move::Down, Move::Up, Move::LineEnd,
                Move::LastNonBlank, Move::LineBelow, Move::LineAbove, Move::Top, Move::Bottom,
                Move::Match, Move::Word(false), Move::Word(true), Move::WordBack(false),
                Move::WordEnd(false), Move::WordEndBack(true), Move::Paragraph, Move::ParagraphBack,
                Move::Sentence, Move::SentenceBack,
            ] {
                if let Some(landing) = motion_target(page, from, None, motion, count, operator) {
                    prop_assert!(landing.to <= text.end(), "{:?}", motion);
                    prop_assert_eq!(text.grapheme_floor(landing.to), landing.to, "{:?}", motion);
                    prop_assert!(operator || page.cursor_position(landing.to) == landing.to, "{:?}", motion);
                }
            }
        }
    }
}
