//! Messages that wait to be written. Adding one never blocks; a peer that does not read costs limited memory.

use std::collections::VecDeque;

use parking_lot::Mutex;
use tokio::sync::Notify;

/// Bytes that may wait: more than the changes of the largest texts, less than what hurts.
const WAITING_MAX: usize = 64 << 20;

/// Why a message was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// The peer has not read for so long that too much waits.
    TooMuch,
    /// The connection has ended.
    Closed,
}

#[derive(Default)]
struct Waiting {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    is_closed: bool,
}

/// The queue.
#[derive(Default)]
pub struct Outbox {
    waiting: Mutex<Waiting>,
    changed: Notify,
}

impl Outbox {
    /// Puts a message at the end.
    pub fn put(&self, message: Vec<u8>) -> Result<(), Full> {
        let mut waiting = self.waiting.lock();
        if waiting.is_closed {
            return Err(Full::Closed);
        }
        if waiting.bytes + message.len() > WAITING_MAX && !waiting.messages.is_empty() {
            return Err(Full::TooMuch);
        }
        waiting.bytes += message.len();
        waiting.messages.push_back(message);
        drop(waiting);
        self.changed.notify_one();
        Ok(())
    }

    /// Waits for messages; returns all that wait, one after the other. `None` after the end.
    pub async fn take(&self) -> Option<Vec<u8>> {
        loop {
            let changed = self.changed.notified();
            {
                let mut waiting = self.waiting.lock();
                if !waiting.messages.is_empty() {
                    waiting.bytes = 0;
                    return Some(waiting.messages.drain(..).flatten().collect());
                }
                if waiting.is_closed {
                    return None;
                }
            }
            changed.await;
        }
    }

    /// Takes no more messages; those that wait are still written.
    pub fn close(&self) {
        self.waiting.lock().is_closed = true;
        self.changed.notify_one();
    }
}
