//! The rows of the table. Plain data. Must not know how it is written.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::lsp::table::feature::Features;
use crate::lsp::table::pattern::Pattern;

/// How long a server may take for an answer.
pub const TIMEOUT: Duration = Duration::from_secs(20);

/// Who wrote a row, or changed it last. What a project wrote needs trust before it is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// It comes with the program.
    BuiltIn,
    /// The user.
    User,
    /// The project.
    Project,
}

/// A language server.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    /// Its name.
    pub name: String,
    /// The program: a name that is looked up, or a path.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables of its environment, besides the usual ones.
    pub environment: BTreeMap<String, String>,
    /// The initialization options.
    pub config: Option<Value>,
    /// What it gets when it asks for its configuration.
    pub settings: Option<Value>,
    /// How long it may take for an answer.
    pub timeout: Duration,
    /// It starts only in a folder with one of these; everywhere if there are none.
    pub required_root_patterns: Vec<Pattern>,
    /// A command line that must succeed before the server counts as installed; empty for none. It is run outside of the
    /// project.
    pub check: Vec<String>,
    /// Whether it only checks texts.
    pub is_linter: bool,
    /// Whether it may be started.
    pub is_enabled: bool,
    /// What it is asked for, in all languages.
    pub features: Features,
    /// The last one who wrote something of this row.
    pub origin: Origin,
}

impl Server {
    /// Returns the answer to a question for its configuration: as in Helix that is `config` where nothing else is set.
    pub fn configuration(&self) -> Option<&Value> {
        self.settings.as_ref().or(self.config.as_ref())
    }
}

/// A language, and who serves it.
#[derive(Debug, Clone, PartialEq)]
pub struct Language {
    /// Its name: that of `syntax`, where that has it.
    pub name: String,
    /// What servers call it.
    pub language_id: String,
    /// Ends of file names, in lower case and without the first dot.
    pub extensions: Vec<String>,
    /// Names of files and globs.
    pub files: Vec<Pattern>,
    /// Programs in the first line that run such a file.
    pub interpreters: Vec<String>,
    /// What marks the root folder of a project.
    pub roots: Vec<Pattern>,
    /// A program that formats, which goes before the servers.
    pub formatter: Option<Formatter>,
    /// Kinds of code actions that run when a file is saved, in order.
    pub code_actions_on_save: Vec<String>,
    /// Whether a file is formatted when it is saved; `None` where the setting decides.
    pub auto_format: Option<bool>,
    /// The last one who wrote something of this row.
    pub origin: Origin,
    /// The last one who said which files are in this language.
    pub(super) files_origin: Origin,
    /// Names of servers, for `Table::servers_of`.
    pub(super) uses: Vec<Use>,
}

/// A program that formats: from its standard input to its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formatter {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// A server in the list of a language, by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) server: String,
    pub(super) features: Features,
    pub(super) group: usize,
    /// Where it is written.
    pub(super) file: String,
    pub(super) line: usize,
}

/// A server of a language.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServerUse<'a> {
    /// The server.
    pub server: &'a Server,
    /// What it is asked for in this language.
    pub features: Features,
    /// Servers of one group are alternatives: only the first one of it runs that can be started.
    pub group: usize,
}
