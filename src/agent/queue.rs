//! Queues of messages for a working agent. Pure.

use std::collections::VecDeque;

use crate::llm::model::UserMessage;
use crate::llm::model::message::join_text;

/// When a message that arrives while the agent works is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// After the running tool calls.
    Steering,
    /// When the agent would stop.
    FollowUp,
}

/// How many queued messages are delivered together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueueMode {
    /// One at a time; the agent works in between.
    #[default]
    One,
    /// All of them.
    All,
}

/// Both lanes.
#[derive(Debug, Clone, Default)]
pub struct Queues {
    steering: VecDeque<UserMessage>,
    follow_up: VecDeque<UserMessage>,
}

/// A message in a queue. The text tells whether it is still there: the agent takes messages out at any time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuePosition {
    /// Its lane.
    pub lane: Lane,
    /// Its index in the lane.
    pub index: usize,
    /// Its text.
    pub text: String,
}

impl QueueMode {
    /// Returns pi's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "one-at-a-time",
            Self::All => "all",
        }
    }
}

impl Queues {
    /// Adds a message at the end of its lane.
    pub fn push(&mut self, lane: Lane, message: UserMessage) {
        self.lane(lane).push_back(message);
    }

    /// Removes and returns the messages that are delivered next from a lane.
    pub fn take(&mut self, lane: Lane, mode: QueueMode) -> Vec<UserMessage> {
        let lane = self.lane(lane);
        let count = if mode == QueueMode::One { lane.len().min(1) } else { lane.len() };
        lane.drain(..count).collect()
    }

    /// Empties both lanes and returns the messages, steering first.
    pub fn take_all(&mut self) -> Vec<UserMessage> {
        self.steering.drain(..).chain(self.follow_up.drain(..)).collect()
    }

    /// Removes and returns a message, if it is still there.
    pub fn remove(&mut self, at: &QueuePosition) -> Option<UserMessage> {
        let lane = self.lane(at.lane);
        let is_there = lane.get(at.index).is_some_and(|message| join_text(&message.content) == at.text);
        if is_there { lane.remove(at.index) } else { None }
    }

    /// Moves a message to an index of a lane, or to its end; returns whether it was still there.
    pub fn move_to(&mut self, at: &QueuePosition, lane: Lane, index: usize) -> bool {
        let Some(message) = self.remove(at) else { return false };
        let lane = self.lane(lane);
        lane.insert(index.min(lane.len()), message);
        true
    }

    /// Whether both lanes are empty.
    pub fn is_empty(&self) -> bool {
        self.steering.is_empty() && self.follow_up.is_empty()
    }

    /// Returns the texts queued in a lane.
    pub fn texts(&self, lane: Lane) -> Vec<String> {
        let lane = if lane == Lane::Steering { &self.steering } else { &self.follow_up };
        lane.iter().map(|message| join_text(&message.content)).collect()
    }

    fn lane(&mut self, lane: Lane) -> &mut VecDeque<UserMessage> {
        if lane == Lane::Steering { &mut self.steering } else { &mut self.follow_up }
    }
}
