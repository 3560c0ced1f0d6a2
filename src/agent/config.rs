//! Settings of the agent loop, and the lifecycle state of a session. Plain data; must not know the state
//! machine.

use std::collections::BTreeSet;

use super::compaction::Settings;
use super::loop_detection;
use super::queue::QueueMode;
use crate::llm::retry::Policy;

/// Settings of the loop.
#[derive(Debug, Clone)]
pub struct Config {
    /// Maximum rounds of tool calls per input.
    pub tool_rounds_max: u32,
    /// Maximum answers in the whole session; 0 means unlimited.
    pub turns_max: u32,
    /// Number of consecutive calls that are checked for a repeating pattern; `None` disables the check.
    pub loop_window: Option<usize>,
    /// Whether calls of one answer may run at the same time.
    pub parallel: bool,
    /// Retry policy for failed model calls.
    pub retry: Policy,
    /// Whether failed model calls are retried at all; a client may change it while the session runs.
    pub auto_retry: bool,
    /// Compaction settings.
    pub compaction: Settings,
    /// Delivery of steering messages.
    pub steering: QueueMode,
    /// Delivery of follow-up messages.
    pub follow_up: QueueMode,
    /// Tools that force a batch to run one call at a time.
    pub sequential_tools: BTreeSet<String>,
    /// Tools that wait for a user's answer.
    pub question_tools: BTreeSet<String>,
    /// Whether an error that no retry can fix ends the session, for unattended hosts where no user can log in
    /// or free space.
    pub close_on_failure: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tool_rounds_max: 200,
            turns_max: 0,
            loop_window: Some(loop_detection::WINDOW),
            parallel: true,
            retry: Policy::default(),
            auto_retry: true,
            compaction: Settings::default(),
            steering: QueueMode::One,
            follow_up: QueueMode::One,
            sequential_tools: BTreeSet::new(),
            question_tools: BTreeSet::new(),
            close_on_failure: false,
        }
    }
}

impl Config {
    /// Returns the retry policy; without retries when they are switched off.
    pub fn retry_policy(&self) -> Policy {
        Policy { retries: if self.auto_retry { self.retry.retries } else { 0 }, ..self.retry }
    }
}

/// Lifecycle state of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// Waits for a user message.
    Idle,
    /// A run is active.
    Processing,
    /// Waits only for the user's answer: to a tool's question, or to the model's last message.
    AwaitingInput,
    /// Ended.
    Closed,
}
