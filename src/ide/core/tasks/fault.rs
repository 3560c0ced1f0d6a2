//! Makes a task panic, so that tests can see that whatever waits for it goes on. Must not know
//! tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts down to the task that panics; 0 means none. Copies share the count.
#[derive(Debug, Clone, Default)]
pub struct Fault(Arc<AtomicUsize>);

/// Whether one task panics.
#[derive(Debug)]
pub struct Panic(bool);

impl Fault {
    /// The `nth` task to come panics, from 1.
    pub fn set(&self, nth: usize) {
        self.0.store(nth, Ordering::SeqCst);
    }

    /// Whether the task that panics did not come yet.
    pub fn is_to_come(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }

    /// Whether the task that begins now is the one. To be called on the loop, where the order of
    /// tasks is known.
    pub fn next(&self) -> Panic {
        let counted = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        Panic(counted == Ok(1))
    }
}

impl Panic {
    /// Panics if it does.
    pub fn strike(self) {
        assert!(!self.0, "a task that panics for a test");
    }
}
