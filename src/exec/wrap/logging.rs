//! Logging layer: reports each operation, its target, result and duration, without contents.
//!
//! Must not know the receiver.

use std::fmt;
use std::time::Duration;

use super::layer::{Ended, Layer, Operation};

/// A log entry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Such as `read` or `run`.
    pub operation: &'static str,
    /// A path, or a command.
    pub target: String,
    /// How it ended.
    pub ended: Ended,
    /// The duration since the request.
    pub elapsed: Duration,
}

/// Receives entries, each when its operation is over; must not block.
pub type EntrySink = Box<dyn Fn(Entry) + Send + Sync>;

/// The layer with its sink.
pub struct Logging {
    sink: EntrySink,
}

impl Logging {
    /// Creates the layer with a sink.
    pub fn new(sink: impl Fn(Entry) + Send + Sync + 'static) -> Self {
        Self { sink: Box::new(sink) }
    }
}

impl fmt::Debug for Logging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logging").finish_non_exhaustive()
    }
}

impl Layer for Logging {
    fn on_done(&self, operation: Operation<'_>, ended: Ended, took: Duration) {
        let on = match operation {
            Operation::Run(script, _) => script.to_string(),
            Operation::Rename(from, to) => format!("{} -> {}", from.display(), to.display()),
            other => other.path().display().to_string(),
        };
        (self.sink)(Entry { operation: operation.name(), target: on, ended, elapsed: took });
    }
}
