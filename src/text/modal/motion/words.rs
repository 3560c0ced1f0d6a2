//! Words: runs of letters or of punctuation, or WORDs delimited by white space. Empty lines are words. With
//! too large a count the error is the furthest position. Must not know operators beyond whether one is
//! pending.

use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::motion::walk::{Walk, WordStep};
use crate::text::position::Byte;

fn steps(
    page: ModalText<'_>,
    from: Byte,
    count: usize,
    big: bool,
    mut step: impl FnMut(&mut Walk<'_>, bool) -> WordStep,
) -> Result<Byte, Byte> {
    let mut walk = Walk { page, at: from, big };
    for n in 0..count {
        match step(&mut walk, n + 1 == count) {
            WordStep::Found => {}
            // Too large a count is not an error there.
            WordStep::Border => break,
            WordStep::None => return Err(walk.at),
        }
    }
    Ok(walk.at)
}

/// Returns the start of the next word. With `stop_at_end`, as for an operator, the last word ends at its
/// line's end.
pub fn next(
    page: ModalText<'_>,
    from: Byte,
    count: usize,
    big: bool,
    stop_at_end: bool,
) -> Result<Byte, Byte> {
    steps(page, from, count, big, |walk, last| walk.word(stop_at_end && last))
}

/// Returns the start of the word at or before a position.
pub fn previous(page: ModalText<'_>, from: Byte, count: usize, big: bool) -> Result<Byte, Byte> {
    steps(page, from, count, big, |walk, _| walk.word_back(false))
}

/// Returns the end of the word at or after a position. With `stay`, the present position counts.
pub fn end(page: ModalText<'_>, from: Byte, count: usize, big: bool, stay: bool) -> Result<Byte, Byte> {
    let mut stay = stay;
    steps(page, from, count, big, |walk, _| walk.word_end(std::mem::take(&mut stay), false))
}

/// Returns the end of the previous word.
pub fn previous_end(page: ModalText<'_>, from: Byte, count: usize, big: bool) -> Result<Byte, Byte> {
    steps(page, from, count, big, |walk, _| walk.word_end_back(false))
}

/// Returns the start of the run of one class at a position.
pub fn run_start(page: ModalText<'_>, at: Byte, big: bool) -> Byte {
    let (class, start) = (page.class(at, big), page.start_of(at));
    let mut at = at;
    while at > start && page.class(page.left(at), big) == class {
        at = page.left(at);
    }
    at
}

/// The last character of that run.
pub fn run_end(page: ModalText<'_>, at: Byte, big: bool) -> Byte {
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
