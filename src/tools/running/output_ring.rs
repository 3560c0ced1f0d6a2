//! The latest bytes that a command has printed, for those who watch it: a bounded ring, and how much there was
//! in total.
//!
//! Must not know commands. What was pushed out of the ring is counted, not kept.

use std::collections::VecDeque;

use parking_lot::Mutex;
use tokio::sync::watch;

/// Maximum number of bytes in memory.
pub const RING_MAX: usize = 256 << 10;

/// The ring. Readers take from it at their own pace, and none holds up the command.
#[derive(Debug)]
pub struct OutputRing {
    latest: Mutex<VecDeque<u8>>,
    total: watch::Sender<u64>,
}

/// What a reader gets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RingPart {
    /// Number of bytes that were pushed out of the ring before they were read.
    pub missed: u64,
    /// The bytes after them.
    pub bytes: Vec<u8>,
}

impl Default for OutputRing {
    fn default() -> Self {
        Self { latest: Mutex::default(), total: watch::channel(0).0 }
    }
}

impl OutputRing {
    /// Adds output.
    pub fn push(&self, bytes: &[u8]) {
        let mut latest = self.latest.lock();
        let kept = &bytes[bytes.len().saturating_sub(RING_MAX)..];
        let surplus = (latest.len() + kept.len()).saturating_sub(RING_MAX);
        latest.drain(..surplus);
        latest.extend(kept);
        // Inside the lock, so that a reader finds as many bytes as the total says.
        self.total.send_modify(|total| *total += bytes.len() as u64);
    }

    /// Returns the total number of bytes, which changes with every output.
    pub fn total(&self) -> watch::Receiver<u64> {
        self.total.subscribe()
    }

    /// Returns at most `max` bytes from a position of all output.
    pub fn read(&self, from: u64, max: usize) -> RingPart {
        let latest = self.latest.lock();
        let total = *self.total.borrow();
        let first = total - latest.len() as u64;
        let begin = from.clamp(first, total);
        let skipped = (begin - first) as usize;
        let bytes = latest.iter().skip(skipped).take(max).copied().collect();
        RingPart { missed: begin.saturating_sub(from), bytes }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn output_ring_keeps_latest_bytes_and_counts_all() {
        let ring = OutputRing::default();
        assert_eq!(ring.read(0, 10), RingPart::default());
        ring.push(b"first ");
        ring.push(&vec![b'x'; RING_MAX - 2]);
        assert_eq!(*ring.total().borrow(), RING_MAX as u64 + 4);
        let part = ring.read(0, 5);
        assert_eq!((part.missed, part.bytes.as_slice()), (4, b"t xxx".as_slice()));
        assert_eq!(ring.read(4, usize::MAX).bytes.len(), RING_MAX);
        ring.push(&vec![b'y'; 3 * RING_MAX]);
        assert_eq!(ring.latest.lock().len(), RING_MAX, "an output larger than the ring");
        assert_eq!(*ring.total().borrow(), 4 * RING_MAX as u64 + 4);
        assert_eq!(ring.read(u64::MAX, 10), RingPart::default(), "nothing after the end");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(60))]

        #[test]
        fn output_ring_reader_gets_all_bytes_or_knows_how_many_it_missed(
            pushes in prop::collection::vec((0usize..200_000, any::<bool>()), 1..8), max in 1usize..300_000,
        ) {
            let ring = OutputRing::default();
            let (mut all, mut at) = (Vec::new(), 0u64);
            for (n, (length, is_read)) in pushes.into_iter().enumerate() {
                let bytes = vec![n as u8; length];
                ring.push(&bytes);
                all.extend(bytes);
                prop_assert_eq!(*ring.total().borrow(), all.len() as u64);
                if is_read {
                    let part = ring.read(at, max);
                    let begin = (at + part.missed) as usize;
                    prop_assert!(part.missed == 0 || all.len() - begin == RING_MAX);
                    prop_assert_eq!(&part.bytes, &all[begin..begin + part.bytes.len()]);
                    prop_assert!(part.bytes.len() == max.min(all.len() - begin));
                    at = (begin + part.bytes.len()) as u64;
                }
            }
        }
    }
}
