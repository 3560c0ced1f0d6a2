//! Quoted text within one line. Must not know brackets.

use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::motion::motion_target::{Extent, MotionTarget};
use crate::text::position::Byte;

/// Returns the positions of a sign in a position's line; one after a backslash is ignored.
fn quote_positions(page: ModalText<'_>, at: Byte, sign: char) -> Vec<Byte> {
    let start = page.start_of(at);
    let line = page.text.slice(start..page.end_of(at)).into_owned();
    let mut escaped = false;
    let mut out = Vec::new();
    for (n, c) in line.char_indices() {
        if c == sign && !escaped {
            out.push(start + n);
        }
        escaped = c == '\\' && !escaped;
    }
    out
}

/// Returns the quoted text at a position, or after it in the line. `around`: with the quotation marks and the
/// white space after them, or else before them.
pub fn quote_object(
    page: ModalText<'_>,
    at: Byte,
    sign: char,
    around: bool,
    with_marks: bool,
) -> Option<MotionTarget> {
    let signs = quote_positions(page, at, sign);
    let on = signs.iter().position(|quote| *quote == at);
    let before = signs.iter().filter(|quote| **quote < at).count();
    let (open, close) = match on {
        // On a quotation mark: pairs from the start of the line determine which one it is.
        Some(n) if n % 2 == 0 => (signs[n], *signs.get(n + 1)?),
        Some(n) => (signs[n - 1], signs[n]),
        None if before == 0 => (*signs.first()?, *signs.get(1)?),
        None => (signs[before - 1], *signs.get(before)?),
    };
    let behind = page.right(close);
    if with_marks {
        return Some(MotionTarget::object(open, behind, Extent::Exclusive));
    }
    if !around {
        return Some(MotionTarget::object(page.right(open), close, Extent::Exclusive));
    }
    let blank = |at: Byte| page.char(at).is_some_and(char::is_whitespace);
    let mut end = behind;
    while blank(end) {
        end = page.right(end);
    }
    let mut start = open;
    if end == behind {
        while start > page.start_of(at) && blank(page.left(start)) {
            start = page.left(start);
        }
    }
    Some(MotionTarget::object(start, end, Extent::Exclusive))
}
