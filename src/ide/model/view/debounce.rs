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
    first: Option<Duration>,
    last: Option<Duration>,
    cost: Duration,
    may_be_late: bool,
}

impl Debounce {
    /// For what nobody looks at while typing: a short pause is not worth much work.
    pub fn that_may_be_late() -> Self {
        Self { may_be_late: true, ..Self::default() }
    }

    /// The text has changed.
    pub fn changed(&mut self, now: Duration) {
        self.first.get_or_insert(now);
        self.last = Some(now);
    }

    /// All changes are being parsed, or will not be.
    pub fn begun(&mut self) {
        self.first = None;
    }

    /// A parse has ended.
    pub fn took(&mut self, cost: Duration) {
        self.cost = cost;
    }

    /// When a text of so many bytes should be parsed again; `None` while nothing has changed.
    pub fn due(&self, len: usize) -> Option<Duration> {
        let first = self.first?;
        let (pause, wait) = pause_and_wait(len);
        let pause = if self.may_be_late { pause.max((self.cost * PAUSE_SHARE).min(wait)) } else { pause };
        Some((self.last.unwrap_or(first) + pause).min(first + (self.cost * SHARE).min(wait)))
    }

    /// When the pause begins in which a frame may be drawn for what was found alone; before it,
    /// somebody types. `None` when nobody has.
    pub fn quiet_at(&self, len: usize) -> Option<Duration> {
        self.last.map(|last| last + pause_and_wait(len).0)
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
        assert_eq!(pace.due(LONG), None);
        pace.took(ms(2));
        pace.changed(ms(1000));
        pace.changed(ms(1050));
        assert_eq!((pace.due(LONG), pace.due(10)), (Some(ms(1200)), Some(ms(1080))));
        pace.begun();
        assert_eq!(pace.due(LONG), None);
    }

    #[test]
    fn debounce_quiet_at_waits_for_typing_pause() {
        let mut pace = Debounce::default();
        assert_eq!(pace.quiet_at(LONG), None, "nobody has typed");
        pace.changed(ms(1000));
        pace.begun();
        pace.changed(ms(1050));
        assert_eq!((pace.quiet_at(LONG), pace.quiet_at(10)), (Some(ms(1200)), Some(ms(1080))));
    }

    #[test]
    fn debounce_low_priority_pause_scales_with_cost() {
        for (cost, pause) in [(1, 150), (60, 600), (900, 2000)] {
            let mut pace = Debounce::that_may_be_late();
            pace.took(ms(cost));
            pace.changed(ms(1000));
            assert_eq!(pace.due(LONG), Some(ms(1000 + pause)));
        }
    }

    #[test]
    fn debounce_without_pause_limits_parse_time_share() {
        let mut pace = Debounce::default();
        for (cost, wait) in [(1, 1000), (2, 2000), (50, 2000)] {
            pace.took(ms(cost));
            pace.begun();
            for key in 0..80 {
                pace.changed(ms(5000 + key * 50));
            }
            assert_eq!(pace.due(LONG), Some(ms(5000 + wait)));
        }
    }
}
