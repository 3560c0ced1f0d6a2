//! When a text is parsed again, or compared, after changes. Must not know what parsing is.
//!
//! A parse after every key costs more than the key itself, mostly for nothing that is seen, since
//! colors are carried along: so the next one waits for a pause in typing, and without one as
//! long as makes parsing a small part of the time. New words of a short text have their colors
//! before anybody misses them.

use std::time::Duration;

/// Shorter texts wait a moment only.
const SHORT_LEN: usize = 200 << 10;
/// Somebody who has not typed for so long is looking.
const PAUSE: Duration = Duration::from_millis(150);
/// The same for a short text.
const PAUSE_SHORT: Duration = Duration::from_millis(30);
/// The longest wait for a short text.
const WAIT_SHORT: Duration = Duration::from_millis(150);
/// Of the time of somebody who types without a pause, parsing takes one part in so many.
const SHARE: u32 = 1000;
/// Colors are never older.
const WAIT_MAX: Duration = Duration::from_secs(2);
/// What may come later waits for a pause that is so many times as long as what it takes.
const PAUSE_SHARE: u32 = 10;

/// The changes that wait, and what the last parse took. Times are those of the monotonic clock.
#[derive(Debug, Default)]
pub struct Debounce {
    first_change: Option<Duration>,
    last_change: Option<Duration>,
    cost: Duration,
    may_be_late: bool,
}

impl Debounce {
    /// For what nobody looks at while typing: a short pause is not worth much work.
    pub fn low_priority() -> Self {
        Self { may_be_late: true, ..Self::default() }
    }

    /// The text has changed.
    pub fn note_change(&mut self, now: Duration) {
        self.first_change.get_or_insert(now);
        self.last_change = Some(now);
    }

    /// All changes are being parsed, or will not be.
    pub fn note_start(&mut self) {
        self.first_change = None;
    }

    /// A parse has ended.
    pub fn note_cost(&mut self, cost: Duration) {
        self.cost = cost;
    }

    /// When a text of so many bytes should be parsed again; `None` while nothing has changed.
    pub fn deadline(&self, len: usize) -> Option<Duration> {
        let first = self.first_change?;
        let (pause, wait) = pause_and_wait(len);
        let pause = if self.may_be_late { pause.max((self.cost * PAUSE_SHARE).min(wait)) } else { pause };
        Some((self.last_change.unwrap_or(first) + pause).min(first + (self.cost * SHARE).min(wait)))
    }

    /// When the pause begins in which a frame may be drawn for what was found alone; before it,
    /// somebody types. `None` when nobody has.
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
