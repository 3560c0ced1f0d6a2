//! What ids are known by in memory: sums of them, with a key of each tree's own.
//!
//! Must not know trees: others make sums, too, on other threads.

use std::hash::{BuildHasher, RandomState};

/// Makes sums. Its copies make the same ones.
#[derive(Debug, Clone, Default)]
pub(in crate::session) struct IdSums(RandomState);

impl IdSums {
    /// That of an id.
    pub(in crate::session) fn of(&self, id: &str) -> u32 {
        self.0.hash_one(id) as u32
    }
}

/// As many bits as a table looks at, at both of its ends.
pub(super) fn spread(sum: u32) -> u64 {
    u64::from(sum) << 32 | u64::from(sum)
}
