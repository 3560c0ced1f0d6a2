//! Events to every front end that listens, in order, in bounded queues.
//!
//! A reader that is slow slows the session; one that does not read at all for `PATIENCE` is
//! let go, and finds its queue closed. A reader that another program depends on is waited for however long
//! it takes: nothing is lost, and nothing piles up.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc::{self, Receiver, Sender, error::TrySendError};

use super::event::RuntimeEvent;

/// Events that wait for one reader.
const CAPACITY: usize = 1024;
/// How long a full queue holds everybody else up.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a reader is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reader {
    /// One that keeps up; let go when it does not.
    #[default]
    Lively,
    /// One that is waited for as long as it is there, and hears of entries, too.
    Patient,
    /// One that keeps up, and for which the end of a conversation is enough.
    #[doc(hidden)]
    Recent,
}

type Readers = Vec<(Sender<RuntimeEvent>, Reader)>;

/// The readers of one session.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Hub {
    readers: Arc<Mutex<Readers>>,
    patience: Duration,
}

impl Default for Hub {
    fn default() -> Self {
        Self { readers: Arc::default(), patience: PATIENCE }
    }
}

impl Hub {
    /// A new reader, who hears everything from now on.
    pub fn subscribe(&self, reader: Reader) -> Receiver<RuntimeEvent> {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        self.readers.lock().push((sender, reader));
        receiver
    }

    /// Whether somebody hears of entries.
    pub fn wants_entries(&self) -> bool {
        self.readers.lock().iter().any(|(_, reader)| *reader == Reader::Patient)
    }

    /// Whether the end of a conversation is enough for every reader.
    pub fn wants_recent(&self) -> bool {
        self.readers.lock().iter().all(|(_, reader)| *reader == Reader::Recent)
    }

    /// Tells everybody, and waits for the slow ones.
    pub async fn tell(&self, event: RuntimeEvent) {
        for (slow, reader) in self.offer(&event) {
            let told = match reader {
                Reader::Lively | Reader::Recent => {
                    slow.send_timeout(event.clone(), self.patience).await.is_ok()
                }
                Reader::Patient => slow.send(event.clone()).await.is_ok(),
            };
            if !told {
                tracing::warn!("a front end does not read its events; it was let go");
                self.readers.lock().retain(|(reader, _)| !reader.same_channel(&slow));
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
    fn offer(&self, event: &RuntimeEvent) -> Readers {
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
        let hub = Hub { patience: Duration::from_millis(5), ..Hub::default() };
        let (mut good, lazy) = (hub.subscribe(Reader::Lively), hub.subscribe(Reader::Lively));
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
        assert_eq!(hub.readers.lock().len(), 1);
        drop(hub);
        assert_eq!(reading.await.unwrap(), CAPACITY + 5);
    }

    #[tokio::test]
    async fn event_hub_patient_reader_gets_back_pressure() {
        let hub = Hub { patience: Duration::from_millis(1), ..Hub::default() };
        let mut slow = hub.subscribe(Reader::Patient);
        let telling = {
            let hub = hub.clone();
            tokio::spawn(async move {
                for _ in 0..2 * CAPACITY {
                    hub.tell(RuntimeEvent::ThinkingChanged(Thinking::Low)).await;
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
