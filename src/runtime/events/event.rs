//! Events of a live session for front ends, and the snapshot that they get when they subscribe.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Map;

use crate::agent::event::AgentEvent;
use crate::agent::queue::{Lane, QueuePosition};
use crate::base::error::Report;
use crate::llm::model::{Model, Part, Thinking, Usage, UserMessage};
use crate::runtime::agent_setup::toolset::ActiveTools;
use crate::runtime::restore::target::Restored;
use crate::session::format::message::{AgentMessage, PagePosition};
use crate::tools::Mode;
use crate::tools::language_servers::errors_left::ErrorsLeft;

/// How a prompt reaches an agent that may be working.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Start a run, or steer the one that is going on: after the running tool calls.
    Steer,
    /// Start a run, or wait until the one that is going on would stop.
    FollowUp,
}

impl Delivery {
    /// Returns the agent's queue for it.
    pub(in crate::runtime) fn lane(self) -> Lane {
        match self {
            Self::Steer => Lane::Steering,
            Self::FollowUp => Lane::FollowUp,
        }
    }
}

/// A message that waits for the working agent, as the last [`AgentEvent::QueueUpdate`] showed it. The text tells
/// whether it is still there when the session is asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedMessage {
    /// The queue it is in.
    pub delivery: Delivery,
    /// Its index in the queue.
    pub index: usize,
    /// Its text.
    pub text: String,
}

impl QueuedMessage {
    pub(in crate::runtime) fn position(self) -> QueuePosition {
        QueuePosition { lane: self.delivery.lane(), index: self.index, text: self.text }
    }
}

/// The summary of the branch that is left, for the model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum BranchSummaryChoice {
    /// No summary.
    #[default]
    None,
    /// A summary, written by the current model.
    Written,
    /// A summary with a focus on these instructions.
    WithInstructions(String),
}

/// One thing that happened in a live session.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RuntimeEvent {
    /// Event of the session's own agent.
    Agent(AgentEvent),
    /// Event of a subagent.
    Subagent {
        /// The subagent's id.
        agent: String,
        /// The id of the call that started it.
        call_id: String,
        /// What happened to it.
        event: AgentEvent,
    },
    /// The model changed.
    ModelChanged(Arc<Model>),
    /// The thinking level changed.
    ThinkingChanged(Thinking),
    /// The available tools changed, perhaps with the profile.
    ToolsChanged(Arc<ActiveTools>),
    /// The approval mode changed.
    ApprovalModeChanged(Mode),
    /// Errors that edits of a run have introduced are still there at its end. Before that end.
    ErrorsLeft(Arc<ErrorsLeft>),
    /// A run has ended, and nothing follows it automatically: no compaction, no queued message.
    Settled,
    /// The tools work in another environment from now on.
    EnvironmentChanged {
        /// Its workspace.
        root: PathBuf,
    },
    /// The conversation was replaced: another entry of the session, or another session.
    Replaced(Box<Snapshot>),
    /// More models are usable: the full list.
    ModelsChanged(Vec<Arc<Model>>),
    /// The session was restored to another entry.
    Restored(Arc<Restored>),
    /// The session was renamed.
    SessionRenamed(Option<String>),
    /// An entry was added to the session: its line. Only for front ends that subscribe to entries.
    EntryAppended(Arc<str>),
    /// Queued messages that will not be delivered, unchanged.
    QueueReturned(Vec<UserMessage>),
    /// The session has ended; the last event.
    Ended,
    /// A failure outside the conversation: storage, configuration.
    Failed(Report),
}

/// The state of a live session, for a front end that subscribes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Snapshot {
    /// The session's id.
    pub session_id: String,
    /// Its file, once it has one.
    pub file: Option<PathBuf>,
    /// The user's name for it.
    pub name: Option<String>,
    /// The conversation on the active path, oldest first.
    pub messages: Vec<Arc<AgentMessage>>,
    /// Position of earlier messages, for a reader that gets only the end of the conversation.
    #[doc(hidden)]
    pub earlier: Option<PagePosition>,
    /// The current model.
    pub model: Option<Arc<Model>>,
    /// The active tools.
    pub active_tools: Arc<ActiveTools>,
    /// The thinking level.
    pub thinking: Thinking,
    /// The approval mode.
    pub approval_mode: Mode,
    /// Usage of the whole conversation.
    pub usage: Usage,
    /// Tokens in the context at the last answer.
    pub context_tokens: u64,
    /// The entry that undoes the last restore of files.
    pub undo_entry: Option<String>,
    /// Whether a run is active.
    pub working: bool,
    /// Whether there are providers that only the offline setting makes unusable.
    pub offline: bool,
}

/// Returns a user message; the agent sets its time when it is delivered.
pub(in crate::runtime) fn user_message(text: String, images: Vec<Part>) -> UserMessage {
    let mut content = Vec::with_capacity(1 + images.len());
    if !text.is_empty() || images.is_empty() {
        content.push(Part::text(text));
    }
    content.extend(images);
    UserMessage { content, timestamp: 0, extra: Map::new() }
}
