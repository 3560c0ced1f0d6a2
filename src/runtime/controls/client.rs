//! What is asked of a live session by programs that drive it, and what they are told. Plain data.
//!
//! Must not know who asks, nor what is done about it.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc::Receiver;
use tokio::sync::oneshot;

use crate::agent::event::Compacted;
use crate::agent::queue::Lane;
use crate::base::error::Report;
use crate::llm::model::{Model, Thinking, UserMessage};
use crate::runtime::events::event::{Delivery, RuntimeEvent};
use crate::runtime::lifecycle::environment::Stay;
use crate::session::Session;
use crate::tools::Mode;

/// What became of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withdrawn {
    /// A run has begun with them.
    Started,
    /// They wait for the run that goes on.
    Queued,
}

/// The texts of messages that wait.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// For the end of the running tool calls.
    pub steering: Vec<String>,
    /// For the end of the run.
    pub follow_up: Vec<String>,
}

/// Where a session stands.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Status {
    /// Its id.
    pub session_id: String,
    /// Its file, once it has one.
    pub file: Option<PathBuf>,
    /// What the user calls it.
    pub name: Option<String>,
    /// The model that answers.
    pub model: Arc<Model>,
    /// How hard it thinks.
    pub thinking: Thinking,
    /// Whether a run goes on.
    pub working: bool,
    /// Whether something is being summed up.
    pub compacting: bool,
    /// Whether the next attempt of a failed call is waited for.
    pub waits_to_retry: bool,
    /// How steering messages are delivered: pi's word.
    pub steering: &'static str,
    /// How follow-up messages are delivered: pi's word.
    pub follow_up: &'static str,
    /// Whether a conversation that becomes too long is compacted by itself.
    pub auto_compaction: bool,
    /// Whether failed calls are repeated.
    pub auto_retry: bool,
    /// What waits.
    pub waiting: Waiting,
    /// Messages of the conversation on the active path.
    pub messages: usize,
}

/// A rule of the loop that can be changed while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Whether all steering messages that wait are delivered together, or one at a time.
    SteerAll(bool),
    /// The same of follow-up messages.
    FollowUpAll(bool),
    /// Whether a conversation that becomes too long is compacted by itself.
    AutoCompaction(bool),
    /// Whether that is done as soon as a run has left it too long, for whoever goes on.
    CompactAfterRuns(bool),
    /// Whether failed calls are repeated.
    AutoRetry(bool),
}

/// How full the context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filled {
    /// Tokens in it, at the last answer; 0 where nobody has counted yet.
    pub tokens: u64,
    /// How many the model can hold; 0 where nobody knows.
    pub window: u64,
}

/// Entries as they stand in the session's file, and the leaf.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lines {
    /// One line of JSON each, in the order of the file.
    pub lines: Vec<String>,
    /// Behind which entry the next one comes.
    pub leaf: Option<String>,
}

pub(in crate::runtime) type Reply<T> = oneshot::Sender<Result<T, Report>>;

/// What is asked.
#[derive(Debug)]
pub(in crate::runtime) enum ClientRequest {
    /// Take words. Without a delivery only where no run goes on.
    Say(UserMessage, Option<Delivery>, Reply<Withdrawn>),
    /// Put words into a queue, which begins nothing.
    Queue(UserMessage, Lane, Reply<()>),
    /// Empty both queues.
    ClearQueue(oneshot::Sender<Waiting>),
    /// Tell where it stands.
    Status(oneshot::Sender<Status>),
    /// Let another model answer: one that is offered.
    Model(String, String, Reply<(Arc<Model>, Thinking)>),
    /// Another level of thinking.
    Thinking(Thinking, oneshot::Sender<Thinking>),
    /// Another rule.
    Rule(Rule),
    /// The approval mode, and what was allowed for the session.
    Permissions(oneshot::Sender<(Mode, String)>),
    /// Sum the conversation up, in place of what goes on.
    Compact(Option<String>, Reply<Arc<Compacted>>),
    /// Write down a command that the user ran, in the session of this number.
    Ran(Value, u64),
    /// The session as it stands, for somebody who goes through all of it.
    Account(oneshot::Sender<(Box<Session>, Filled)>),
    /// Look at the session.
    Look(Looker),
    /// Take words, and tell what comes of them from then on.
    Submit(UserMessage, Reply<Receiver<RuntimeEvent>>),
    /// Tell whether the work may go on at another root.
    MayMove(PathBuf, Reply<()>),
    /// Work elsewhere, in a place that is ready.
    Move(Box<Stay>, oneshot::Sender<Relocated>),
}

/// What became of a move, and the place that is to be left: the one before, or the other one where it was refused.
#[derive(Debug)]
pub(in crate::runtime) struct Relocated {
    pub(in crate::runtime) moved: Result<(), Report>,
    pub(in crate::runtime) to_leave: Option<Stay>,
}

/// Somebody who looks at the session.
pub(in crate::runtime) struct Looker(pub(in crate::runtime) Box<dyn FnOnce(&Session) + Send>);

impl std::fmt::Debug for Looker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Looker")
    }
}

pub(in crate::runtime) fn ended() -> Report {
    Report::new("the session has ended")
}

/// Answers a question; whoever asked may have gone, and then nobody misses the answer.
pub(in crate::runtime) fn answer<T>(reply: oneshot::Sender<T>, value: T) {
    if reply.send(value).is_err() {
        tracing::debug!("nobody waited for an answer of the session");
    }
}
