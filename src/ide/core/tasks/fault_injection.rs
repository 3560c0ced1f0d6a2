//! Makes a task panic, so that tests can verify that its waiters continue. Must not know tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts down to the task that panics; 0 means none. Clones share the count.
#[derive(Debug, Clone, Default)]
pub struct FaultInjection(Arc<AtomicUsize>);

/// Whether one task panics.
#[derive(Debug)]
pub struct PlannedPanic(bool);

impl FaultInjection {
    /// Makes the `nth` following task panic, counted from 1.
    pub fn set(&self, nth: usize) {
        self.0.store(nth, Ordering::SeqCst);
    }

    /// Returns whether the task that panics has not started yet.
    pub fn is_pending(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }

    /// Returns whether the task that begins now is the one to panic. Must be called on the event loop, where
    /// the order of tasks is known.
    pub fn next(&self) -> PlannedPanic {
        let counted =
            self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |remaining| remaining.checked_sub(1));
        PlannedPanic(counted == Ok(1))
    }
}

impl PlannedPanic {
    /// Panics if set.
    pub fn panic_if_planned(self) {
        assert!(!self.0, "a task that panics for a test");
    }
}
