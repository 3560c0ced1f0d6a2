//! Generator of ids as an injected service: session ids, entry ids, and others.
//!
//! Must not know what the ids identify.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A source of unique ids.
pub trait Ids: Send + Sync {
    /// Returns a session id: a UUID of version 7, whose text sorts by time (`now_ms` since the epoch).
    fn session(&self, now_ms: u64) -> String;
    /// Returns an entry id: eight hexadecimal digits; the caller checks for collisions in its file.
    fn entry(&self) -> String;
}

/// An id source that can be shared between tasks.
pub type SharedIds = Arc<dyn Ids>;

/// Random ids.
#[derive(Debug)]
pub struct RandomIds;

impl RandomIds {
    /// A shared source of random ids.
    pub fn shared() -> SharedIds {
        Arc::new(Self)
    }
}

impl Ids for RandomIds {
    fn session(&self, now_ms: u64) -> String {
        let stamp =
            uuid::Timestamp::from_unix(uuid::NoContext, now_ms / 1000, (now_ms % 1000) as u32 * 1_000_000);
        uuid::Uuid::new_v7(stamp).to_string()
    }

    fn entry(&self) -> String {
        uuid::Uuid::new_v4().simple().to_string()[..8].to_string()
    }
}

/// Returns a random UUID.
#[doc(hidden)]
pub fn uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// Ids that count up from 1, for tests with stable output.
#[derive(Debug, Default)]
pub struct CountingIds {
    next: AtomicU64,
}

impl CountingIds {
    /// A shared counting source.
    pub fn shared() -> SharedIds {
        Arc::new(Self::default())
    }
}

impl Ids for CountingIds {
    fn session(&self, _now_ms: u64) -> String {
        let n = self.next.fetch_add(1, Ordering::SeqCst) + 1;
        format!("00000000-0000-7000-8000-{n:012x}")
    }

    fn entry(&self) -> String {
        let n = self.next.fetch_add(1, Ordering::SeqCst) + 1;
        format!("{n:08x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_ids_sort_by_time() {
        let ids = RandomIds;
        assert!(ids.session(1_000) < ids.session(2_000));
        assert_eq!(ids.entry().len(), 8);
    }
}
