//! What a live session is started with. Plain data; nothing here reads the environment.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;

use crate::agent::compaction;
use crate::agent::compaction::hook::Hook;
use crate::agent::config::Config;
use crate::agent::queue::QueueMode;
use crate::agent::request::prompt::Words;
use crate::base::clock::{SharedClock, SystemClock};
use crate::base::ids::{RandomIds, SharedIds};
use crate::base::paths::Home;
use crate::exec::Environment;
use crate::llm::errors::retry::Policy;
use crate::llm::model::Thinking;
use crate::llm::provider::Injected;
use crate::net::cassette::Cassette;
use crate::net::certificates::Roots;
use crate::net::http::Transport;
use crate::tools::contract::choice::Flags;
use crate::tools::files::state::ReadFirst;
use crate::tools::interaction::questions::Questions;
use crate::tools::{self, Approval, Mode, Tool};

/// Which conversation to go on with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SessionChoice {
    /// A new one.
    #[default]
    New,
    /// The newest of the working folder, a new one if there is none.
    Continue,
    /// The one in this file.
    Open(PathBuf),
    /// A new one with the branch of the one in this file.
    Fork(PathBuf),
    /// A new one that is never written.
    Memory,
}

/// Everything that a live session needs.
#[derive(Clone)]
pub struct Options {
    /// Where bowline keeps its files.
    pub home: Home,
    /// The working folder.
    pub cwd: PathBuf,
    /// Files and commands for the tools.
    pub env: Arc<dyn Environment>,
    /// Who answers when a call needs leave.
    pub approval: Arc<dyn Approval>,
    /// Who asks the user for the agent; nobody where nobody is there.
    pub questions: Option<Arc<dyn Questions>>,
    /// How deep agents may be that the agent starts; 0: it starts none.
    pub agents_deep: u32,
    /// How many agents the session may start in all, at all depths.
    pub agents_max: u32,
    /// Answers that the session may have; 0: any number.
    pub turns_max: u32,
    /// Rounds of tool calls that one input may cause.
    pub tool_rounds_max: u32,
    /// How many calls in a row are looked at for a pattern that repeats; `None`: none.
    pub loop_window: Option<usize>,
    /// When the conversation is compacted, and how.
    pub compaction: compaction::Settings,
    /// Who has a say in that.
    pub hook: Option<Arc<dyn Hook>>,
    /// Whether a failure that no repetition mends ends the session, for hosts where nobody is there.
    pub close_on_failure: bool,
    /// Which calls need it.
    pub policy: Mode,
    /// Which conversation.
    pub session: SessionChoice,
    /// Folder of the session files, in place of the one in `home`.
    pub session_root: Option<PathBuf>,
    /// What the session is to be called.
    pub session_name: Option<String>,
    /// The wished provider.
    pub provider: Option<String>,
    /// The wished model: an id, `provider/id`, either with `:level` behind it.
    pub model: Option<String>,
    /// The wished thinking level.
    pub thinking: Option<Thinking>,
    /// The provider of the settings, where neither flags nor session say one.
    pub default_provider: Option<String>,
    /// The model of the settings, in any form of `model`.
    pub default_model: Option<String>,
    /// Thinking level from the settings.
    pub default_thinking: Option<Thinking>,
    /// The wished profile: the id of one, or `auto` for that which fits the model.
    pub profile: Option<String>,
    /// Tools on top of the profile's; of two with one name the later one counts.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Which tools are on offer.
    pub tool_flags: Flags,
    /// What the user says about the system prompt.
    pub words: Words,
    /// Whether documents of the project and the user are left alone.
    pub no_documents: bool,
    /// How many waiting steering messages are delivered together.
    pub steering: QueueMode,
    /// How many waiting follow-up messages are delivered together.
    pub follow_up: QueueMode,
    /// A key for the wished provider.
    pub api_key: Option<String>,
    /// The process environment.
    pub vars: HashMap<String, String>,
    /// Time.
    pub clock: SharedClock,
    /// Identity.
    pub ids: SharedIds,
    /// Ask nobody but this machine.
    pub offline: bool,
    /// Most US dollars that may be spent; no limit when `None`.
    pub budget: Option<f64>,
    /// How often failed model calls are retried, and how long a wait may be.
    pub retry: Policy,
    /// Where exchanges with models are recorded, or played from.
    pub tape: Option<Cassette>,
    /// How models are talked to where there is a choice.
    pub transport: Transport,
    /// Authorities that are trusted beside the system's.
    pub roots: Roots,
    /// Whether new keys go into the system's keyring.
    pub keyring: bool,
    /// Whether servers on this machine are looked for.
    pub discover: bool,
    /// Whether a model must have read a file before it changes it.
    pub read_first: ReadFirst,
    /// Whether the state of the working folder is recorded before and after the agent changes it.
    pub checkpoints: bool,
    /// Providers that do not come from the catalog, for tests and embedding.
    pub providers: Vec<Injected>,
    /// What the settings say about tools.
    pub tools_config: tools::contract::config::Config,
    /// A folder that is there as long as the session, for those whose files are nowhere else.
    pub scratch: Option<Arc<TempDir>>,
}

impl Options {
    /// Below what sessions are kept.
    pub fn session_root(&self) -> PathBuf {
        self.session_root.clone().unwrap_or_else(|| self.home.sessions())
    }

    /// A new session of this working folder with everything else at its default, on the
    /// machine's own clock.
    pub fn new(home: Home, cwd: PathBuf, env: Arc<dyn Environment>, approval: Arc<dyn Approval>) -> Self {
        Self {
            home,
            cwd,
            env,
            approval,
            questions: None,
            agents_deep: 1,
            agents_max: 100,
            turns_max: 0,
            tool_rounds_max: Config::default().tool_rounds_max,
            loop_window: Config::default().loop_window,
            compaction: compaction::Settings::default(),
            hook: None,
            close_on_failure: false,
            policy: Mode::default(),
            session: SessionChoice::default(),
            session_root: None,
            session_name: None,
            provider: None,
            model: None,
            thinking: None,
            default_provider: None,
            default_model: None,
            default_thinking: None,
            profile: None,
            tools: Vec::new(),
            tool_flags: Flags::default(),
            words: Words::default(),
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
            tape: None,
            transport: Transport::default(),
            roots: Roots::default(),
            keyring: false,
            discover: false,
            read_first: ReadFirst::default(),
            checkpoints: false,
            providers: Vec::new(),
            tools_config: tools::contract::config::Config::default(),
            scratch: None,
        }
    }

    /// Where sessions keep outputs that are too long for a model; a folder of each is in it.
    pub(in crate::runtime) fn outputs(&self) -> PathBuf {
        self.home.cache.join("outputs")
    }
}
