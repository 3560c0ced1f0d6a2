//! What plugins of the editor bring, whether those of the project may run, and what is asked of
//! them. Plain data.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::config::plugins::{Command, Plugin};
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::slots::Slot;
use crate::ide::features::pipe::job::ShellProblem;
use crate::ide::model::buffers::BufferId;
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
    /// What the plugin says about it.
    pub command: Command,
    /// Of a project's plugin, what was in their folder when the user trusted it.
    pub trusted: Option<Arc<str>>,
}

/// Whether what a project wants to run may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trust {
    /// It wants to run nothing.
    #[default]
    NotNeeded,
    /// It may.
    Always,
    /// It may until the program ends.
    Session,
    /// It may not.
    Never,
    /// Nobody has said.
    Undecided,
}

/// Where it is in the state.
pub const PLUGINS: Slot<Plugins> = Slot::new();

/// All of it.
#[derive(Debug, Default)]
pub struct Plugins {
    /// The commands that can be run, by plugin.
    pub commands: Vec<Arc<PluginCommand>>,
    /// Folders with snippets, beside the user's own.
    pub snippets: Vec<PathBuf>,
    /// What was read last.
    pub read: PluginsRead,
    /// Whether what the project wants to run may.
    pub trusted: Trust,
    /// Where the program keeps what the user has said about projects.
    pub state: PathBuf,
    /// What may run until the program ends: a digest.
    pub session_trust: Option<Arc<str>>,
    /// Ends the program that runs for a command.
    pub running: Option<CancellationToken>,
    /// The last list of places, and whose it is.
    pub locations: (String, Vec<PickRow>),
}

/// What there is to be read.
#[derive(Debug, Clone)]
pub struct PluginsJob {
    /// The user's folder of plugins.
    pub own: PathBuf,
    /// The project.
    pub workspace: PathBuf,
    /// What `~` means in its rules.
    pub home: PathBuf,
    /// Where the program keeps what the user has said about projects.
    pub state: PathBuf,
    /// Whether the user asked for it: then it is told that it is done.
    pub asked: bool,
    /// What the user says about the project first, if he does.
    pub trust_change: Option<TrustChange>,
}

/// What a user says about a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustChange {
    /// What has this digest may run, or may not.
    Set(Arc<str>, bool),
    /// Nothing any more.
    Forget,
}

/// Plugins that were read.
#[derive(Debug, Default)]
pub struct PluginsRead {
    /// The user's own.
    pub own: Vec<Plugin>,
    /// The project's.
    pub project: Vec<Plugin>,
    /// What the project's rules want to allow, each in words.
    pub allows: Vec<String>,
    /// All that the project wants, as a number: what is in its folder of plugins, and its rules where they
    /// allow something. Where it wants anything.
    pub digest: Option<Arc<str>>,
    /// What was said about that: nothing, where that cannot be known.
    pub decision: Option<bool>,
    /// What is wrong with them.
    pub problems: Vec<String>,
    /// Whether the user asked for them to be read.
    pub asked: bool,
    /// Whether he has just taken back what he had said: then nothing is asked.
    pub trust_forgotten: bool,
}

/// A command that is to be run.
pub struct PluginJob {
    /// Which one.
    pub command: Arc<PluginCommand>,
    /// The file that is shown.
    pub shown: Option<PluginText>,
    /// The project.
    pub workspace: PathBuf,
    /// What `~` means in its rules.
    pub home: PathBuf,
    /// Ends it.
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
    /// What its file is like.
    pub format: Format,
    /// What is selected.
    pub selection: Selection,
    /// Where its file is.
    pub path: Option<PathBuf>,
    /// Its language.
    pub language: Option<&'static str>,
}

/// What a command came to.
#[derive(Debug)]
pub enum PluginResult {
    /// An edit of the text.
    Edit(Box<Transaction>),
    /// Something to be shown.
    Message(String),
    /// Places to go to.
    Locations(Vec<PickRow>),
}

/// Why a plugin's command did nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PluginProblem {
    /// Its program did not do its work.
    #[error("{0}")]
    Program(#[from] ShellProblem),
    /// Its answer is none that it may give.
    #[error("its answer cannot be used: {0}; nothing changed")]
    Answer(String),
    /// The project's plugins are not those that were trusted.
    #[error(
        "the project's plugins or rules were changed since they were trusted; trust.show shows what would run"
    )]
    Changed,
}
