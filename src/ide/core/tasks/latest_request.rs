//! Which of several requests for the same thing is the latest. Answers come in any order, so the one to an older request
//! could replace the one to a newer.
//!
//! Must not know what is asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::ide::core::context::Cx;

/// Requests for one thing. Copies count the same requests.
#[derive(Debug, Clone, Default)]
pub struct LatestRequest(Arc<AtomicU64>);

impl LatestRequest {
    /// A request begins: the callback that it returns calls `done` if no other request began by then. Older answers
    /// are dropped.
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
}
