//! Rate limit layer: limits concurrent calls and calls per minute. Further calls wait.
//!
//! Must not know any provider.

use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::llm::layers::layer::{Layer, Next};
use crate::llm::model::{Request, StreamEvent};
use crate::llm::provider::EventStream;

/// The limits, shared by all clones.
#[derive(Debug, Clone)]
pub struct Rate {
    concurrent: Arc<Semaphore>,
    /// Minimum interval between the starts of two calls.
    interval: Duration,
    /// Earliest start of the next call.
    next: Arc<Mutex<Option<Instant>>>,
}

impl Rate {
    /// Creates limits for concurrent calls (at least one) and calls per minute; `None` is unlimited.
    pub fn new(at_once: usize, a_minute: Option<u32>) -> Self {
        let apart = a_minute.map_or(Duration::ZERO, |n| Duration::from_mins(1) / n.max(1));
        Self { concurrent: Arc::new(Semaphore::new(at_once.max(1))), interval: apart, next: Arc::default() }
    }

    /// Reserves the next start time.
    fn next_start(&self) -> Instant {
        let mut next = self.next.lock();
        let now = Instant::now();
        let at = next.map_or(now, |next| next.max(now));
        *next = Some(at + self.interval);
        at
    }
}

impl Layer for Rate {
    fn stream(&self, request: Request, next: Next) -> EventStream {
        let rate = self.clone();
        let begin = async move {
            // Never closed; if it were, there would be no limit to enforce.
            let permit = rate.concurrent.clone().acquire_owned().await.ok();
            tokio::time::sleep_until(rate.next_start()).await;
            // The permit is released at the last event, or when the stream is dropped.
            let mut held = permit;
            next.stream(request).inspect(move |event| {
                if matches!(event, StreamEvent::Done { .. } | StreamEvent::Error { .. }) {
                    drop(held.take());
                }
            })
        };
        begin.into_stream().flatten().boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::client::Client;
    use crate::llm::providers::scripted::script::{Scripted, Step, Turn};

    fn client(rate: Rate, turns: Vec<Turn>) -> (Arc<Scripted>, Client, Request) {
        let (script, injected) = Scripted::injected(turns);
        let mut client = Client::new();
        client.register(injected.provider, injected.models);
        let client = client.with_layers(vec![Arc::new(rate)]);
        let model = (*client.models()[0]).clone();
        (script, client, Request { model, ..Request::default() })
    }

    #[tokio::test]
    async fn rate_limit_queues_concurrent_requests() {
        let turns = vec![Turn::of(vec![Step::Gate]), Turn::text("second")];
        let (script, client, request) = client(Rate::new(1, None), turns);
        let mut first = client.stream(request.clone());
        assert!(first.next().await.is_some());
        let mut second = client.stream(request);
        assert!(futures::poll!(second.next()).is_pending());
        assert_eq!(script.requests().len(), 1);
        script.gate.add_permits(1);
        while !matches!(first.next().await, Some(StreamEvent::Done { .. })) {}
        // The receiver of the last event may keep the stream as long as it likes.
        assert!(second.next().await.is_some());
        assert_eq!(script.requests().len(), 2);
        drop(first);
    }

    #[tokio::test]
    async fn rate_limit_spaces_request_starts() {
        let rate = Rate::new(8, Some(60_000));
        let turns: Vec<Instant> = (0..3).map(|_| rate.next_start()).collect();
        assert_eq!([turns[1] - turns[0], turns[2] - turns[1]], [Duration::from_millis(1); 2]);
    }
}
