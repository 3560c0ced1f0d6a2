//! A dedicated thread for one kind of work, run one piece at a time. Must not know what the work is.
//!
//! Allocators keep freed memory for the thread that freed it. Parse trees are large and consist of many
//! pieces: when they were made on any free thread, each thread kept the memory of its largest tree.

use std::sync::{Arc, OnceLock, mpsc};
use std::thread;

use tokio::sync::oneshot;

use crate::base::panics::catch;
use crate::ide::core::tasks::threads::on_thread;

type Work = Box<dyn FnOnce() + Send>;

/// Handle of the thread, which is started by the first work and ends with the last clone.
#[derive(Debug, Clone, Default)]
pub struct WorkThread(Arc<OnceLock<Option<mpsc::Sender<Work>>>>);

impl WorkThread {
    /// Runs work there, after all earlier work. Its panic is propagated to the caller.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let Some(thread) = self.0.get_or_init(start) else { return on_thread(work).await };
        let (send, done) = oneshot::channel();
        // If the caller no longer waits, the result is dropped.
        let work: Work = Box::new(move || drop(send.send(catch(work))));
        let lost = "the thread for parsing ended";
        if thread.send(work).is_err() {
            std::panic::panic_any(lost.to_string());
        }
        match done.await {
            Ok(Ok(done)) => done,
            Ok(Err(panicked)) => std::panic::panic_any(panicked.to_string()),
            Err(_) => std::panic::panic_any(lost.to_string()),
        }
    }
}

fn start() -> Option<mpsc::Sender<Work>> {
    let (send, requests) = mpsc::channel::<Work>();
    let thread = thread::Builder::new().name("parse".to_string());
    let started = thread.spawn(move || requests.into_iter().for_each(|work| work()));
    match started {
        Ok(_) => Some(send),
        Err(error) => {
            tracing::warn!("no thread for parsing: {error}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn lane_uses_one_thread_and_survives_panics() {
        let lane = WorkThread::default();
        let id = || thread::current().id();
        let first = lane.run(id).await;
        assert_ne!(first, id());
        let panicked = std::panic::AssertUnwindSafe(lane.run(|| panic!("on purpose"))).catch_unwind().await;
        let told = panicked.unwrap_err().downcast::<String>().unwrap();
        assert!(told.contains("on purpose"), "{told}");
        let copy = lane.clone();
        let (second, third) = futures::join!(lane.run(id), copy.run(id));
        assert_eq!((second, third), (first, first));
    }
}
