//! State of the agent in the IDE: model, activity, usage figures, queues. Must not know how a model is reached.

use std::sync::Arc;
use std::time::Duration;

use crate::llm::model::{Model, Thinking, Usage};
use crate::tools::permissions::policy::Mode;

/// Text of the status line from the interrupt key until the agent has stopped.
pub const INTERRUPTING: &str = "Interrupting…";

/// API of the demo guide, which stands for a model until one is connected.
const DEMO_API: &str = "demo";

/// Returns whether this is the demo guide, and no model.
pub fn is_demo(model: &Model) -> bool {
    model.api == DEMO_API
}

/// The agent as shown in the status line.
#[derive(Debug, Default)]
pub struct Agent {
    /// The current model.
    pub model: Option<Arc<Model>>,
    /// The available models.
    pub models: Vec<Arc<Model>>,
    /// Names of its enabled tools.
    pub tools: Vec<String>,
    /// Its thinking level.
    pub thinking: Thinking,
    /// Provider's ids of the calls that wait for the user's permission.
    pub waiting_calls: Vec<String>,
    /// Start of its work on the monotonic clock; `None` while idle.
    pub working_since: Option<Duration>,
    /// How long its last turn took; `None` before the first one ends.
    pub worked_for: Option<Duration>,
    /// The monotonic clock at the last frame of the activity indicator, or at the start of the work.
    pub now: Duration,
    /// Whether the user has interrupted its last work.
    pub was_interrupted: bool,
    /// Whether its last work ended with an error.
    pub has_failed: bool,
    /// The summary in progress.
    pub summarizing: Option<Summarizing>,
    /// Sum over the conversation.
    pub usage: Usage,
    /// Tokens in the context at the last response.
    pub context_tokens: u64,
    /// Messages that wait for the running tools.
    pub steering: Vec<String>,
    /// Messages that wait for the end of the run.
    pub follow_up: Vec<String>,
    /// Start time of its last turn, or one more than that of the previous turn. Identifies its edits.
    pub run: u64,
    /// Index of the shown frame of the activity indicator.
    pub spinner_frame: usize,
    /// Which calls need approval.
    pub approval_mode: Mode,
    /// The profile in use, which decides prompt and tools.
    pub profile: &'static str,
    /// The profile that was requested; `auto` follows the model.
    pub requested_profile: &'static str,
    /// When Escape was pressed last, on the monotonic clock.
    pub last_escape: Option<Duration>,
    /// The entry that returns the files to their state before the last checkpoint restore.
    pub undo_restore_entry: Option<String>,
    /// That entry, if the restore has moved the conversation, too. It is where the conversation was.
    pub moved_with_restore: Option<String>,
    /// Number of user questions it has asked in this run.
    pub question_dialogs: u64,
    /// The user's name for the session.
    pub name: Option<String>,
    /// The beginning of the session's first message.
    pub first_message: FirstMessage,
    /// How often the session tree was opened.
    pub session_views: u64,
    /// Number of logins started.
    pub logins: u64,
    /// The id of the session.
    pub session: String,
    /// Whether a session is connected.
    pub connected: bool,
}

/// Name of the profile that follows the model.
pub const AUTO_PROFILE: &str = "auto";

/// The beginning of a session's first message, as one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum FirstMessage {
    /// There is none yet, or it was not looked for.
    #[default]
    Unknown,
    /// It is being looked up.
    Requested,
    /// This is it.
    Known(String),
}

impl Agent {
    /// Returns whether the user has chosen the profile, so that it does not follow the model.
    pub fn is_profile_chosen(&self) -> bool {
        !matches!(self.requested_profile, "" | AUTO_PROFILE)
    }

    /// Returns the session's title: the user's name for it, else the beginning of its first message.
    pub fn title(&self) -> Option<&str> {
        match (&self.name, &self.first_message) {
            (Some(name), _) => Some(name),
            (None, FirstMessage::Known(text)) => Some(text),
            (None, _) => None,
        }
    }
}

/// A summary in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summarizing {
    /// A word for the status line.
    pub what: &'static str,
    /// Whether the agent does nothing else in the meantime.
    pub is_exclusive: bool,
}

/// A number of tokens in short: `12.4k`, `200k`, `1.0M`.
pub fn thousands(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..100_000 => format!("{:.1}k", tokens as f64 / 1e3),
        100_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => format!("{:.1}M", tokens as f64 / 1e6),
    }
}
