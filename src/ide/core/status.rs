//! Messages to the user: the current one, until when it is shown, and the last ones for the log. Must not know where
//! they are drawn.

use std::collections::VecDeque;
use std::time::Duration;

/// How long a message is shown.
const SHOWN_FOR: Duration = Duration::from_secs(4);
/// Messages kept for the log.
const LOG_MAX: usize = 200;
/// Maximum bytes of a message in the log.
const TEXT_MAX: usize = 4 << 10;

/// The current message, and those before it.
#[derive(Debug, Default)]
pub struct Status {
    /// The current message; empty if there is none.
    pub message: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// How often it was shown again in a row.
    pub repeats: u32,
    /// How long it is shown.
    lifetime: Lifetime,
    /// Whether a key was pressed since.
    is_seen: bool,
    /// The last messages, the newest first.
    log: VecDeque<LoggedMessage>,
    /// When the log was asked for, in milliseconds since the epoch.
    pub asked_ms: u64,
}

/// How long the current message is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Lifetime {
    /// It was not on screen yet.
    #[default]
    New,
    /// Until this time on the monotonic clock.
    Until(Duration),
    /// An error whose time has passed: until the next key, since the user may have been away.
    UntilKey,
}

/// A message of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedMessage {
    /// The text.
    pub text: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// When it was shown, in milliseconds since the epoch; `None` if it was not yet.
    pub at_ms: Option<u64>,
}

impl Status {
    /// Replaces the current message. An empty one removes it.
    pub fn show(&mut self, text: String, is_error: bool) {
        if !text.is_empty() {
            self.add_to_log(&text, is_error);
        }
        self.repeats = if !text.is_empty() && self.message == text { self.repeats + 1 } else { 0 };
        (self.message, self.is_error) = (text, is_error);
        (self.lifetime, self.is_seen) = (Lifetime::New, false);
    }

    /// Adds a message to the log without showing it: one that another message counts.
    pub fn add_to_log(&mut self, text: &str, is_error: bool) {
        // A message that is repeated, as at a held key, is one row of the log.
        if self.log.front().is_some_and(|last| last.text == text && last.is_error == is_error) {
            self.log.pop_front();
        }
        let kept = text[..text.floor_char_boundary(TEXT_MAX)].to_string();
        self.log.push_front(LoggedMessage { text: kept, is_error, at_ms: None });
        self.log.truncate(LOG_MAX);
    }

    /// Records that what was shown since the last call is on screen now.
    pub fn stamp(&mut self, now: Duration, now_ms: u64) {
        for logged in self.log.iter_mut().take_while(|logged| logged.at_ms.is_none()) {
            logged.at_ms = Some(now_ms);
        }
        if self.lifetime == Lifetime::New && !self.message.is_empty() {
            self.lifetime = Lifetime::Until(now + SHOWN_FOR);
        }
    }

    /// Returns when the current message is to be removed, on the monotonic clock.
    pub fn deadline(&self) -> Option<Duration> {
        match self.lifetime {
            Lifetime::Until(until) if !self.message.is_empty() => Some(until),
            _ => None,
        }
    }

    /// Removes the current message if its time has passed; returns whether it did. An error stays until a key
    /// shows that the user is there.
    pub fn expire(&mut self, now: Duration) -> bool {
        if self.deadline().is_none_or(|until| until > now) {
            return false;
        }
        if self.is_error && !self.is_seen {
            self.lifetime = Lifetime::UntilKey;
            return false;
        }
        self.message.clear();
        true
    }

    /// Records a key; returns whether it removes the current message: an error whose time has passed.
    pub fn note_key(&mut self) -> bool {
        self.is_seen = true;
        if self.lifetime == Lifetime::UntilKey && !self.message.is_empty() {
            self.message.clear();
            return true;
        }
        false
    }

    /// Returns the last messages, the newest first.
    pub fn log(&self) -> impl Iterator<Item = &LoggedMessage> {
        self.log.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn shown(text: &str, is_error: bool) -> Status {
        let mut status = Status::default();
        status.show(text.to_string(), is_error);
        status.stamp(SECOND, 7);
        status
    }

    #[test]
    fn status_message_expires_but_error_waits_for_a_key() {
        let mut note = shown("saved", false);
        assert!(!note.expire(4 * SECOND) && !note.note_key());
        assert!(note.expire(5 * SECOND) && note.message.is_empty() && note.deadline().is_none());

        let mut error = shown("failed", true);
        assert!(!error.expire(5 * SECOND) && error.deadline().is_none() && error.message == "failed");
        assert!(error.note_key() && error.message.is_empty());

        let mut read = shown("failed", true);
        assert!(!read.note_key(), "it is shown for its whole time");
        assert!(read.expire(5 * SECOND));
    }

    #[test]
    fn status_log_is_bounded_and_merges_repetitions() {
        let mut status = Status::default();
        for n in 0..2 * LOG_MAX {
            status.show(format!("message {}", n / 2), false);
        }
        status.show("ä".repeat(TEXT_MAX), true);
        status.stamp(SECOND, 7);
        status.show(String::new(), false);
        assert_eq!(status.log().count(), LOG_MAX);
        assert!(status.log().all(|logged| logged.at_ms == Some(7) && logged.text.len() <= TEXT_MAX));
        assert_eq!(status.log().nth(1).map(|logged| logged.text.as_str()), Some("message 199"));
    }
}
