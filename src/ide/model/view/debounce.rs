//! Debounces parsing or comparing a text after changes. Must not know what parsing is.
//!
//! A parse after every key costs more than the key itself, mostly without visible effect, since colors are
//! mapped through changes. So the next parse waits for a pause in typing; without a pause it waits so long
//! that parsing is a small part of the time. In a short text, new words are colored before the user notices.

use std::time::Duration;

/// Shorter texts wait only briefly.
const SHORT_LEN: usize = 200 << 10;
/// After a pause of this length the user is assumed to have stopped typing.
const PAUSE: Duration = Duration::from_millis(150);
/// The same for a short text.
const PAUSE_SHORT: Duration = Duration::from_millis(30);
/// The longest wait for a short text.
const WAIT_SHORT: Duration = Duration::from_millis(150);
/// While the user types without a pause, parsing takes at most 1/`SHARE` of the time.
const SHARE: u32 = 1000;
/// Colors are never older.
const WAIT_MAX: Duration = Duration::from_secs(2);
/// Less urgent work waits for a pause of this many times its own duration.
const PAUSE_SHARE: u32 = 10;

/// Pending changes, and the duration of the last parse. Times are on the monotonic clock.
#[derive(Debug, Default)]
pub struct Debounce {
    first_change: Option<Duration>,
    last_change: Option<Duration>,
    cost: Duration,
    may_be_late: bool,
}

impl Debounce {
    /// Returns a debouncer for results that are not watched while typing: it waits for longer pauses.
    pub fn low_priority() -> Self {
        Self { may_be_late: true, ..Self::default() }
    }

    /// Records a change of the text.
    pub fn note_change(&mut self, now: Duration) {
        self.first_change.get_or_insert(now);
        self.last_change = Some(now);
    }

    /// All changes are being parsed, or will not be.
    pub fn note_start(&mut self) {
        self.first_change = None;
    }

    /// Records the duration of a finished parse.
    pub fn note_cost(&mut self, cost: Duration) {
        self.cost = cost;
    }

    /// Returns when a text of this many bytes should be parsed again; `None` while nothing has changed.
    pub fn deadline(&self, len: usize) -> Option<Duration> {
        let first = self.first_change?;
        let (pause, wait) = pause_and_wait(len);
        let pause = if self.may_be_late { pause.max((self.cost * PAUSE_SHARE).min(wait)) } else { pause };
        Some((self.last_change.unwrap_or(first) + pause).min(first + (self.cost * SHARE).min(wait)))
    }

    /// Returns when the typing pause begins after which a frame may be drawn for results alone; `None` if the
    /// user has not typed.
    pub fn pause_deadline(&self, len: usize) -> Option<Duration> {
        self.last_change.map(|last| last + pause_and_wait(len).0)
    }
}

fn pause_and_wait(len: usize) -> (Duration, Duration) {
    if len <= SHORT_LEN { (PAUSE_SHORT, WAIT_SHORT) } else { (PAUSE, WAIT_MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: usize = 1 << 20;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn debounce_due_after_typing_pause() {
        let mut pace = Debounce::default();
        assert_eq!(pace.deadline(LONG), None);
        pace.note_cost(ms(2));
        pace.note_change(ms(1000));
        pace.note_change(ms(1050));
        assert_eq!((pace.deadline(LONG), pace.deadline(10)), (Some(ms(1200)), Some(ms(1080))));
        pace.note_start();
        assert_eq!(pace.deadline(LONG), None);
    }

    #[test]
    fn debounce_quiet_at_waits_for_typing_pause() {
        let mut pace = Debounce::default();
        assert_eq!(pace.pause_deadline(LONG), None, "nobody has typed");
        pace.note_change(ms(1000));
        pace.note_start();
        pace.note_change(ms(1050));
        assert_eq!((pace.pause_deadline(LONG), pace.pause_deadline(10)), (Some(ms(1200)), Some(ms(1080))));
    }

    #[test]
    fn debounce_low_priority_pause_scales_with_cost() {
        for (cost, pause) in [(1, 150), (60, 600), (900, 2000)] {
            let mut pace = Debounce::low_priority();
            pace.note_cost(ms(cost));
            pace.note_change(ms(1000));
            assert_eq!(pace.deadline(LONG), Some(ms(1000 + pause)));
        }
    }

    #[test]
    fn debounce_without_pause_limits_parse_time_share() {
        let mut pace = Debounce::default();
        for (cost, wait) in [(1, 1000), (2, 2000), (50, 2000)] {
            pace.note_cost(ms(cost));
            pace.note_start();
            for key in 0..80 {
                pace.note_change(ms(5000 + key * 50));
            }
            assert_eq!(pace.deadline(LONG), Some(ms(5000 + wait)));
        }
    }
}
