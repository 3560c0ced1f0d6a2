//! Helix selections: each covers at least one character; the cursor is on the last one, or on the first one
//! of a backward selection. Must not know keys.

use crate::text::modal::motion::modal_text::{CharClass, ModalText};
use crate::text::movement::motion;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::Range;

/// Target of a word motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordMotion {
    /// To the next start.
    Start,
    /// To the end.
    End,
    /// Back to the start.
    Back,
}

/// Returns the position of the character under the cursor.
pub fn cursor(text: &Text, range: Range) -> Byte {
    if range.head > range.anchor { text.prev_grapheme(range.head) } else { range.head }
}

/// Returns the selection of one character.
pub fn char_range(text: &Text, at: Byte) -> Range {
    Range::new(at, text.next_grapheme(at))
}

/// Extends the range to at least one character.
pub fn min_width_1(text: &Text, range: Range) -> Range {
    if range.is_empty() { Range { goal: range.goal, ..char_range(text, range.head) } } else { range }
}

/// Moves the cursor to a position; with `extend` the selection's anchor stays.
pub fn put_cursor(text: &Text, range: Range, at: Byte, extend: bool) -> Range {
    if !extend {
        return char_range(text, at);
    }
    // The anchor's character stays selected in either direction.
    let forward = range.head >= range.anchor;
    let anchor = match (forward, at >= range.anchor) {
        (true, false) => text.next_grapheme(range.anchor),
        (false, true) if at >= text.prev_grapheme(range.anchor) => text.prev_grapheme(range.anchor),
        _ => range.anchor,
    };
    if at >= anchor { Range::new(anchor, text.next_grapheme(at)) } else { Range::new(anchor, at) }
}

fn class(c: char, big: bool) -> CharClass {
    match c {
        c if c.is_whitespace() => CharClass::Blank,
        _ if big => CharClass::Word,
        c if motion::is_word(c) => CharClass::Word,
        _ => CharClass::Sign,
    }
}

fn differ(a: char, b: char, big: bool) -> bool {
    (a == '\n') != (b == '\n') || class(a, big) != class(b, big)
}

/// Selects to a word, from the cursor.
pub fn word(text: &Text, range: Range, kind: WordMotion, big: bool, count: usize, extend: bool) -> Range {
    let mut out = range;
    for _ in 0..count {
        let next = next_word(text, out, kind, big);
        if next == out {
            break;
        }
        out = if extend { put_cursor(text, out, cursor(text, next), true) } else { next };
    }
    out
}

fn next_word(text: &Text, range: Range, kind: WordMotion, big: bool) -> Range {
    let forward = kind != WordMotion::Back;
    let stops = |prev: char, next: char| {
        differ(prev, next, big)
            && match kind {
                WordMotion::Start => next == '\n' || !next.is_whitespace(),
                WordMotion::End | WordMotion::Back => prev == '\n' || !prev.is_whitespace(),
            }
    };
    let here = cursor(text, range);
    let (mut anchor, mut head) =
        if forward { (here, text.next_grapheme(here)) } else { (text.next_grapheme(here), here) };
    if range.head < range.anchor && forward {
        (anchor, head) = (range.head, text.next_grapheme(range.head));
    }
    let ahead = |at: Byte| if forward { text.char_at(at) } else { text.char_before(at) };
    let behind = |at: Byte| if forward { text.char_before(at) } else { text.char_at(at) };
    let step = |at: Byte| if forward { text.next_grapheme(at) } else { text.prev_grapheme(at) };
    while ahead(head) == Some('\n') {
        head = step(head);
        anchor = head;
    }
    let begun = head;
    while let Some(next) = ahead(head) {
        let reached = behind(head).is_none_or(|prev| stops(prev, next));
        if reached && head != begun {
            break;
        }
        if reached {
            anchor = head;
        }
        head = step(head);
    }
    if anchor == head { range } else { Range::new(anchor, head) }
}

/// Extends the selection to whole lines; if it already covers them, by another line.
pub fn extend_by_lines(page: ModalText<'_>, range: Range, count: usize) -> Range {
    let (first, last) = touched_lines(page, range);
    let span = page.lines(first, last);
    let whole = range.span() == span;
    let last = Line((last.0 + count - usize::from(!whole)).min(page.last_line().0));
    let span = page.lines(first, last);
    Range::new(span.start, span.end)
}

/// Extends the selection to whole lines.
pub fn extend_to_line_bounds(page: ModalText<'_>, range: Range) -> Range {
    let (first, last) = touched_lines(page, range);
    let span = page.lines(first, last);
    Range::new(span.start, span.end)
}

/// The first and last line that a selection touches.
pub fn touched_lines(page: ModalText<'_>, range: Range) -> (Line, Line) {
    let last = if range.is_empty() { range.end() } else { page.text.prev_grapheme(range.end()) };
    (page.line(range.start()), page.line(last.max(range.start())))
}

/// Returns the selection without leading and trailing white space; `None` if it is only white space.
pub fn trim(text: &Text, range: Range) -> Option<Range> {
    let content = text.slice(range.span());
    let lead = content.len() - content.trim_start().len();
    let tail = content.len() - content.trim_end().len();
    if lead == content.len() {
        return None;
    }
    let (start, end) = (range.start() + lead, range.end().back(tail));
    Some(if range.head < range.anchor { Range::new(end, start) } else { Range::new(start, end) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::marked;

    #[track_caller]
    fn check(f: impl Fn(&Text, Range) -> Range, before: &str, after: &str) {
        let (text, selection) = marked::parse(before);
        assert_eq!(marked::show(&text, &selection.transform(|range| f(&text, range))), after, "{before:?}");
    }

    #[test]
    fn helix_word_motions_select() {
        let go = |kind, extend| move |text: &Text, range| word(text, range, kind, false, 1, extend);
        check(go(WordMotion::Start, false), "«o»ne twö three", "«one »twö three");
        check(go(WordMotion::Start, false), "«one »twö three", "one «twö »three");
        check(go(WordMotion::End, false), "«o»ne twö", "«one» twö");
        check(go(WordMotion::End, false), "«one» twö", "one« twö»");
        check(go(WordMotion::Back, false), "one twö« »x", "one »twö «x");
        check(go(WordMotion::Back, false), "one »twö «x", "»one «twö x");
        check(go(WordMotion::Start, true), "«one »twö three", "«one twö »three");
        check(go(WordMotion::Start, false), "on«e»\n\nx", "one\n\n«x»");
    }

    #[test]
    fn helix_cursor_moves_and_extends() {
        check(|text, range| put_cursor(text, range, Byte(0), true), "aé«b»", "»aéb«");
        check(|text, range| put_cursor(text, range, Byte(3), true), "«a»éb", "«aéb»");
        check(|text, range| put_cursor(text, range, Byte(1), false), "«a»éb", "a«é»b");
    }

    #[test]
    fn helix_line_selection_grows() {
        let grow = |text: &Text, range| extend_by_lines(ModalText::new(text, 4), range, 1);
        check(grow, "a«b»\né\n", "«ab\n»é\n");
        check(grow, "«ab\n»é\n", "«ab\né\n»");
        check(|text, range| trim(text, range).unwrap(), "« é »", " «é» ");
    }
}
