//! Interrupts a run immediately from any thread, without a queue.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// Interrupts the active run. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Abort {
    current: Arc<Mutex<CancellationToken>>,
}

impl Abort {
    /// Interrupts: the answer's connection closes, running tools end.
    pub fn interrupt(&self) {
        self.token().cancel();
    }

    /// Returns the token of the active run.
    pub fn token(&self) -> CancellationToken {
        self.current.lock().clone()
    }

    /// Creates a token for a new run; earlier interruptions do not affect it.
    pub fn renew(&self) {
        *self.current.lock() = CancellationToken::new();
    }
}
