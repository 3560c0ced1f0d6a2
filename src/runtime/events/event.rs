//! What a live session tells its front ends, and what they see when they join.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Map;

use crate::agent::event::AgentEvent;
use crate::base::error::Report;
use crate::llm::model::{Model, Part, Thinking, Usage, UserMessage};
use crate::runtime::agent_setup::toolset::ActiveTools;
use crate::runtime::restore::target::Restored;
use crate::session::format::message::{AgentMessage, Earlier};

/// How a prompt reaches an agent that may be working.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Start a run, or steer the one that is going on: after the running tool calls.
    Steer,
    /// Start a run, or wait until the one that is going on would stop.
    FollowUp,
}

/// What is told to the model of a branch that one leaves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Summary {
    /// Nothing.
    #[default]
    None,
    /// A summary, written by the model that answers.
    Written,
    /// The same, above all about this.
    WithInstructions(String),
}

/// One thing that happened in a live session.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RuntimeEvent {
    /// From the agent.
    Agent(AgentEvent),
    /// From an agent that the session's own has started.
    Delegated {
        /// By which it is spoken to.
        agent: String,
        /// What happened to it.
        event: AgentEvent,
    },
    /// Another model answers from now on.
    ModelChanged(Arc<Model>),
    /// Another thinking level.
    ThinkingChanged(Thinking),
    /// Other tools are on offer, perhaps those of another profile.
    ToolsChanged(Arc<ActiveTools>),
    /// A run has ended, and nothing follows it by itself: no compaction, nothing that waited.
    Settled,
    /// The tools work in another place from now on.
    PlaceChanged {
        /// Its workspace.
        root: PathBuf,
    },
    /// The conversation is another one from here on: another place in the session, or another session.
    Replaced(Box<Snapshot>),
    /// More models can be asked: these are all.
    ModelsFound(Vec<Arc<Model>>),
    /// Somebody went back to another place of the session.
    Restored(Arc<Restored>),
    /// The session has another name.
    Named(Option<String>),
    /// An entry was added to the session: its line. Only for front ends that want entries.
    EntryAppended(Arc<str>),
    /// Messages that waited and that nobody will answer any more, as they were said.
    Returned(Vec<UserMessage>),
    /// The session is over; nothing comes after this.
    Ended,
    /// Something failed outside the conversation: storing, configuration.
    Failed(Report),
}

/// The state of a live session, for a front end that joins.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Snapshot {
    /// The session's id.
    pub session_id: String,
    /// Its file, once it has one.
    pub file: Option<PathBuf>,
    /// What the user calls it.
    pub name: Option<String>,
    /// The conversation on the active path, oldest first.
    pub messages: Vec<Arc<AgentMessage>>,
    /// Where the messages before those are, for a reader for which the end of the conversation is enough.
    #[doc(hidden)]
    pub earlier: Option<Earlier>,
    /// The model that answers.
    pub model: Option<Arc<Model>>,
    /// What it works with.
    pub equipment: Arc<ActiveTools>,
    /// How hard it thinks.
    pub thinking: Thinking,
    /// Sum over the conversation.
    pub usage: Usage,
    /// Tokens in the context at the last answer.
    pub context_tokens: u64,
    /// The entry that leads back from the last way back of files.
    pub way_back: Option<String>,
    /// Whether a run is going on.
    pub working: bool,
    /// Whether there are providers that could be asked if the program were not offline.
    pub offline: bool,
}

/// A message of a user; the agent stamps it when it is delivered.
pub(in crate::runtime) fn said(text: String, images: Vec<Part>) -> UserMessage {
    let mut content = Vec::with_capacity(1 + images.len());
    if !text.is_empty() || images.is_empty() {
        content.push(Part::text(text));
    }
    content.extend(images);
    UserMessage { content, timestamp: 0, extra: Map::new() }
}
