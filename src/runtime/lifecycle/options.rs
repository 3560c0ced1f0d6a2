//! Options of a live session. Plain data; nothing here reads the process environment.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;

use crate::agent::compaction;
use crate::agent::compaction::hook::CompactionHook;
use crate::agent::config::Config;
use crate::agent::prompt::PromptTexts;
use crate::agent::queue::QueueMode;
use crate::base::clock::{SharedClock, SystemClock};
use crate::base::ids::{RandomIds, SharedIds};
use crate::base::paths::Home;
use crate::exec::Environment;
use crate::llm::model::Thinking;
use crate::llm::provider::Injected;
use crate::llm::retry::Policy;
use crate::net::cassette::Cassette;
use crate::net::certificates::Roots;
use crate::net::http::Transport;
use crate::tools::contract::tool_selection::ToolFlags;
use crate::tools::files::state::ReadFirst;
use crate::tools::interaction::language_servers::LanguageServers;
use crate::tools::interaction::questions::Questions;
use crate::tools::{self, Approval, Mode, Tool};

/// The conversation to use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SessionChoice {
    /// A new one.
    #[default]
    New,
    /// The newest one of the working folder, or a new one if there is none.
    Continue,
    /// The session in this file.
    Open(PathBuf),
    /// A new one with a copy of the active branch of the session in this file.
    Fork(PathBuf),
    /// A new one that is never stored.
    Memory,
}

/// All options of a live session.
#[derive(Clone)]
pub struct Options {
    /// Where bowline keeps its files.
    pub home: Home,
    /// The working folder.
    pub cwd: PathBuf,
    /// Files and commands for the tools.
    pub env: Arc<dyn Environment>,
    /// Who approves calls.
    pub approval: Arc<dyn Approval>,
    /// Who asks the user for the agent; `None` when no user can answer.
    pub questions: Option<Arc<dyn Questions>>,
    /// The language servers that tools ask; `None` where there are none.
    #[doc(hidden)]
    pub language_servers: Option<Arc<dyn LanguageServers>>,
    /// Maximum depth of subagents; 0 disables them.
    pub agents_deep: u32,
    /// Maximum number of subagents of the session, at all depths.
    pub agents_max: u32,
    /// Maximum number of answers; 0 means unlimited.
    pub turns_max: u32,
    /// Rounds of tool calls that one input may cause.
    pub tool_rounds_max: u32,
    /// Number of consecutive calls that are checked for a repeating pattern; `None` disables the check.
    pub loop_window: Option<usize>,
    /// Compaction settings.
    pub compaction: compaction::Settings,
    /// Hook that can influence compaction.
    pub hook: Option<Arc<dyn CompactionHook>>,
    /// Whether an error that no retry can fix ends the session, for unattended hosts.
    pub close_on_failure: bool,
    /// The approval mode.
    pub approval_mode: Mode,
    /// The conversation to use.
    pub session: SessionChoice,
    /// Folder of the session files, overriding the one in `home`.
    pub session_root: Option<PathBuf>,
    /// The session's name.
    pub session_name: Option<String>,
    /// The requested provider.
    pub provider: Option<String>,
    /// The requested model: an id or `provider/id`, either with an optional `:level` suffix.
    pub model: Option<String>,
    /// Whether another model is used, with a notice, where the requested one is missing: a user can choose another.
    pub replaces_missing_model: bool,
    /// The requested thinking level.
    pub thinking: Option<Thinking>,
    /// The provider of the settings, used when neither flags nor session name one.
    pub default_provider: Option<String>,
    /// The model of the settings, in any form of `model`.
    pub default_model: Option<String>,
    /// The thinking level of the settings.
    pub default_thinking: Option<Thinking>,
    /// The requested profile: an id, or `auto` for the one that fits the model.
    pub profile: Option<String>,
    /// Tools added to the profile's; of two with the same name the later one is used.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Flags that select the available tools.
    pub tool_flags: ToolFlags,
    /// The user's texts for the system prompt.
    pub prompt_texts: PromptTexts,
    /// Whether documents of the project and the user are not read.
    pub no_documents: bool,
    /// How many queued steering messages are delivered together.
    pub steering: QueueMode,
    /// How many queued follow-up messages are delivered together.
    pub follow_up: QueueMode,
    /// A key for the requested provider.
    pub api_key: Option<String>,
    /// The process environment.
    pub vars: HashMap<String, String>,
    /// The clock.
    pub clock: SharedClock,
    /// The generator of ids.
    pub ids: SharedIds,
    /// Whether network requests beyond this machine are forbidden.
    pub offline: bool,
    /// Budget in US dollars; `None` means no limit.
    pub budget: Option<f64>,
    /// Retry policy of failed model calls.
    pub retry: Policy,
    /// Where HTTP exchanges with models are recorded or replayed.
    pub cassette: Option<Cassette>,
    /// How providers are contacted, where there is a choice.
    pub transport: Transport,
    /// Certificate authorities trusted in addition to the system's.
    pub roots: Roots,
    /// Whether new keys are stored in the system's keyring.
    pub keyring: bool,
    /// Whether model servers on this machine are discovered.
    pub discover: bool,
    /// Whether a key that is typed at a login is tried by a request before it is stored.
    pub check_keys: bool,
    /// Whether a model must have read a file before it edits it.
    pub read_first: ReadFirst,
    /// Whether checkpoints of the working folder are recorded around the agent's changes.
    pub checkpoints: bool,
    /// Providers that do not come from the catalog, for tests and embedding.
    pub providers: Vec<Injected>,
    /// The tool settings.
    pub tools_config: tools::contract::config::ToolConfig,
    /// A temporary folder that lives as long as the session, for sessions without other files.
    pub scratch: Option<Arc<TempDir>>,
}

impl Options {
    /// Returns the folder of stored sessions.
    pub fn session_root(&self) -> PathBuf {
        self.session_root.clone().unwrap_or_else(|| self.home.sessions())
    }

    /// Creates the options of a new session in this working folder, with defaults for all else and the
    /// machine's clock.
    pub fn new(home: Home, cwd: PathBuf, env: Arc<dyn Environment>, approval: Arc<dyn Approval>) -> Self {
        Self {
            home,
            cwd,
            env,
            approval,
            questions: None,
            language_servers: None,
            agents_deep: 1,
            agents_max: 100,
            turns_max: 0,
            tool_rounds_max: Config::default().tool_rounds_max,
            loop_window: Config::default().loop_window,
            compaction: compaction::Settings::default(),
            hook: None,
            close_on_failure: false,
            approval_mode: Mode::default(),
            session: SessionChoice::default(),
            session_root: None,
            session_name: None,
            provider: None,
            model: None,
            replaces_missing_model: false,
            thinking: None,
            default_provider: None,
            default_model: None,
            default_thinking: None,
            profile: None,
            tools: Vec::new(),
            tool_flags: ToolFlags::default(),
            prompt_texts: PromptTexts::default(),
            no_documents: false,
            steering: QueueMode::default(),
            follow_up: QueueMode::default(),
            api_key: None,
            vars: HashMap::new(),
            clock: SystemClock::shared(),
            ids: RandomIds::shared(),
            offline: false,
            budget: None,
            retry: Policy::default(),
            cassette: None,
            transport: Transport::default(),
            roots: Roots::default(),
            keyring: false,
            discover: false,
            check_keys: false,
            read_first: ReadFirst::default(),
            checkpoints: false,
            providers: Vec::new(),
            tools_config: tools::contract::config::ToolConfig::default(),
            scratch: None,
        }
    }

    /// Returns the folder of outputs that are too long for a model; each session has a subfolder.
    pub(in crate::runtime) fn outputs(&self) -> PathBuf {
        self.home.cache.join("outputs")
    }
}
