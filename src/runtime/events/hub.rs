//! Broadcasts events to all front ends that subscribe, in order, through bounded queues.
//!
//! A slow reader slows the session (back-pressure); one that does not read at all for `PATIENCE` is dropped,
//! and finds its queue closed. The hub waits without limit for a reader that another program depends on: no
//! event is lost, and none pile up.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc::{self, Receiver, Sender, error::TrySendError};

use super::event::RuntimeEvent;

/// Capacity of one reader's queue.
const CAPACITY: usize = 1024;
/// How long a full queue may block all other readers.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// Kind of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reader {
    /// Keeps up with events; dropped when it does not.
    #[default]
    Lively,
    /// Waited for without limit; also gets entries.
    Patient,
    /// Keeps up with events, and needs only the end of a conversation.
    #[doc(hidden)]
    Recent,
}

type Readers = Vec<(Sender<RuntimeEvent>, Reader)>;

/// The readers of one session.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Hub {
    readers: Arc<Mutex<Readers>>,
    send_timeout: Duration,
}

impl Default for Hub {
    fn default() -> Self {
        Self { readers: Arc::default(), send_timeout: SEND_TIMEOUT }
    }
}

impl Hub {
    /// Adds a reader, which gets all events from now on.
    pub fn subscribe(&self, reader: Reader) -> Receiver<RuntimeEvent> {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        self.readers.lock().push((sender, reader));
        receiver
    }

    /// Whether a reader subscribes to entries.
    pub fn wants_entries(&self) -> bool {
        self.readers.lock().iter().any(|(_, reader)| *reader == Reader::Patient)
    }

    /// Whether the end of a conversation is enough for every reader.
    pub fn wants_recent(&self) -> bool {
        self.readers.lock().iter().all(|(_, reader)| *reader == Reader::Recent)
    }

    /// Sends an event to all readers, and waits for slow ones.
    pub async fn send(&self, event: RuntimeEvent) {
        for (slow, reader) in self.send_to_ready(&event) {
            let sent = match reader {
                Reader::Lively | Reader::Recent => {
                    slow.send_timeout(event.clone(), self.send_timeout).await.is_ok()
                }
                Reader::Patient => slow.send(event.clone()).await.is_ok(),
            };
            if !sent {
                tracing::warn!("a front end does not read its events; it was let go");
                self.readers.lock().retain(|(reader, _)| !reader.same_channel(&slow));
            }
        }
    }

    /// Sends an event to the readers with room, for callers that cannot wait.
    pub fn try_send(&self, event: &RuntimeEvent) {
        let missed = self.send_to_ready(event).len();
        if missed > 0 {
            tracing::warn!(missed, "front ends with full queues missed: {event:?}");
        }
    }

    /// Sends the event to every reader with room and returns the others.
    fn send_to_ready(&self, event: &RuntimeEvent) -> Readers {
        let mut slow = Vec::new();
        let entry = matches!(event, RuntimeEvent::EntryAppended(_));
        self.readers.lock().retain(|(sender, reader)| {
            if entry && *reader != Reader::Patient {
                return true;
            }
            match sender.try_send(event.clone()) {
                Ok(()) => true,
                Err(TrySendError::Full(_)) => {
                    slow.push((sender.clone(), *reader));
                    true
                }
                Err(TrySendError::Closed(_)) => false,
            }
        });
        slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::Thinking;

    #[tokio::test]
    async fn event_hub_drops_stalled_reader_only() {
        let hub = Hub { send_timeout: Duration::from_millis(5), ..Hub::default() };
        let (mut good, lazy) = (hub.subscribe(Reader::Lively), hub.subscribe(Reader::Lively));
        let reading = tokio::spawn(async move {
            let mut count = 0;
            while good.recv().await.is_some() {
                count += 1;
            }
            count
        });
        for _ in 0..CAPACITY + 5 {
            hub.send(RuntimeEvent::ThinkingChanged(Thinking::Low)).await;
        }
        assert_eq!(lazy.len(), CAPACITY);
        assert_eq!(hub.readers.lock().len(), 1);
        drop(hub);
        assert_eq!(reading.await.unwrap(), CAPACITY + 5);
    }

    #[tokio::test]
    async fn event_hub_patient_reader_gets_back_pressure() {
        let hub = Hub { send_timeout: Duration::from_millis(1), ..Hub::default() };
        let mut slow = hub.subscribe(Reader::Patient);
        let telling = {
            let hub = hub.clone();
            tokio::spawn(async move {
                for _ in 0..2 * CAPACITY {
                    hub.send(RuntimeEvent::ThinkingChanged(Thinking::Low)).await;
                }
            })
        };
        while slow.len() < CAPACITY {
            tokio::task::yield_now().await;
        }
        // Many times the patience that others get.
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(slow.len(), CAPACITY);
        drop(hub);
        let mut count = 0;
        while slow.recv().await.is_some() {
            count += 1;
        }
        telling.await.unwrap();
        assert_eq!(count, 2 * CAPACITY);
    }
}
