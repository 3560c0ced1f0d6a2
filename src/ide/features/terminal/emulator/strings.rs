//! Truncates strings that programs send to the terminal (titles, links, colors): the emulator's parser would
//! store an endless one completely. Must not know what the strings are for.

use std::borrow::Cow;

/// Maximum bytes kept of a string: no link accepted by browsers is longer.
const STRING_MAX: usize = 4 << 10;

const ESCAPE: u8 = 0x1b;

/// Parser state, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StringState {
    /// Not in a string.
    Outside,
    /// After an escape.
    Escape,
    /// In an operating system command with this many bytes.
    Inside(usize),
}

/// Follows the output from one read to the next.
#[derive(Debug)]
pub struct Strings(StringState);

impl Default for Strings {
    fn default() -> Self {
        Self(StringState::Outside)
    }
}

impl Strings {
    /// Returns what the parser must read: everything but the part of a string beyond the limit.
    pub fn truncate<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        if self.0 == StringState::Outside && memchr::memchr(ESCAPE, bytes).is_none() {
            return Cow::Borrowed(bytes);
        }
        let (mut kept, mut cuts, mut from, mut at) = (Vec::new(), false, 0, 0);
        while at < bytes.len() {
            let is_kept = self.step(bytes[at]);
            if !is_kept {
                kept.extend_from_slice(&bytes[from..at]);
                (cuts, from) = (true, at + 1);
            }
            at += 1;
            if self.0 == StringState::Outside {
                at += memchr::memchr(ESCAPE, &bytes[at..]).unwrap_or(bytes.len() - at);
            }
        }
        if !cuts {
            return Cow::Borrowed(bytes);
        }
        kept.extend_from_slice(&bytes[from..]);
        Cow::Owned(kept)
    }

    /// Processes one byte; returns whether it must be read.
    fn step(&mut self, byte: u8) -> bool {
        let (next, is_kept) = match (self.0, byte) {
            (_, ESCAPE) => (StringState::Escape, true),
            (StringState::Escape, b']') => (StringState::Inside(0), true),
            // The parser cancels at these two, and executes other control characters within the string.
            (StringState::Escape | StringState::Inside(_), 0x18 | 0x1a) | (StringState::Inside(_), 0x07) => {
                (StringState::Outside, true)
            }
            (StringState::Escape, 0..=0x1f | 0x7f..) => (StringState::Escape, true),
            (StringState::Inside(STRING_MAX), _) => (StringState::Inside(STRING_MAX), false),
            (StringState::Inside(length), _) => (StringState::Inside(length + 1), true),
            (StringState::Outside | StringState::Escape, _) => (StringState::Outside, true),
        };
        self.0 = next;
        is_kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn terminal_long_string_is_truncated() {
        let mut strings = Strings::default();
        let mut read = strings.truncate(b"a\x1b]2;").len();
        for _ in 0..1000 {
            read += strings.truncate(&[b'x'; 1000]).len();
        }
        assert_eq!(read, 3 + STRING_MAX);
        assert_eq!(&*strings.truncate(b"yy\x07zz\x1b]0;t\x1b\\e"), b"\x07zz\x1b]0;t\x1b\\e");
    }

    #[test]
    fn terminal_string_start_is_found_despite_controls() {
        for begin in ["\x1b\r]", "\x1b\x7f]", "\x1b\x1b]", "\x1b\u{e9}]", "\x1b[3\x1b]", "\x1bPq\x1b]"] {
            let mut strings = Strings::default();
            strings.truncate(begin.as_bytes());
            assert_eq!(strings.truncate(&vec![b'x'; STRING_MAX + 5]).len(), STRING_MAX, "{begin:?}");
        }
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn terminal_short_strings_pass_unchanged(
            bytes in prop::collection::vec(prop_oneof![Just(ESCAPE), Just(b']'), Just(7u8), any::<u8>()], 0..300),
            reads in 1..20usize,
        ) {
            let mut strings = Strings::default();
            for read in bytes.chunks(reads) {
                prop_assert_eq!(&*strings.truncate(read), read);
            }
        }
    }
}
