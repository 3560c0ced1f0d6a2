//! The notice of a failed model call that is retried: one item with a countdown. Removed when an answer
//! begins or the error is final; a cancelled retry stays as its error.

use std::time::Duration;

use crate::ide::features::transcript::items::{ItemKind, Transcript};

const SECOND: Duration = Duration::from_secs(1);

/// A failed model call that is retried.
#[derive(Debug)]
pub struct Retry {
    /// Which retry, from 1.
    pub attempt: u32,
    /// Maximum number of retries.
    pub max: u32,
    /// Why the call failed.
    pub error: String,
    /// When it is sent again, on the monotonic clock.
    pub due: Duration,
}

impl Retry {
    /// Returns the remaining seconds, rounded up.
    fn seconds(&self, now: Duration) -> u32 {
        let remaining = self.due.saturating_sub(now);
        u32::try_from(remaining.as_secs())
            .unwrap_or(u32::MAX)
            .saturating_add(u32::from(remaining.subsec_nanos() > 0))
    }

    fn text(&self, seconds: u32) -> String {
        let Self { attempt, max, error, .. } = self;
        match seconds {
            0 => format!("Retrying now ({attempt} of {max}): {error}"),
            _ => format!("Retrying in {seconds} s ({attempt} of {max}, Escape cancels): {error}"),
        }
    }
}

/// A retry and its item.
#[derive(Debug)]
pub(super) struct Notice {
    item: u64,
    retry: Retry,
    seconds: u32,
}

impl Transcript {
    /// Handles a failed model call that will be sent again; reuses the notice of the previous retry.
    pub fn begin_retry(&mut self, retry: Retry, now: Duration) {
        let seconds = retry.seconds(now);
        let text = retry.text(seconds);
        let known = self.retry.take().map(|notice| notice.item).filter(|item| self.change(*item, &text));
        let item = known.unwrap_or_else(|| {
            self.notice(true, text);
            self.next_id
        });
        self.retry = Some(Notice { item, retry, seconds });
    }

    /// When the notice of a retry changes next, on the monotonic clock.
    pub fn retry_deadline(&self) -> Option<Duration> {
        let notice = self.retry.as_ref()?;
        let later = notice.seconds.checked_sub(1)?;
        Some(notice.retry.due.saturating_sub(SECOND * later))
    }

    /// Updates the countdown; returns whether it changed.
    pub fn count_down(&mut self, now: Duration) -> bool {
        let Some(mut notice) = self.retry.take() else { return false };
        let seconds = notice.retry.seconds(now);
        let changed = seconds != notice.seconds && {
            notice.seconds = seconds;
            self.change(notice.item, &notice.retry.text(seconds))
        };
        self.retry = Some(notice);
        changed
    }

    /// Handles the end of retries: answer, final error or cancellation; returns whether there was a notice.
    pub fn end_retry(&mut self, canceled: bool) -> bool {
        let Some(notice) = self.retry.take() else { return false };
        if canceled {
            return self.change(notice.item, &format!("{} (retry canceled)", notice.retry.error));
        }
        // It is near the end: streaming begins only after this, so no streaming index changes.
        match self.items.iter().rposition(|item| item.id == notice.item) {
            Some(at) => {
                self.items.remove(at);
                true
            }
            None => false,
        }
    }

    /// Replaces the text of a notice; returns whether it still exists.
    fn change(&mut self, id: u64, new: &str) -> bool {
        let Some(item) = self.items.iter_mut().rev().find(|item| item.id == id) else { return false };
        let ItemKind::Notice { text, .. } = &mut item.kind else { return false };
        new.clone_into(text);
        item.version += 1;
        true
    }
}
