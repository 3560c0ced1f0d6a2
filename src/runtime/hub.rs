//! Events to every front end that listens, in order, in bounded queues.
//!
//! A reader that is slow slows the session; one that does not read at all for [`PATIENCE`] is
//! let go, and finds its queue closed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::{self, Receiver, Sender, error::TrySendError};

use super::event::RuntimeEvent;

/// Events that wait for one reader.
const CAPACITY: usize = 1024;
/// How long a full queue holds everybody else up.
const PATIENCE: Duration = Duration::from_secs(10);

/// The readers of one session.
#[derive(Debug, Clone)]
pub struct Hub {
    readers: Arc<Mutex<Vec<Sender<RuntimeEvent>>>>,
    patience: Duration,
}

impl Default for Hub {
    fn default() -> Self {
        Self { readers: Arc::default(), patience: PATIENCE }
    }
}

impl Hub {
    /// A new reader, who hears everything from now on.
    pub fn subscribe(&self) -> Receiver<RuntimeEvent> {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        self.lock().push(sender);
        receiver
    }

    /// Tells everybody, and waits for the slow ones.
    pub async fn tell(&self, event: RuntimeEvent) {
        for slow in self.offer(&event) {
            if slow.send_timeout(event.clone(), self.patience).await.is_err() {
                tracing::warn!("a front end does not read its events; it was let go");
                self.lock().retain(|reader| !reader.same_channel(&slow));
            }
        }
    }

    /// Tells those who have room, from where nobody can wait.
    pub fn tell_now(&self, event: &RuntimeEvent) {
        let missed = self.offer(event).len();
        if missed > 0 {
            tracing::warn!(missed, "front ends with full queues missed: {event:?}");
        }
    }

    /// Gives the event to every reader with room and returns those without.
    fn offer(&self, event: &RuntimeEvent) -> Vec<Sender<RuntimeEvent>> {
        let mut slow = Vec::new();
        self.lock().retain(|reader| match reader.try_send(event.clone()) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                slow.push(reader.clone());
                true
            }
            Err(TrySendError::Closed(_)) => false,
        });
        slow
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Sender<RuntimeEvent>>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::Thinking;

    #[tokio::test]
    async fn who_does_not_read_is_let_go_and_the_others_miss_nothing() {
        let hub = Hub { patience: Duration::from_millis(5), ..Hub::default() };
        let (mut good, lazy) = (hub.subscribe(), hub.subscribe());
        let reading = tokio::spawn(async move {
            let mut count = 0;
            while good.recv().await.is_some() {
                count += 1;
            }
            count
        });
        for _ in 0..CAPACITY + 5 {
            hub.tell(RuntimeEvent::ThinkingChanged(Thinking::Low)).await;
        }
        assert_eq!(lazy.len(), CAPACITY);
        assert_eq!(hub.lock().len(), 1);
        drop(hub);
        assert_eq!(reading.await.unwrap(), CAPACITY + 5);
    }
}
