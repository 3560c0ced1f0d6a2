//! Before-change hook: a port for an upper layer that must act before a call changes files. Must not know any
//! tool, nor the implementation.

use std::path::PathBuf;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::exec::Environment;

/// Called for calls that may change files, before they run.
pub trait BeforeChangeHook: Send + Sync {
    /// Called before a call runs, which waits for the future. `paths` are the files that it names, absolute.
    fn before(&self, env: Arc<dyn Environment>, paths: Vec<PathBuf>) -> BoxFuture<'_, ()>;
}
