//! What the tools of one session keep between calls.
//!
//! Must not know any tool, nor who calls them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;

use super::config::Config;
use crate::tools::call::before_change_hook::BeforeChangeHook;
use crate::tools::files::folder::Folder;
use crate::tools::files::state::{Files, ReadFirst};
use crate::tools::interaction::delegate::Delegate;
use crate::tools::interaction::questions::Questions;
use crate::tools::output::artifacts::Artifacts;
use crate::tools::running::jobs::Jobs;

/// One for each agent. Agents that an agent starts share outputs, approvals and settings.
#[derive(Clone)]
pub struct Shared {
    /// Outputs too long for the model.
    pub artifacts: Arc<Artifacts>,
    /// Commands that run on after their call.
    pub jobs: Arc<Jobs>,
    /// What the user allowed for the rest of the session.
    grants: Arc<Mutex<String>>,
    /// What the user wants otherwise than the tools have it.
    pub config: Config,
    /// Who changes files, and what models know of them.
    pub files: Arc<Files>,
    /// The folders of bowline's own files, which no rule approves.
    pub own: Vec<PathBuf>,
    /// Where its next command begins.
    pub folder: Arc<Folder>,
    /// Asks the user; `None` when no user is there.
    pub questions: Option<Arc<dyn Questions>>,
    /// Has other agents work; `None` where agents are deep enough already.
    pub delegate: Option<Arc<dyn Delegate>>,
    /// Hears of calls before they change files.
    pub before_change_hook: Option<Arc<dyn BeforeChangeHook>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("artifacts", &self.artifacts).finish_non_exhaustive()
    }
}

impl Shared {
    /// A session's, whose long outputs go into this folder.
    pub fn new(artifacts: PathBuf) -> Self {
        Self {
            artifacts: Arc::new(Artifacts::new(artifacts)),
            jobs: Arc::default(),
            grants: Arc::default(),
            config: Config::default(),
            files: Arc::default(),
            own: Vec::new(),
            folder: Arc::default(),
            questions: None,
            delegate: None,
            before_change_hook: None,
        }
    }

    /// What the user allowed for the rest of the session: rules in the form of files of rules, whose
    /// paths are absolute.
    pub fn grants(&self) -> String {
        self.grants.lock().clone()
    }

    /// Adds a rule for the rest of the session.
    pub fn grant(&self, rule: &str) {
        let mut grants = self.grants.lock();
        grants.push_str(rule);
        grants.push('\n');
    }

    /// The same with other limits and times.
    #[must_use]
    pub fn configured(self, config: Config) -> Self {
        Self { config, ..self }
    }

    /// With a rule for files that a model changes without having read them.
    #[must_use]
    pub fn read_first(mut self, rule: ReadFirst) -> Self {
        self.files = Arc::new(Files::new(rule));
        self
    }
}
