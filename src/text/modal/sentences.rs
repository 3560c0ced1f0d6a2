//! Sentences: ended by `.`, `!` or `?`, then closing brackets and quotes, then white space or the
//! line's end; empty lines are boundaries. Must not know paragraphs' insides.

use super::page::Page;
use crate::text::position::{Byte, Line};

/// Whether a sentence ends right before a place in its line: what stands before is its sign.
fn ends_before(page: Page<'_>, at: Byte) -> bool {
    let start = page.start_of(at);
    let mut at = at;
    while at > start {
        at = page.left(at);
        match page.char(at) {
            Some(')' | ']' | '"' | '\'') => {}
            Some('.' | '!' | '?') => return true,
            _ => return false,
        }
    }
    false
}

fn is_blank(page: Page<'_>, at: Byte) -> bool {
    page.char(at).is_none_or(char::is_whitespace)
}

/// Whether a sentence starts at a place.
pub fn starts_at(page: Page<'_>, at: Byte) -> bool {
    let line = page.line(at);
    let above = line.0.checked_sub(1).map(Line);
    if page.is_empty_line(line) {
        return above.is_none_or(|above| !page.is_empty_line(above));
    }
    if is_blank(page, at) {
        return false;
    }
    // Back over white space, then the sign of an end must stand there.
    let mut before = at;
    while before > page.start(line) && is_blank(page, page.left(before)) {
        before = page.left(before);
    }
    if before > page.start(line) {
        return before < at && ends_before(page, before);
    }
    match above {
        None => true,
        Some(above) if page.is_empty_line(above) => true,
        Some(above) => {
            let mut end = page.end(above);
            while end > page.start(above) && is_blank(page, page.left(end)) {
                end = page.left(end);
            }
            end == page.start(above) || ends_before(page, end)
        }
    }
}

/// The start of the next sentence; the end of the text when there is none.
pub fn next(page: Page<'_>, from: Byte, count: usize) -> Option<Byte> {
    let mut at = from;
    for _ in 0..count {
        let begun = at;
        loop {
            let (step, to) = page.next(at);
            if step == super::page::Step::Nowhere {
                let last = page.rest(page.last());
                return (begun != last || at != from).then_some(page.last());
            }
            at = to;
            if (!page.at_end(at) || page.is_empty_line(page.line(at))) && starts_at(page, at) {
                break;
            }
        }
    }
    Some(at)
}

/// The start of the sentence before a place.
pub fn previous(page: Page<'_>, from: Byte, count: usize) -> Option<Byte> {
    let mut at = from;
    for _ in 0..count {
        loop {
            let (step, to) = page.back(at);
            if step == super::page::Step::Nowhere {
                return (at != from).then_some(at);
            }
            at = to;
            if starts_at(page, at) {
                break;
            }
        }
    }
    Some(at)
}
