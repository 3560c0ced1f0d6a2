//! The way to interrupt a run from any thread, at once, without a queue in between.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// Interrupts the run that is going on. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Abort {
    current: Arc<Mutex<CancellationToken>>,
}

impl Abort {
    /// Interrupts: the answer's connection closes, running tools end.
    pub fn now(&self) {
        self.token().cancel();
    }

    /// The token of the run that is going on.
    pub fn token(&self) -> CancellationToken {
        self.current.lock().clone()
    }

    /// A fresh token for a new run; interruptions so far do not concern it.
    pub fn renew(&self) {
        *self.current.lock() = CancellationToken::new();
    }
}
