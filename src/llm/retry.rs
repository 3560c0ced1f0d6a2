//! Retry policy of failed model calls.
//!
//! Must not know clocks or random numbers: both are passed in. The provider layer itself never retries; its
//! callers do, and replace the partial answer.

use std::time::Duration;

use crate::llm::model::LlmError;

/// The policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Maximum retries of a call; 0 disables them.
    pub retries: u32,
    /// Delay of the first retry.
    pub base: Duration,
    /// Maximum delay, jitter included, of the back-off or as requested by the provider.
    pub max: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self { retries: 5, base: Duration::from_secs(1), max: Duration::from_mins(1) }
    }
}

impl Policy {
    /// Returns the delay before the retry after `attempts` failed attempts, counted from 1; `None` if there
    /// is no further retry. `chance` is between 0 and 1. The provider's requested delay takes precedence;
    /// above the maximum there is no retry.
    pub fn delay(&self, attempts: u32, error: &LlmError, chance: f64) -> Option<Duration> {
        if !error.retryable() || attempts > self.retries {
            return None;
        }
        if let Some(requested) = error.retry_after {
            return (requested <= self.max).then_some(requested);
        }
        let doubled =
            self.base.saturating_mul(1u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX));
        Some(doubled.min(self.max).mul_f64(0.5 + chance.clamp(0.0, 1.0)).min(self.max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::ErrorKind;

    fn delay(attempts: u32, kind: ErrorKind, retry_after: Option<u64>) -> Option<u64> {
        let error =
            LlmError { retry_after: retry_after.map(Duration::from_secs), ..LlmError::new(kind, "p", "m") };
        let policy = Policy { retries: 9, ..Policy::default() };
        policy.delay(attempts, &error, 0.5).map(|d| d.as_millis() as u64)
    }

    #[test]
    fn retry_delays_double_up_to_maximum() {
        let delays: Vec<_> = (1..=8).map(|n| delay(n, ErrorKind::Server, None).unwrap()).collect();
        assert_eq!(delays, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
        assert_eq!(delay(10, ErrorKind::Server, None), None);
    }

    #[test]
    fn retry_jitter_spreads_by_half() {
        let error = LlmError::new(ErrorKind::Network, "p", "m");
        let policy = Policy::default();
        assert_eq!(policy.delay(1, &error, 0.0), Some(Duration::from_millis(500)));
        assert_eq!(policy.delay(1, &error, 1.0), Some(Duration::from_millis(1500)));
        assert_eq!(Policy { retries: 0, ..policy }.delay(1, &error, 0.0), None);
    }

    #[test]
    fn retry_after_header_wins_or_ends_retries() {
        assert_eq!(delay(1, ErrorKind::RateLimit, Some(7)), Some(7_000));
        assert_eq!(delay(1, ErrorKind::RateLimit, Some(61)), None);
        assert_eq!(delay(1, ErrorKind::Authentication, Some(7)), None);
        assert_eq!(delay(1, ErrorKind::Quota, None), None);
    }
}
