//! State of the feature: the table, the servers that run, and which texts they know. Plain data.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::sync::mpsc::Sender;
use tokio_util::sync::DropGuard;

use crate::base::width::visible;
use crate::exec::Usage;
use crate::ide::core::slots::Slot;
use crate::ide::features::language_servers::agent::Waiting;
use crate::ide::features::language_servers::agent_files::Visit;
use crate::ide::features::language_servers::code_actions::FoundAction;
use crate::ide::features::language_servers::hierarchy::Hierarchy;
use crate::ide::features::language_servers::highlight::Resting;
use crate::ide::features::language_servers::limited::LimitedQuestion;
use crate::ide::features::language_servers::linked_editing::Linking;
use crate::ide::features::language_servers::on_save::{PendingSave, SaveProblem};
use crate::ide::features::language_servers::project_diagnostics::ProjectDiagnostics;
use crate::ide::features::language_servers::rename::Renaming;
use crate::ide::features::language_servers::watched_files::{NotedChange, TreeWatch};
use crate::ide::model::buffers::BufferId;
use crate::lsp::client::QuestionError;
use crate::lsp::client::completion::TypedTriggers;
use crate::lsp::table::{Feature, Features, Table};
use crate::runtime::language_servers::process::ServerSpec;
use crate::runtime::language_servers::search::WantedServer;
use crate::runtime::language_servers::server::{ServerCommand, ServerState};
use crate::tools::interaction::language_servers::ServerStatus;

/// Lines of a server's log that are kept.
const LOG_MAX: usize = 500;

/// Slot of the feature's state.
pub const LANGUAGE_SERVERS: Slot<LanguageServers> = Slot::new();

/// Something that a server works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerWork {
    /// What it is, without control characters.
    pub text: String,
    /// Whether it can be cancelled.
    pub can_cancel: bool,
}

/// What the user has a server do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// To end and start again.
    Restarted,
    /// To end.
    Stopped,
}

/// A server.
pub struct RunningServer {
    /// Its number, unique while the program runs.
    pub number: u32,
    /// How it is started.
    pub spec: ServerSpec,
    /// What it does.
    pub state: ServerState,
    /// Since when, in milliseconds since the epoch.
    pub since: u64,
    /// What the user has it do, until that is done.
    pub wanted: Option<Wanted>,
    /// What its processes used when that was asked last.
    pub usage: Option<Usage>,
    /// What it works on, by token.
    pub progress: BTreeMap<String, ServerWork>,
    /// What it said last, and its last messages, the newest last.
    pub log: VecDeque<String>,
    /// Whether it may have to be asked for diagnostics.
    pub pulls: bool,
    /// Ends the question for the diagnostics of all files on drop; `None` where it is answered.
    pub project_pull: Option<DropGuard>,
    /// The characters that it wants to hear of while the user types.
    pub triggers: TypedTriggers,
    /// Whether it does not run because its folder or its program is not trusted.
    pub waits_for_trust: bool,
    /// The methods that it offers.
    pub methods: Vec<&'static str>,
    /// Where commands for it go.
    pub commands: Sender<ServerCommand>,
}

impl RunningServer {
    /// Whether it answers.
    pub fn is_running(&self) -> bool {
        matches!(self.state, ServerState::Running { .. })
    }

    /// Returns its number, name and root.
    pub fn place(&self) -> (u32, String, PathBuf) {
        (self.number, self.spec.name.clone(), self.spec.options.root.clone())
    }

    /// Returns it as the agent's tools list it.
    pub fn status(&self) -> ServerStatus {
        let words = self.state.words();
        let reason = self.state.reason().or(self.work());
        let state = reason.map_or_else(|| words.to_string(), |reason| format!("{words}: {reason}"));
        ServerStatus { name: self.spec.name.clone(), root: self.spec.options.root.clone(), state }
    }

    /// Returns what it says that it works on, if it does.
    pub fn work(&self) -> Option<&str> {
        self.progress.values().next_back().map(|work| work.text.as_str())
    }

    /// Notes what it works on under a token, or that this has ended. Whether it can be cancelled stays as it was unless it is said.
    pub fn note_work(&mut self, token: String, text: Option<String>, can_cancel: Option<bool>) {
        let before = self.progress.remove(&token);
        if let Some(text) = text {
            let can_cancel = can_cancel.or(before.map(|work| work.can_cancel)).unwrap_or_default();
            self.progress.insert(token, ServerWork { text: visible(&text).into_owned(), can_cancel });
        }
    }

    /// Whether it answers, and offers a method.
    pub fn offers(&self, method: &str) -> bool {
        self.is_running() && self.methods.contains(&method)
    }

    /// Sends it a command; returns whether that was possible: it may have too many to do.
    pub fn send(&self, command: ServerCommand) -> bool {
        let sent = self.commands.try_send(command);
        if let Err(error) = &sent {
            tracing::warn!(server = self.spec.name, %error, "a command of a language server is not sent");
        }
        sent.is_ok()
    }

    /// Adds to its log why it does not answer what the user did not ask by hand. A question that was cancelled is no problem: while
    /// the user types most of them are.
    pub fn note_problem(&mut self, what: &str, error: &QuestionError) {
        if !error.is_cancelled() {
            self.note(format!("{what}: {}", visible(&error.to_string())));
        }
    }

    /// Adds a line to its log.
    pub fn note(&mut self, line: String) {
        if self.log.len() == LOG_MAX {
            self.log.pop_front();
        }
        self.log.push_back(line);
    }
}

/// A server for a text, and what it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Serving {
    /// Its number.
    pub server: u32,
    /// What it is asked for.
    pub features: Features,
}

/// A text that servers know.
#[derive(Debug, Clone)]
pub struct ServedText {
    /// Its file, as the servers know it.
    pub path: PathBuf,
    /// What servers call its language.
    pub language_id: String,
    /// The version that was sent last.
    pub sent_version: u64,
    /// Whether a change did not reach a server: the next one is sent as the whole text.
    pub is_behind: bool,
    /// Its servers, in the order of the table.
    pub servers: Vec<Serving>,
}

/// Whether edits that a server requests are applied.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowedEdits {
    /// Number of commands that the user has started and that have not ended.
    pub running: usize,
    /// Until when edits of those that have ended may arrive, on the monotonic clock.
    pub until: Duration,
}

/// State of the feature.
#[derive(Default)]
pub struct LanguageServers {
    /// Whether servers may be used at all.
    pub is_allowed: bool,
    /// Whether servers are used.
    pub is_on: bool,
    /// Bytes of memory that a server may use.
    pub memory_max: Arc<AtomicU64>,
    /// Which server serves which file; `None` until it was read.
    pub table: Option<Arc<Table>>,
    /// Servers that were started, in that order.
    pub servers: Vec<RunningServer>,
    /// Texts that they know.
    pub texts: HashMap<BufferId, ServedText>,
    /// Texts whose servers start when the folder is trusted.
    pub waiting: HashMap<BufferId, (String, Vec<WantedServer>)>,
    /// How often a server has offered something else than before.
    pub offers: u64,
    /// How often a server has said that what it answered for a feature does not hold any more.
    pub refreshed: HashMap<Feature, u64>,
    /// What is wrong in files that are not open.
    pub project: ProjectDiagnostics,
    /// When servers are asked for diagnostics next, on the monotonic clock.
    pub pull_at: Option<Duration>,
    /// Whether the agent gets the errors of files that it edits.
    pub reports_to_agent: bool,
    /// What the agent waits for.
    pub waiting_for_errors: Vec<Waiting>,
    /// Files that are open at servers only for the agent.
    pub visits: HashMap<PathBuf, Visit>,
    /// Number of the last visit.
    pub last_visit: u64,
    /// Number of the last server.
    pub last_number: u32,
    /// The last list of locations: what was asked, and its rows.
    pub locations: (&'static str, Vec<crate::ide::core::layers::picker::PickRow>),
    /// The last call or type hierarchy.
    pub hierarchy: Hierarchy,
    /// The rename whose new name is being typed.
    pub renaming: Option<Renaming>,
    /// The last list of code actions.
    pub actions: Vec<FoundAction>,
    /// How many edits were shown to the user without being asked for at that moment.
    pub shown_edits: u64,
    /// Which servers may change files, by number.
    pub commands: HashMap<u32, AllowedEdits>,
    /// Whether texts are formatted before they are saved.
    pub formats_on_save: bool,
    /// Saves that wait for their text to be prepared.
    pub saves: Vec<PendingSave>,
    /// Whether what is typed is formatted.
    pub formats_on_type: bool,
    /// Whether linked names are changed together.
    pub links_names: bool,
    /// Names that are changed together.
    pub linked: Linking,
    /// The caret that rests at a name.
    pub resting: Resting,
    /// Questions that something waits for, for a limited time.
    pub limited: Vec<LimitedQuestion>,
    /// Number of the last of them, or of the last dialog of a server.
    pub last_question: u64,
    /// The last dialog of each server, by its number.
    pub dialogs: HashMap<u32, u64>,
    /// Files that have changed on the disk, of which servers that have registered for some hear next.
    pub disk_changes: Vec<NotedChange>,
    /// Paths whose diagnostics were forgotten: servers that are asked for those of all files report them anew.
    pub forgotten_reports: Vec<PathBuf>,
    /// What watches the workspace for them.
    pub tree_watch: Option<TreeWatch>,
    /// Why the servers of texts that are being saved have not changed them before.
    pub unedited: HashMap<BufferId, String>,
    /// Why texts that are being saved are not as they should be.
    pub save_problems: HashMap<BufferId, SaveProblem>,
    /// Programs that would format but are not installed; the user has read it once.
    pub missing_programs: HashSet<String>,
    /// Servers whose code actions on save want to change other files; the user has read it once.
    pub refused_on_save: HashSet<u32>,
}

impl LanguageServers {
    /// Returns a server.
    pub fn server_mut(&mut self, number: u32) -> Option<&mut RunningServer> {
        self.servers.iter_mut().find(|server| server.number == number)
    }

    /// Returns a server.
    pub fn server(&self, number: u32) -> Option<&RunningServer> {
        self.servers.iter().find(|server| server.number == number)
    }

    /// Whether a server that a text asks for a feature offers its method.
    pub fn offers(&self, text: BufferId, feature: Feature, method: &str) -> bool {
        self.for_feature(text, feature).iter().any(|server| server.offers(method))
    }

    /// Returns a number that is another one whenever what servers answered for a feature may not hold any more.
    pub fn epoch(&self, feature: Feature) -> u64 {
        self.offers + self.refreshed.get(&feature).copied().unwrap_or_default()
    }

    /// Returns the servers of a text that are asked for a feature.
    pub fn for_feature(&self, text: BufferId, feature: Feature) -> Vec<&RunningServer> {
        let Some(text) = self.texts.get(&text) else { return Vec::new() };
        let asked = text.servers.iter().filter(|serving| serving.features.contains(feature));
        asked.filter_map(|serving| self.server(serving.server)).collect()
    }
}
