//! State that the tools of one session keep between calls.
//!
//! Must not know any tool, nor the caller.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use super::config::ToolConfig;
use crate::tools::call::before_change_hook::BeforeChangeHook;
use crate::tools::files::folder::CommandFolder;
use crate::tools::files::state::{FileTracker, ReadFirst};
use crate::tools::interaction::delegate::Delegate;
use crate::tools::interaction::questions::Questions;
use crate::tools::output::artifacts::Artifacts;
use crate::tools::running::jobs::Jobs;

/// One per agent. Subagents share stored outputs, approvals and settings.
#[derive(Clone)]
pub struct AgentToolState {
    /// Outputs too long for the model.
    pub artifacts: Arc<Artifacts>,
    /// Commands that run on after their call.
    pub jobs: Arc<Jobs>,
    /// Approvals for the rest of the session.
    grants: Arc<Mutex<String>>,
    /// The user's tool settings.
    pub config: ToolConfig,
    /// Locks of files, and their versions that models have read.
    pub files: Arc<FileTracker>,
    /// The folders of bowline's own files, which no rule approves.
    pub own_folders: Vec<PathBuf>,
    /// Start folder of the next command.
    pub folder: Arc<CommandFolder>,
    /// Asks the user; `None` when no user can answer.
    pub questions: Option<Arc<dyn Questions>>,
    /// Starts subagents; `None` at the maximum depth.
    pub delegate: Option<Arc<dyn Delegate>>,
    /// Called before calls change files.
    pub before_change_hook: Option<Arc<dyn BeforeChangeHook>>,
}

impl fmt::Debug for AgentToolState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("artifacts", &self.artifacts).finish_non_exhaustive()
    }
}

impl AgentToolState {
    /// Creates the state of a session, with a folder for long outputs.
    pub fn new(artifacts: PathBuf) -> Self {
        Self {
            artifacts: Arc::new(Artifacts::new(artifacts)),
            jobs: Arc::default(),
            grants: Arc::default(),
            config: ToolConfig::default(),
            files: Arc::default(),
            own_folders: Vec::new(),
            folder: Arc::default(),
            questions: None,
            delegate: None,
            before_change_hook: None,
        }
    }

    /// Returns the approvals for the rest of the session: rules in the format of rule files, with absolute
    /// paths.
    pub fn grants(&self) -> String {
        self.grants.lock().clone()
    }

    /// Adds a rule for the rest of the session.
    pub fn grant(&self, rule: &str) {
        let mut grants = self.grants.lock();
        grants.push_str(rule);
        grants.push('\n');
    }

    /// Sets the tool settings.
    #[must_use]
    pub fn with_config(self, config: ToolConfig) -> Self {
        Self { config, ..self }
    }

    /// Sets the rule for edits of files that a model has not read.
    #[must_use]
    pub fn with_read_first(mut self, rule: ReadFirst) -> Self {
        self.files = Arc::new(FileTracker::new(rule));
        self
    }
}
