//! Hashes of ids, with a random key per tree.
//!
//! Must not know trees: other threads compute hashes, too.

use std::hash::{BuildHasher, RandomState};

/// The hasher. Copies compute the same hashes.
#[derive(Debug, Clone, Default)]
pub(in crate::session) struct IdHasher(RandomState);

impl IdHasher {
    /// Returns the hash of an id.
    pub(in crate::session) fn hash(&self, id: &str) -> u32 {
        self.0.hash_one(id) as u32
    }
}

/// Spreads the hash to the bits that a hash table uses, at both ends.
pub(super) fn spread(sum: u32) -> u64 {
    u64::from(sum) << 32 | u64::from(sum)
}
