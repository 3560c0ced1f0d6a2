//! Requests of client programs to a live session, and their answers. Plain data.
//!
//! Must not know which client sends them, nor how they are carried out.

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
use crate::runtime::lifecycle::environment::EnvironmentGuard;
use crate::session::Session;
use crate::tools::{Context, Mode, Registry};

/// The outcome of a submitted message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmitOutcome {
    /// It started a run.
    Started,
    /// It is queued for the active run.
    Queued,
}

/// The texts of queued messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueuedTexts {
    /// Delivered when the running tool calls end.
    pub steering: Vec<String>,
    /// Delivered when the run ends.
    pub follow_up: Vec<String>,
}

/// The state of a session.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionStatus {
    /// The session's id.
    pub session_id: String,
    /// Its file, once it has one.
    pub file: Option<PathBuf>,
    /// The user's name for it.
    pub name: Option<String>,
    /// The current model.
    pub model: Arc<Model>,
    /// The thinking level.
    pub thinking: Thinking,
    /// Whether a run is active.
    pub working: bool,
    /// Whether a summary is being written.
    pub compacting: bool,
    /// Whether a failed call waits for its next attempt.
    pub waiting_for_retry: bool,
    /// How steering messages are delivered, in pi's terms.
    pub steering: &'static str,
    /// How follow-up messages are delivered, in pi's terms.
    pub follow_up: &'static str,
    /// Whether a conversation that becomes too long is compacted by itself.
    pub auto_compaction: bool,
    /// Whether failed calls are repeated.
    pub auto_retry: bool,
    /// The queued messages.
    pub queued: QueuedTexts,
    /// Messages of the conversation on the active path.
    pub messages: usize,
}

/// A setting of the agent loop that can be changed while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoopSetting {
    /// Whether all queued steering messages are delivered together, or one at a time.
    SteerAll(bool),
    /// The same for follow-up messages.
    FollowUpAll(bool),
    /// Whether a conversation that becomes too long is compacted by itself.
    AutoCompaction(bool),
    /// Whether compaction starts as soon as a run ends with too long a context, instead of at the next
    /// prompt.
    CompactAfterRuns(bool),
    /// Whether failed calls are repeated.
    AutoRetry(bool),
}

/// How full the context window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextUsage {
    /// Tokens in the context at the last answer; 0 when not counted yet.
    pub tokens: u64,
    /// The model's context window; 0 when unknown.
    pub window: u64,
}

/// Entries as they are in the session's file, and the leaf.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntryLines {
    /// One line of JSON each, in the order of the file.
    pub lines: Vec<String>,
    /// The entry that the next one follows.
    pub leaf: Option<String>,
}

pub(in crate::runtime) type Reply<T> = oneshot::Sender<Result<T, Report>>;

/// A request.
#[derive(Debug)]
pub(in crate::runtime) enum ClientRequest {
    /// Submit a message. Without a delivery it is refused while a run is active.
    Say(UserMessage, Option<Delivery>, Reply<SubmitOutcome>),
    /// Queue a message, which starts no run.
    Queue(UserMessage, Lane, Reply<()>),
    /// Clear both queues.
    ClearQueue(oneshot::Sender<QueuedTexts>),
    /// Return the session's state.
    Status(oneshot::Sender<SessionStatus>),
    /// Switch to another available model.
    Model(String, String, Reply<(Arc<Model>, Thinking)>),
    /// Change the thinking level.
    Thinking(Thinking, oneshot::Sender<Thinking>),
    /// Change a setting of the loop.
    SetLoop(LoopSetting),
    /// Return the approval mode, and the approvals for this session.
    Permissions(oneshot::Sender<(Mode, String)>),
    /// Return the tools and their context, to judge calls that no model makes.
    ToolContext(oneshot::Sender<ToolContext>),
    /// Compact the conversation; interrupts the active run.
    Compact(Option<String>, Reply<Arc<Compacted>>),
    /// Record a command that the user ran, in the session with this number.
    RecordCommand(Value, u64),
    /// Return a copy of the session for a reader that traverses all of it.
    CopySession(oneshot::Sender<(Box<Session>, ContextUsage)>),
    /// Run a closure on the session.
    ReadSession(SessionReader),
    /// Submit a message, and return the events that follow.
    Submit(UserMessage, Reply<Receiver<RuntimeEvent>>),
    /// Check whether the session may move to another root.
    CheckMove(PathBuf, Reply<()>),
    /// Move the session to another environment, which is ready.
    Move(Box<EnvironmentGuard>, oneshot::Sender<MoveOutcome>),
}

/// The available tools of a session and the context of their calls.
pub(in crate::runtime) struct ToolContext {
    pub(in crate::runtime) tools: Registry,
    pub(in crate::runtime) context: Context,
}

impl std::fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolContext").field("tools", &self.tools).finish_non_exhaustive()
    }
}

/// The outcome of a move, and the environment to close: the old one, or the new one when the move was
/// refused.
#[derive(Debug)]
pub(in crate::runtime) struct MoveOutcome {
    pub(in crate::runtime) moved: Result<(), Report>,
    pub(in crate::runtime) to_clean_up: Option<EnvironmentGuard>,
}

/// A closure that reads the session.
pub(in crate::runtime) struct SessionReader(pub(in crate::runtime) Box<dyn FnOnce(&Session) + Send>);

impl std::fmt::Debug for SessionReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Looker")
    }
}

pub(in crate::runtime) fn session_ended() -> Report {
    Report::new("the session has ended")
}

/// Sends an answer; ignores a requester that is gone.
pub(in crate::runtime) fn send_reply<T>(reply: oneshot::Sender<T>, value: T) {
    if reply.send(value).is_err() {
        tracing::debug!("nobody waited for an answer of the session");
    }
}
