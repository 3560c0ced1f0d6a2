//! Position types, so that a byte offset cannot be used as a line or a column.

use std::ops::{Add, AddAssign, Sub};

/// A byte offset from the start of a text, always on a character boundary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Byte(pub usize);

/// A line index from 0; lines end at LF only, as git, ripgrep and grammars count them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(pub usize);

/// A display column from 0, in terminal cells, tabs expanded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(pub usize);

impl Byte {
    /// The offset `bytes` earlier, or the start of the text.
    #[must_use]
    pub fn back(self, bytes: usize) -> Self {
        Self(self.0.saturating_sub(bytes))
    }
}

impl Add<usize> for Byte {
    type Output = Self;
    fn add(self, bytes: usize) -> Self {
        Self(self.0 + bytes)
    }
}

impl AddAssign<usize> for Byte {
    fn add_assign(&mut self, bytes: usize) {
        self.0 += bytes;
    }
}

impl Sub for Byte {
    type Output = usize;
    /// Returns the distance in bytes; 0 when `other` is greater.
    fn sub(self, other: Self) -> usize {
        self.0.saturating_sub(other.0)
    }
}
