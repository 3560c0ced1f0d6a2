//! Bracket matching by plain nesting: comments and strings are not distinguished, which would need a grammar.
//!
//! Must not know languages. Searches at most [`REACH`] bytes, so that a key press never waits for a whole
//! file.

use std::ops::Range;

use crate::text::position::Byte;
use crate::text::rope::Text;

/// Maximum distance of a partner, in bytes.
pub const REACH: usize = 256 << 10;

/// Opening brackets and their closing ones.
const PAIRS: [(u8, u8); 3] = [(b'(', b')'), (b'[', b']'), (b'{', b'}')];

/// Returns the partner of the bracket at an offset. `None` when there is no bracket or no partner.
pub fn partner(text: &Text, at: Byte) -> Option<Byte> {
    let byte = text.byte_at(at)?;
    PAIRS.iter().find_map(|(open, close)| {
        if byte == *open {
            closing(text, at + 1, *open, *close)
        } else if byte == *close {
            opening(text, at, *open, *close)
        } else {
            None
        }
    })
}

/// Returns the partner, within a range, of the bracket at an offset, considering only some brackets.
pub fn partner_within(
    text: &Text,
    at: Byte,
    bounds: &Range<Byte>,
    counts: impl Fn(Byte) -> bool,
) -> Option<Byte> {
    let byte = text.byte_at(at).filter(|_| bounds.contains(&at))?;
    let (open, close) = PAIRS.iter().find(|(open, close)| [*open, *close].contains(&byte))?;
    let nested = |depth: &mut usize, (here, found): (Byte, u8), deeper: u8| {
        if found != *open && found != *close || !counts(here) {
            return None;
        }
        if found == deeper {
            *depth += 1;
            return None;
        }
        *depth -= 1;
        (*depth == 0).then_some(here)
    };
    let mut depth = 1;
    if byte == *open {
        let mut here = at + 1;
        let bytes = text.chunks_in(here..bounds.end.max(here)).flat_map(str::bytes);
        let mut placed = bytes.map(|byte| {
            here += 1;
            (here.back(1), byte)
        });
        placed.find_map(|found| nested(&mut depth, found, *open))
    } else {
        let mut before = back(text, at).take_while(|(here, _)| *here >= bounds.start);
        before.find_map(|found| nested(&mut depth, found, *close))
    }
}

/// Returns the target of a jump from an offset: the partner of the bracket after or before it, else the end
/// of the enclosing pair.
pub fn jump(text: &Text, at: Byte) -> Option<Byte> {
    if let Some(there) = partner(text, at) {
        return Some(there);
    }
    // After a closing bracket that one is meant, as most editors highlight it.
    if let Some(there) = at.0.checked_sub(1).and_then(|before| partner(text, Byte(before))) {
        return Some(there);
    }
    around(text, at..at).map(|(_, close)| close)
}

/// The nearest pair around a range: offsets of both brackets.
pub fn around(text: &Text, range: Range<Byte>) -> Option<(Byte, Byte)> {
    nearest(text, range, None)
}

/// The nearest pair around a range that is opened by this bracket.
pub fn around_kind(text: &Text, range: Range<Byte>, open: u8) -> Option<(Byte, Byte)> {
    nearest(text, range, Some(open))
}

fn nearest(text: &Text, range: Range<Byte>, only: Option<u8>) -> Option<(Byte, Byte)> {
    let mut depth = [0usize; PAIRS.len()];
    for (at, byte) in back(text, range.start) {
        for (n, (open, close)) in
            PAIRS.iter().enumerate().filter(|(_, (open, _))| only.is_none_or(|o| o == *open))
        {
            if byte == *close {
                depth[n] += 1;
            } else if byte == *open {
                if depth[n] > 0 {
                    depth[n] -= 1;
                } else if let Some(end) = closing(text, at + 1, *open, *close).filter(|end| *end >= range.end)
                {
                    return Some((at, end));
                }
            }
        }
    }
    None
}

/// Returns the closing bracket of a pair opened before `from`.
fn closing(text: &Text, from: Byte, open: u8, close: u8) -> Option<Byte> {
    let mut depth = 0usize;
    let mut at = from;
    for chunk in text.chunks_in(from..from + REACH) {
        for byte in chunk.bytes() {
            if byte == open {
                depth += 1;
            } else if byte == close {
                match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return Some(at),
                }
            }
            at += 1;
        }
    }
    None
}

/// Returns the opening bracket of a pair closed at `to`.
pub fn opening(text: &Text, to: Byte, open: u8, close: u8) -> Option<Byte> {
    let mut depth = 0usize;
    for (at, byte) in back(text, to) {
        if byte == close {
            depth += 1;
        } else if byte == open {
            match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some(at),
            }
        }
    }
    None
}

/// The bytes before an offset, backwards, with their offsets.
fn back(text: &Text, to: Byte) -> impl Iterator<Item = (Byte, u8)> {
    let mut end = to.0.min(text.end().0);
    let least = end.saturating_sub(REACH);
    let (mut chunk, mut start) = (&b""[..], end);
    std::iter::from_fn(move || {
        if end <= least {
            return None;
        }
        if end <= start {
            let (text, from) = text.chunk_at(Byte(end - 1));
            (chunk, start) = (text.as_bytes(), from.0);
        }
        end -= 1;
        Some((Byte(end), chunk[end - start]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn brackets_partner_is_nested() {
        let text = Text::from("a(b[é]{(c)})d");
        let partner = |at| partner(&text, Byte(at)).map(|b| b.0);
        assert_eq!(partner(1), Some(12));
        assert_eq!(partner(12), Some(1));
        assert_eq!((partner(3), partner(6)), (Some(6), Some(3)));
        assert_eq!(partner(0), None);
        assert_eq!(super::partner(&Text::from("(("), Byte(0)), None);
        assert_eq!(super::partner(&Text::from("))"), Byte(1)), None);
    }

    #[test]
    fn brackets_partner_within_range_and_filter() {
        let text = Text::from("(é \")\" [(])");
        let end = text.end();
        let find = |at: usize, from: usize, to: Byte, skipped: usize| {
            partner_within(&text, Byte(at), &(Byte(from)..to), |at| at.0 != skipped).map(|at| at.0)
        };
        assert_eq!(find(0, 0, end, 5), None, "the bracket in the other pair is opened again");
        assert_eq!(find(9, 0, end, 5), Some(11));
        assert_eq!(find(11, 0, end, 5), Some(9));
        assert_eq!(find(0, 0, end, 99), Some(5));
        assert_eq!(find(5, 0, end, 99), Some(0));
        assert_eq!((find(5, 1, end, 99), find(0, 0, Byte(5), 99)), (None, None), "out of the part");
        assert_eq!(find(1, 0, end, 99), None);
    }

    #[test]
    fn brackets_around_finds_nearest_pair() {
        let text = Text::from("x(a{b}c)");
        let around = |a, b| super::around(&text, Byte(a)..Byte(b)).map(|(a, b)| (a.0, b.0));
        assert_eq!(around(4, 4), Some((3, 5)));
        assert_eq!(around(2, 2), Some((1, 7)));
        assert_eq!(around(4, 7), Some((1, 7)));
        assert_eq!(around(0, 0), None);
    }

    #[test]
    fn brackets_partner_beyond_reach_is_none() {
        let text = Text::from(format!("({})", "x".repeat(REACH + 10)).as_str());
        assert_eq!(partner(&text, Byte(0)), None);
        assert_eq!(partner(&text, text.end().back(1)), None);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(64))]
        #[test]
        fn brackets_partner_is_symmetric(plain in "[()a\\[\\]é{}]{0,80}") {
            let text = Text::from(plain.as_str());
            for (at, _) in plain.match_indices(['(', '[', '{']) {
                if let Some(there) = partner(&text, Byte(at)) {
                    prop_assert_eq!(partner(&text, there), Some(Byte(at)));
                    let inner = &plain[at + 1..there.0];
                    let open = &plain[at..=at];
                    let close = &plain[there.0..=there.0];
                    prop_assert_eq!(inner.matches(open).count(), inner.matches(close).count());
                }
            }
        }
    }
}
