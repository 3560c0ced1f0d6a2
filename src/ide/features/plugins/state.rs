//! State of editor plugins: what they provide, whether those of the project may run, and jobs for them. Plain
//! data.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::config::plugins::{Command, Plugin};
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::slots::Slot;
use crate::ide::features::pipe::job::ShellProblem;
use crate::ide::model::buffers::BufferId;
use crate::runtime::agent_setup::trust_requests::{ProgramTrust, ProjectProgram};
use crate::text::file_format::format::Format;
use crate::text::rope::Text;
use crate::text::selection::Selection;
use crate::text::transaction::Transaction;

/// A command of a plugin.
#[derive(Debug, Clone)]
pub struct PluginCommand {
    /// `plugin.<name>.<command>`.
    pub id: String,
    /// The plugin's name.
    pub plugin: String,
    /// The plugin's folder.
    pub folder: PathBuf,
    /// Its declaration by the plugin.
    pub command: Command,
    /// For a project's plugin: the digest of the plugin folder that the user trusted.
    pub trusted: Option<Arc<str>>,
}

/// Whether the project's plugins and rules are trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trust {
    /// The project has none.
    #[default]
    NotNeeded,
    /// Trusted.
    Always,
    /// Trusted until the program ends.
    Session,
    /// Not trusted.
    Never,
    /// No decision yet.
    Undecided,
}

/// Slot of the feature's state.
pub const PLUGINS: Slot<Plugins> = Slot::new();

/// What a program does that open files want.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProgramKind {
    /// It is a language server.
    Server,
    /// It formats.
    Formatter,
}

/// A program that open files want and that runs what the project contains.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WantedProgram {
    /// What it does.
    pub kind: ProgramKind,
    /// Its command line.
    pub line: String,
    /// Where it is, if the project contains the program itself.
    pub path: Option<PathBuf>,
}

/// What the user has said about a program that runs what the project contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// It may be started.
    Given,
    /// The user has to be asked.
    Unknown,
    /// It may not.
    Refused,
}

/// A program that the project itself contains, and what the user has said about it as it is.
#[derive(Debug, Clone)]
pub struct KnownProgram {
    /// The program.
    pub program: ProjectProgram,
    /// What was said; `None` if nothing was.
    pub decision: Option<bool>,
}

/// State of the feature.
#[derive(Debug, Default)]
pub struct Plugins {
    /// The commands that can be run, by plugin.
    pub commands: Vec<Arc<PluginCommand>>,
    /// The programs that open files want, in the order in which they were wanted.
    pub programs: Vec<WantedProgram>,
    /// Folders with snippets, in addition to the user's own.
    pub snippets: Vec<PathBuf>,
    /// The plugins as read last.
    pub read: PluginsRead,
    /// Whether the project's plugins and rules are trusted.
    pub trusted: Trust,
    /// Where the program keeps what the user has said about projects.
    pub state: PathBuf,
    /// Digest of what is trusted until the program ends.
    pub session_trust: Option<Arc<str>>,
    /// What the user has said about the project's own programs; `None` before the start.
    pub program_trust: Option<ProgramTrust>,
    /// Ends the program that runs for a command.
    pub running: Option<CancellationToken>,
    /// The last list of locations, and the command that returned it.
    pub locations: (String, Vec<PickRow>),
}

/// A job that reads plugins.
#[derive(Debug, Clone)]
pub struct PluginsJob {
    /// The user's folder of plugins.
    pub own: PathBuf,
    /// The project.
    pub workspace: PathBuf,
    /// What `~` means in its rules.
    pub home: PathBuf,
    /// The programs that open files want.
    pub programs: Vec<WantedProgram>,
    /// Where the program keeps what the user has said about projects.
    pub state: PathBuf,
    /// What the user has said about the project's own programs.
    pub program_trust: ProgramTrust,
    /// Whether the user requested it: then its end is reported.
    pub asked: bool,
    /// A decision to store first.
    pub trust_change: Option<TrustChange>,
}

/// A decision of the user about a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustChange {
    /// Trust what a question was about, or do not.
    Set {
        /// Digest of plugins and rules; `None` where the folder was trusted before.
        digest: Option<Arc<str>>,
        /// The project's own programs.
        programs: Vec<ProjectProgram>,
        /// Whether they are trusted.
        is_trusted: bool,
    },
    /// Forget the decision.
    Forget,
}

/// Plugins that were read.
#[derive(Debug, Default)]
pub struct PluginsRead {
    /// The user's own.
    pub own: Vec<Plugin>,
    /// The project's.
    pub project: Vec<Plugin>,
    /// Descriptions of what the project's rules allow.
    pub allows: Vec<String>,
    /// Digest of everything the project wants: its plugin folder, and its rules if they allow something.
    /// `None` if it wants nothing.
    pub digest: Option<Arc<str>>,
    /// The programs that the project itself contains and open files want.
    pub programs: Vec<KnownProgram>,
    /// The decision about that digest; `None` if there is none or it cannot be read.
    pub decision: Option<bool>,
    /// Problems with the plugins.
    pub problems: Vec<String>,
    /// Whether the user requested reading them.
    pub asked: bool,
    /// Whether the user has just revoked a decision: then no dialog opens.
    pub trust_forgotten: bool,
}

/// A command that is to be run.
pub struct PluginJob {
    /// Which one.
    pub command: Arc<PluginCommand>,
    /// The shown file.
    pub shown: Option<PluginText>,
    /// The project.
    pub workspace: PathBuf,
    /// What `~` means in its rules.
    pub home: PathBuf,
    /// Cancels it.
    pub cancel: CancellationToken,
}

/// The text that a command is run for.
pub struct PluginText {
    /// Which one.
    pub buffer: BufferId,
    /// Its version.
    pub version: u64,
    /// The text.
    pub text: Text,
    /// Format of its file.
    pub format: Format,
    /// Its selection.
    pub selection: Selection,
    /// Path of its file.
    pub path: Option<PathBuf>,
    /// Its language.
    pub language: Option<&'static str>,
}

/// Result of a command.
#[derive(Debug)]
pub enum PluginResult {
    /// An edit of the text.
    Edit(Box<Transaction>),
    /// A message to show.
    Message(String),
    /// Locations to visit.
    Locations(Vec<PickRow>),
}

/// Why a plugin command did nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PluginProblem {
    /// Its program failed.
    #[error("{0}")]
    Program(#[from] ShellProblem),
    /// Its response is invalid.
    #[error("its answer cannot be used: {0}; nothing changed")]
    Answer(String),
    /// The project's plugins differ from those that were trusted.
    #[error(
        "the project's plugins or rules were changed since they were trusted; trust.show shows what would run"
    )]
    Changed,
}
