//! The port through which an upper layer hears of calls before they change anything. Must not know any tool,
//! nor who listens.

use std::path::PathBuf;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::exec::Environment;

/// Hears of calls that may change files, before they run.
pub trait BeforeChangeHook: Send + Sync {
    /// A call is about to run, and waits for this. `paths` are the files that it names, absolute.
    fn before(&self, env: Arc<dyn Environment>, paths: Vec<PathBuf>) -> BoxFuture<'_, ()>;
}
