//! Sentences: ended by `.`, `!` or `?`, then closing brackets and quotes, then white space or the line's end;
//! empty lines are boundaries. Must not know the inside of paragraphs.

use crate::text::modal::motion::modal_text::{ModalText, StepResult};
use crate::text::position::{Byte, Line};

/// A position in a traversal of sentences, which can also be at the end of a line.
struct SentenceWalk<'t> {
    page: ModalText<'t>,
    at: Byte,
}

impl SentenceWalk<'_> {
    /// Returns the character; `None` at the end of a line.
    fn char(&self) -> Option<char> {
        self.page.char(self.at)
    }

    fn is_empty_line(&self) -> bool {
        self.page.is_empty_line(self.page.line(self.at))
    }

    fn is_blank(&self) -> bool {
        matches!(self.char(), Some(' ' | '\t'))
    }

    /// Moves one step, skipping the end of a non-empty line; returns whether it was possible.
    fn step(&mut self, forward: bool) -> bool {
        let (step, to) = if forward { self.page.next(self.at) } else { self.page.back(self.at) };
        if step == StepResult::Nowhere {
            return false;
        }
        self.at = to;
        if step != StepResult::LineEnd || self.is_empty_line() {
            return true;
        }
        let (step, to) = self.page.next(self.at);
        self.at = to;
        step != StepResult::Nowhere
    }

    fn closes(c: Option<char>) -> bool {
        matches!(c, Some(')' | ']' | '"' | '\''))
    }

    fn stops(c: Option<char>) -> bool {
        matches!(c, Some('.' | '!' | '?'))
    }

    /// Moves back over white space and end punctuation.
    fn back_over_end(&mut self, forward: bool) {
        let mut stopped = false;
        loop {
            let c = self.char();
            if !(self.is_blank() || Self::stops(c) || Self::closes(c)) {
                return;
            }
            let mut before = Self { ..*self };
            if !before.step(false) || before.is_empty_line() && forward || stopped {
                return;
            }
            stopped |= Self::stops(c);
            let end = Self::stops(before.char()) || Self::closes(before.char());
            if Self::closes(c) && !end {
                return;
            }
            self.at = before.at;
        }
    }

    /// Returns the position after a sentence's end punctuation, if it ends here.
    fn after_end(&self) -> Option<Byte> {
        if !Self::stops(self.char()) {
            return None;
        }
        let mut at = self.page.right(self.at);
        while Self::closes(self.page.char(at)) {
            at = self.page.right(at);
        }
        match self.page.char(at) {
            None => Some(if self.page.line(at) < self.page.last_line() { self.page.next(at).1 } else { at }),
            Some(' ' | '\t') => Some(at),
            Some(_) => None,
        }
    }

    /// Moves forward to the end or start of a sentence; `false` at an end of the text.
    fn find_end(&mut self, forward: bool) -> bool {
        let first = self.page.line(self.at);
        loop {
            let line = self.page.line(self.at);
            // Empty lines and the ends of lines bound sentences.
            if self.char().is_none() {
                if !forward && line != first {
                    self.at = self.page.start(Line(line.0 + 1));
                }
                return true;
            }
            if let Some(behind) = self.after_end() {
                self.at = behind;
                return true;
            }
            if !self.step(forward) {
                return false;
            }
        }
    }
}

/// Returns the target of `)` or `(` with a count; `None` when there are too few sentences.
pub fn go(page: ModalText<'_>, from: Byte, count: usize, forward: bool) -> Option<Byte> {
    let mut walk = SentenceWalk { page, at: from };
    // At an end of the text white space is not skipped.
    let mut ended = false;
    let mut left = count;
    while left > 0 {
        left -= 1;
        let begun = walk.at;
        let mut found = false;
        if walk.char().is_none() {
            while walk.step(forward) && walk.char().is_none() {}
            found = forward;
        } else if !forward {
            walk.step(false);
        }
        if !found {
            walk.back_over_end(forward);
            if !walk.find_end(forward) {
                if left > 0 {
                    return None;
                }
                ended = true;
            }
        }
        while !ended && walk.is_blank() {
            if !walk.step(true) {
                break;
            }
        }
        if walk.at == begun {
            if !walk.step(forward) {
                return if left > 0 { None } else { Some(walk.at) };
            }
            left += 1;
        }
    }
    Some(walk.at)
}

fn is_white(page: ModalText<'_>, at: Byte) -> bool {
    matches!(page.char(at), Some(' ' | '\t'))
}

/// Moves back to the start of the white space before a position.
fn first_blank(page: ModalText<'_>, at: Byte) -> Byte {
    let mut walk = SentenceWalk { page, at };
    while walk.step(false) {
        if !walk.is_blank() {
            walk.step(true);
            break;
        }
    }
    walk.at
}

fn back(page: ModalText<'_>, at: Byte) -> Byte {
    let mut walk = SentenceWalk { page, at };
    walk.step(false);
    walk.at
}

/// Returns the last position of this many sentences and gaps; `sentence`: whether it starts with a sentence.
pub fn last_of(page: ModalText<'_>, from: Byte, count: usize, sentence: bool) -> Byte {
    let (mut at, mut sentence) = (from, sentence);
    for left in (0..count).rev() {
        at = go(page, at, 1, true).unwrap_or(at);
        if sentence {
            at = first_blank(page, at);
        }
        if left == 0 || sentence {
            at = back(page, at);
        }
        sentence = !sentence;
    }
    at
}

/// Returns the first and last position of this many sentences around a position, with the following white
/// space when `outer`.
pub fn around(page: ModalText<'_>, from: Byte, outer: bool, count: usize) -> (Byte, Byte) {
    let next = go(page, from, 1, true).unwrap_or(from);
    let mut walk = SentenceWalk { page, at: from };
    while walk.is_blank() && walk.step(true) {}
    let in_gap = walk.at == next;
    let (mut start, begun) = if in_gap {
        (first_blank(page, from), next)
    } else {
        let start = go(page, next, 1, false).unwrap_or(next);
        (start, start)
    };
    let parts = if outer { count * 2 } else { count - usize::from(in_gap) };
    let mut end = if parts > 0 { last_of(page, begun, parts, true) } else { back(page, begun) };
    if outer && in_gap {
        end = first_blank(page, end);
        if is_white(page, end) {
            end = back(page, end);
        }
    } else if outer && !is_white(page, end) {
        start = first_blank(page, start);
    }
    (start, end)
}

/// Returns the head of a selection that grows by this many sentences or gaps.
pub fn grown(page: ModalText<'_>, anchor: Byte, head: Byte, outer: bool, count: usize) -> Byte {
    let next = go(page, head, 1, true).unwrap_or(head);
    let count = if outer { count * 2 } else { count };
    if head < anchor {
        return grown_back(page, head, next, outer, count);
    }
    let mut walk = SentenceWalk { page, at: head };
    walk.step(true);
    let (mut begun, mut sentence) = (next, true);
    if walk.at != next {
        while walk.at < next && walk.is_blank() && walk.step(true) {}
        sentence = walk.at < next;
        begun = if sentence { go(page, next, 1, false).unwrap_or(next) } else { head };
    }
    last_of(page, begun, count, sentence)
}

/// The same for a backward selection.
fn grown_back(page: ModalText<'_>, head: Byte, next: Byte, outer: bool, count: usize) -> Byte {
    let mut walk = SentenceWalk { page, at: back(page, head) };
    let mut at_start = true;
    while walk.at < next {
        if !walk.is_blank() {
            at_start = false;
            break;
        }
        walk.step(true);
    }
    let mut at = next;
    if !at_start {
        at = go(page, at, 1, false).unwrap_or(at);
        if at == head {
            at_start = true;
        } else {
            at = go(page, at, 1, true).unwrap_or(at);
        }
    }
    for _ in 0..count {
        if at_start {
            at = first_blank(page, at);
        }
        if !at_start || !outer && !is_white(page, at) {
            at = go(page, at, 1, false).unwrap_or(at);
        }
        at_start = !at_start;
    }
    at
}

/// Returns the next position; `None` at the end of the text.
pub fn next_position(page: ModalText<'_>, at: Byte) -> Option<Byte> {
    let mut walk = SentenceWalk { page, at };
    walk.step(true).then_some(walk.at)
}
