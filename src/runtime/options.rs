//! What a live session is started with. Plain data; nothing here reads the environment.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::agent::queue::QueueMode;
use crate::base::clock::{SharedClock, SystemClock};
use crate::base::ids::{RandomIds, SharedIds};
use crate::base::paths::Home;
use crate::exec::Environment;
use crate::llm::client::Injected;
use crate::llm::model::Thinking;
use crate::net::http::Transport;
use crate::net::roots::Roots;
use crate::net::tape::Tape;
use crate::tools::{Approval, Mode};

/// Which conversation to go on with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SessionChoice {
    /// A new one.
    #[default]
    New,
    /// The newest of the working folder, a new one if there is none.
    Continue,
    /// The one in this file.
    Open(PathBuf),
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
    /// Which calls need it.
    pub policy: Mode,
    /// Which conversation.
    pub session: SessionChoice,
    /// Folder of the session files, in place of the one in `home`.
    pub session_root: Option<PathBuf>,
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
    /// Where exchanges with models are recorded, or played from.
    pub tape: Option<Tape>,
    /// How models are talked to where there is a choice.
    pub transport: Transport,
    /// Authorities that are trusted beside the system's.
    pub roots: Roots,
    /// Whether new keys go into the system's keyring.
    pub keyring: bool,
    /// Whether servers on this machine are looked for.
    pub discover: bool,
    /// Providers that do not come from the catalog, for tests and embedding.
    pub providers: Vec<Injected>,
}

impl Options {
    /// A new session of this working folder with everything else at its default, on the
    /// machine's own clock.
    pub fn new(home: Home, cwd: PathBuf, env: Arc<dyn Environment>, approval: Arc<dyn Approval>) -> Self {
        Self {
            home,
            cwd,
            env,
            approval,
            policy: Mode::default(),
            session: SessionChoice::default(),
            session_root: None,
            provider: None,
            model: None,
            thinking: None,
            default_provider: None,
            default_model: None,
            default_thinking: None,
            steering: QueueMode::default(),
            follow_up: QueueMode::default(),
            api_key: None,
            vars: HashMap::new(),
            clock: SystemClock::shared(),
            ids: RandomIds::shared(),
            offline: false,
            budget: None,
            tape: None,
            transport: Transport::default(),
            roots: Roots::default(),
            keyring: false,
            discover: false,
            providers: Vec::new(),
        }
    }
}
