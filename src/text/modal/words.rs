//! Words: runs of letters or of signs, or of anything but white space. Empty lines are words.
//! Must not know operators beyond whether one waits.

use super::page::{Class, Page, Step};
use crate::text::position::Byte;

/// The start of the next word. With `stop_at_end`, as for an operator, the last word's way ends
/// at its line's end. `None` from the very end of the text.
pub fn next(page: Page<'_>, from: Byte, count: usize, big: bool, stop_at_end: bool) -> Option<Byte> {
    let mut at = from;
    for left in (0..count).rev() {
        let class = page.class(at, big);
        let last_line = page.line(at) == page.last_line();
        let (step, to) = page.next(at);
        if step == Step::Nowhere {
            return (at != from).then_some(at);
        }
        at = to;
        let ends = |step: Step| matches!(step, Step::LineEnd | Step::NewLine);
        if ends(step) && last_line {
            return stop_at_end.then_some(at).or_else(|| (page.rest(at) != from).then(|| page.rest(at)));
        }
        if ends(step) && stop_at_end && left == 0 {
            return Some(at);
        }
        if class != Class::Blank {
            while page.class(at, big) == class {
                let (step, to) = page.next(at);
                at = to;
                if step == Step::Nowhere || ends(step) && stop_at_end && left == 0 {
                    return Some(at);
                }
            }
        }
        while page.class(at, big) == Class::Blank {
            let line = page.line(at);
            if page.is_empty_line(line) {
                break;
            }
            let (step, to) = page.next(at);
            if step == Step::Nowhere {
                return Some(at);
            }
            at = to;
        }
    }
    Some(at)
}

/// The start of the word at or before a place; `None` at the start of the text.
pub fn previous(page: Page<'_>, from: Byte, count: usize, big: bool) -> Option<Byte> {
    let mut at = from;
    for _ in 0..count {
        let (step, to) = page.back(at);
        if step == Step::Nowhere {
            return (at != from).then_some(at);
        }
        at = to;
        let mut empty = false;
        while page.class(at, big) == Class::Blank {
            if page.is_empty_line(page.line(at)) {
                empty = true;
                break;
            }
            let (step, to) = page.back(at);
            if step == Step::Nowhere {
                return Some(at);
            }
            at = to;
        }
        if !empty {
            at = run_start(page, at, big);
        }
    }
    Some(at)
}

/// The end of the word at or behind a place. With `stay`, the end that one stands on counts.
pub fn end(page: Page<'_>, from: Byte, count: usize, big: bool, stay: bool) -> Option<Byte> {
    let mut at = from;
    let mut stay = stay;
    for _ in 0..count {
        let class = page.class(at, big);
        let (step, to) = page.next(at);
        if step == Step::Nowhere {
            return (at != from).then_some(at);
        }
        let goes_on = class != Class::Blank && page.class(to, big) == class;
        let stays = stay && class != Class::Blank;
        if !goes_on && !stays {
            at = to;
            while page.class(at, big) == Class::Blank {
                let (step, to) = page.next(at);
                if step == Step::Nowhere {
                    return (page.rest(at) != from).then(|| page.rest(at));
                }
                at = to;
            }
        }
        at = run_end(page, at, big);
        stay = false;
    }
    Some(at)
}

/// The end of the word before a place.
pub fn previous_end(page: Page<'_>, from: Byte, count: usize, big: bool) -> Option<Byte> {
    let mut at = from;
    for _ in 0..count {
        let class = page.class(at, big);
        let (step, to) = page.back(at);
        if step == Step::Nowhere {
            return (at != from).then_some(at);
        }
        at = to;
        if class != Class::Blank && step == Step::Inside {
            while page.class(at, big) == class {
                let (step, to) = page.back(at);
                if step == Step::Nowhere {
                    return Some(at);
                }
                at = to;
                if step == Step::NewLine {
                    break;
                }
            }
        }
        while page.class(at, big) == Class::Blank {
            if page.is_empty_line(page.line(at)) {
                break;
            }
            let (step, to) = page.back(at);
            if step == Step::Nowhere {
                return Some(at);
            }
            at = to;
        }
    }
    Some(at)
}

/// The start of the run of one class that a place is in.
pub fn run_start(page: Page<'_>, at: Byte, big: bool) -> Byte {
    let (class, start) = (page.class(at, big), page.start_of(at));
    let mut at = at;
    while at > start && page.class(page.left(at), big) == class {
        at = page.left(at);
    }
    at
}

/// The last character of that run.
pub fn run_end(page: Page<'_>, at: Byte, big: bool) -> Byte {
    let class = page.class(at, big);
    let mut at = at;
    loop {
        let to = page.right(at);
        if to == at || page.at_end(to) || page.class(to, big) != class {
            return at;
        }
        at = to;
    }
}
