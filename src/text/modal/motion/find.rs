//! Search for one character in the line. Must not know keys.

use crate::text::modal::motion::modal_text::ModalText;
use crate::text::position::Byte;

/// A character search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Find {
    /// The character.
    pub target: char,
    /// To the right.
    pub forward: bool,
    /// Whether to stop one character before it.
    pub till: bool,
}

/// Returns the target; with `again` the last match is skipped.
pub fn find(page: ModalText<'_>, from: Byte, find: Find, count: usize, is_repeat: bool) -> Option<Byte> {
    let mut at = from;
    let mut left = count;
    // A repeated `t` before the character skips to the next one.
    let skip = is_repeat && find.till && count == 1;
    let mut first = true;
    loop {
        let to = if find.forward { page.right(at) } else { page.left(at) };
        if to == at || find.forward && page.at_end(to) {
            return None;
        }
        at = to;
        let skipped = skip && first;
        first = false;
        if page.char(at) == Some(find.target) && !skipped {
            left -= 1;
            if left == 0 {
                break;
            }
        }
    }
    match (find.till, find.forward) {
        (false, _) => Some(at),
        (true, true) => Some(page.left(at)),
        (true, false) => Some(page.right(at)),
    }
}
