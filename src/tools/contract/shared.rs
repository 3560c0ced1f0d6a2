//! State that the tools of one session keep between calls.
//!
//! Must not know any tool, nor the caller.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use super::config::ToolConfig;
use crate::base::clock::{SharedClock, SystemClock};
use crate::tools::call::before_change_hook::BeforeChangeHook;
use crate::tools::files::folder::CommandFolder;
use crate::tools::files::state::{FileTracker, ReadFirst};
use crate::tools::interaction::delegate::Delegate;
use crate::tools::interaction::language_servers::LanguageServers;
use crate::tools::interaction::questions::Questions;
use crate::tools::interaction::reported_errors::ReportedErrors;
use crate::tools::output::artifacts::Artifacts;
use crate::tools::running::jobs::Jobs;

/// Longest call in [`RuleUse`], in characters.
const TARGET_MAX: usize = 200;

/// How often a rule decided in this session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleUse {
    /// The number of calls.
    pub count: u64,
    /// When the last one was, in milliseconds since the Unix epoch.
    pub last_ms: u64,
    /// The beginning of the last one: its command or path.
    pub target: String,
}

/// One per agent. Subagents share stored outputs, approvals and settings.
#[derive(Clone)]
pub struct AgentToolState {
    /// Outputs too long for the model.
    pub artifacts: Arc<Artifacts>,
    /// Commands that run on after their call.
    pub jobs: Arc<Jobs>,
    /// Approvals for the rest of the session.
    grants: Arc<Mutex<Vec<String>>>,
    /// The rules and reasons that decided, by their descriptions.
    uses: Arc<Mutex<BTreeMap<String, RuleUse>>>,
    /// Time of those uses.
    pub clock: SharedClock,
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
    /// The language servers; `None` where there are none.
    pub language_servers: Option<Arc<dyn LanguageServers>>,
    /// The errors that were reported to the model.
    pub reported_errors: Arc<ReportedErrors>,
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
            uses: Arc::default(),
            clock: SystemClock::shared(),
            config: ToolConfig::default(),
            files: Arc::default(),
            own_folders: Vec::new(),
            folder: Arc::default(),
            questions: None,
            language_servers: None,
            reported_errors: Arc::default(),
            delegate: None,
            before_change_hook: None,
        }
    }

    /// Returns the approvals for the rest of the session: rules in the format of rule files, with absolute
    /// paths.
    pub fn grants(&self) -> String {
        self.grants.lock().iter().flat_map(|rule| [rule.as_str(), "\n"]).collect()
    }

    /// Returns each of these approvals.
    pub fn grant_list(&self) -> Vec<String> {
        self.grants.lock().clone()
    }

    /// Adds a rule for the rest of the session.
    pub fn grant(&self, rule: &str) {
        let mut grants = self.grants.lock();
        // Several calls that waited may have been answered with the same rule.
        if !grants.iter().any(|known| known == rule) {
            grants.push(rule.to_string());
        }
    }

    /// Takes an approval back; returns whether there was one. It counts from the next call on.
    pub fn revoke(&self, rule: &str) -> bool {
        let mut grants = self.grants.lock();
        let before = grants.len();
        grants.retain(|known| known != rule);
        grants.len() < before
    }

    /// Counts a call that a rule or reason decided.
    pub fn count_use(&self, description: &str, target: &str) {
        let target = target.chars().take(TARGET_MAX).collect();
        let mut uses = self.uses.lock();
        let count = uses.get(description).map_or(0, |used| used.count) + 1;
        uses.insert(description.to_string(), RuleUse { count, last_ms: self.clock.now_ms(), target });
    }

    /// Returns the uses so far, by the description of the rule or the reason.
    pub fn rule_uses(&self) -> BTreeMap<String, RuleUse> {
        self.uses.lock().clone()
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
