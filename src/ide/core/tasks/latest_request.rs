//! Identifies the latest of several requests for the same thing. Responses arrive in any order, so the
//! response to an older request could replace that to a newer one.
//!
//! Must not know what is requested.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::ide::core::context::Cx;

/// Requests for one thing. Clones count the same requests.
#[derive(Debug, Clone, Default)]
pub struct LatestRequest(Arc<AtomicU64>);

impl LatestRequest {
    /// Starts a request. The returned callback calls `done` unless another request has begun since; older
    /// responses are dropped.
    pub fn begin<T>(
        &self,
        done: impl FnOnce(&mut Cx<'_>, T) + Send + 'static,
    ) -> impl FnOnce(&mut Cx<'_>, T) + Send + 'static {
        let newest = self.0.clone();
        let number = newest.fetch_add(1, Ordering::Relaxed) + 1;
        move |cx, answer| {
            if newest.load(Ordering::Relaxed) == number {
                done(cx, answer);
            }
        }
    }

    /// Returns a function, for any thread, that says whether the request that began last is still the latest.
    pub fn is_latest(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let newest = self.0.clone();
        let number = newest.load(Ordering::Relaxed);
        move || newest.load(Ordering::Relaxed) == number
    }
}
