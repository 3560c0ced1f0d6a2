//! Clock as an injected service, so that a whole session can be replayed in a test.
//!
//! Must not know the callers. No other module reads the wall clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A source of wall-clock time and of monotonic time.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch, UTC.
    fn now_ms(&self) -> u64;
    /// Returns the time since an arbitrary start; only differences are meaningful.
    fn monotonic(&self) -> Duration;
}

/// A clock that can be shared between tasks.
pub type SharedClock = Arc<dyn Clock>;

/// The machine's own clock.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Returns a system clock whose monotonic time starts now.
    pub fn shared() -> SharedClock {
        Arc::new(Self { start: Instant::now() })
    }
}

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        // A clock before 1970 is misconfigured; 0 keeps the program running.
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64)
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}

/// A clock that is advanced manually.
#[derive(Debug)]
pub struct ManualClock {
    now_ms: AtomicU64,
    passed_ms: AtomicU64,
}

impl ManualClock {
    /// Creates a clock at `start_ms` milliseconds since the Unix epoch.
    pub fn new(start_ms: u64) -> Arc<Self> {
        Arc::new(Self { now_ms: AtomicU64::new(start_ms), passed_ms: AtomicU64::new(0) })
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.now_ms.fetch_add(by.as_millis() as u64, Ordering::SeqCst);
        self.passed_ms.fetch_add(by.as_millis() as u64, Ordering::SeqCst);
    }

    /// Sets the time of day, as an administrator or a time server does. No time passes.
    pub fn set_now_ms(&self, now_ms: u64) {
        self.now_ms.store(now_ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> u64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.passed_ms.load(Ordering::SeqCst))
    }
}

/// `2026-11-20T23:30:11.042Z`: the form of every time stamp in a session file.
#[doc(hidden)]
pub fn iso8601(ms: u64) -> String {
    let stamp =
        i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()).unwrap_or_default();
    stamp.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Formats milliseconds since the epoch as local time, with a `strftime` format.
#[doc(hidden)]
pub fn local(ms: u64, form: &str) -> String {
    let stamp =
        i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()).unwrap_or_default();
    stamp.to_zoned(jiff::tz::TimeZone::system()).strftime(form).to_string()
}

/// Parses an ISO 8601 timestamp to milliseconds since the epoch.
#[doc(hidden)]
pub fn parse_iso8601(text: &str) -> Option<u64> {
    let stamp: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(stamp.as_millisecond()).ok()
}

/// Parses an HTTP date (`Sun, 06 Nov 1994 08:49:37 GMT`) to milliseconds since the epoch.
#[doc(hidden)]
pub fn parse_http_date(text: &str) -> Option<u64> {
    let stamp = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    u64::try_from(stamp.as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_iso8601_roundtrips() {
        let text = iso8601(1_763_681_411_042);
        assert_eq!(text, "2025-11-20T23:30:11.042Z");
        assert_eq!(parse_iso8601(&text), Some(1_763_681_411_042));
        assert_eq!(parse_iso8601("yesterday"), None);
    }

    #[test]
    fn clock_manual_moves_only_on_advance() {
        let clock = ManualClock::new(5_000);
        assert_eq!(clock.monotonic(), Duration::ZERO);
        clock.advance(Duration::from_secs(2));
        assert_eq!((clock.now_ms(), clock.monotonic()), (7_000, Duration::from_secs(2)));
    }
}
