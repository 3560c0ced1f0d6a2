//! Uses of the name at the caret, as a language server says. Must not know servers.

use std::ops::Range;

use crate::text::position::Byte;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The name.
    pub range: Range<Byte>,
    /// Whether it gets another value there.
    pub is_write: bool,
}

/// All of them in a version of a text, by position.
#[derive(Debug, Clone, Default)]
pub struct Occurrences {
    version: u64,
    all: Vec<Occurrence>,
    /// Length of the longest: a search for what touches a position starts that far before it.
    longest: usize,
}

impl Occurrences {
    /// Creates them for a version of the text.
    pub fn new(version: u64, mut all: Vec<Occurrence>) -> Self {
        all.retain(|one| one.range.start < one.range.end);
        all.sort_by_key(|one| (one.range.start, one.range.end));
        let longest = all.iter().map(|one| one.range.end - one.range.start).max().unwrap_or(0);
        Self { version, all, longest }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether they are about this version of the text, and the caret is in one of them or at its end.
    pub fn is_at(&self, version: u64, caret: Byte) -> bool {
        self.touching(version, caret..caret).next().is_some()
    }

    /// Returns those that touch a range of this version of the text, by position.
    pub fn touching(&self, version: u64, range: Range<Byte>) -> impl Iterator<Item = &Occurrence> {
        let all = if version == self.version { self.all.as_slice() } else { &[] };
        let first = all.partition_point(|one| one.range.start + self.longest < range.start);
        let found = all[first..].iter().take_while(move |one| one.range.start <= range.end);
        found.filter(move |one| one.range.end >= range.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(from: usize, to: usize) -> Occurrence {
        Occurrence { range: Byte(from)..Byte(to), is_write: false }
    }

    #[test]
    fn occurrences_hold_for_their_version_and_while_the_caret_is_in_one() {
        let all = Occurrences::new(3, vec![one(10, 12), one(2, 8), one(5, 5)]);
        let at = |version, at| all.is_at(version, Byte(at));
        assert!(at(3, 2) && at(3, 8) && at(3, 11) && at(3, 12));
        assert!(!at(3, 9) && !at(3, 1) && !at(3, 13), "outside");
        assert!(!at(4, 2), "another version");
        let starts: Vec<_> = all.touching(3, Byte(7)..Byte(20)).map(|one| one.range.start.0).collect();
        assert_eq!(starts, [2, 10]);
        assert!(Occurrences::new(3, vec![one(5, 5)]).is_empty(), "one without text is none");
    }
}
