//! The rules of the loop, and where a session stands by them. Plain data; must not know the machine.

use std::collections::BTreeSet;

use super::compaction::Settings;
use super::loops;
use super::queue::QueueMode;
use crate::llm::errors::retry::Policy;

/// Rules of the loop.
#[derive(Debug, Clone)]
pub struct Config {
    /// Rounds of tool calls that one input may cause.
    pub tool_rounds_max: u32,
    /// Answers that the whole session may have; 0: any number.
    pub turns_max: u32,
    /// How many calls in a row are looked at for a pattern that repeats; `None`: none.
    pub loop_window: Option<usize>,
    /// Whether calls of one answer may run at the same time.
    pub parallel: bool,
    /// When failed model calls are repeated.
    pub retry: Policy,
    /// Whether failed model calls are retried at all; a client may switch it while the session lives.
    pub auto_retry: bool,
    /// When the conversation is compacted.
    pub compaction: Settings,
    /// Delivery of steering messages.
    pub steering: QueueMode,
    /// Delivery of follow-up messages.
    pub follow_up: QueueMode,
    /// Tools that make a batch run one call after the other.
    pub sequential: BTreeSet<String>,
    /// Tools that wait for a user's answer.
    pub asking: BTreeSet<String>,
    /// Whether a failure that no repetition mends ends the session, as for hosts where nobody is
    /// there to log in or to make room.
    pub close_on_failure: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tool_rounds_max: 200,
            turns_max: 0,
            loop_window: Some(loops::WINDOW),
            parallel: true,
            retry: Policy::default(),
            auto_retry: true,
            compaction: Settings::default(),
            steering: QueueMode::One,
            follow_up: QueueMode::One,
            sequential: BTreeSet::new(),
            asking: BTreeSet::new(),
            close_on_failure: false,
        }
    }
}

impl Config {
    /// When failed model calls are retried; never where that is switched off.
    pub fn retry_policy(&self) -> Policy {
        Policy { retries: if self.auto_retry { self.retry.retries } else { 0 }, ..self.retry }
    }
}

/// Where a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// It waits for a user's words.
    Idle,
    /// A run is going on.
    Processing,
    /// The model has asked and nothing else goes on: by a tool, or with its last words.
    AwaitingInput,
    /// It is over.
    Closed,
}
