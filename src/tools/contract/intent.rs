//! Intent of a call, independent of tool and arguments. Calls are translated by their intent when a
//! conversation continues with another family's tools, and front ends label tools by it.
//!
//! Must not know any tool.

use std::time::Duration;

use serde_json::Value;

use crate::tools::contract::view::CallKind;

/// Purpose of a tool. Its name is that of pi's tool, and accepted wherever tools are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Reads a file.
    Read,
    /// Reads several files.
    ReadMany,
    /// Reads an image.
    ViewImage,
    /// Creates or overwrites a file.
    Write,
    /// Replaces parts of a file.
    Edit,
    /// Changes files by a patch.
    Patch,
    /// Runs a command.
    Bash,
    /// Reads from, writes to or ends a background command.
    Job,
    /// Searches text in files.
    Grep,
    /// Finds files by name.
    Find,
    /// Lists a folder.
    Ls,
    /// Asks the user.
    AskUser,
    /// Updates the task list.
    Plan,
    /// Starts, talks to, waits for or ends another agent.
    Agent,
    /// Asks language servers.
    LanguageServers,
    /// Any other purpose.
    Other,
}

impl Kind {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::ReadMany => "read_many",
            Self::ViewImage => "view_image",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Patch => "apply_patch",
            Self::Bash => "bash",
            Self::Job => "job",
            Self::Grep => "grep",
            Self::Find => "find",
            Self::Ls => "ls",
            Self::AskUser => "ask_user",
            Self::Plan => "plan",
            Self::Agent => "agent",
            Self::LanguageServers => "lsp",
            Self::Other => "other",
        }
    }

    /// How front ends show calls of this purpose.
    pub fn call_kind(self) -> CallKind {
        match self {
            Self::Read | Self::ReadMany | Self::ViewImage => CallKind::Read,
            Self::Write => CallKind::Write,
            Self::Edit | Self::Patch => CallKind::Edit,
            Self::Bash | Self::Job => CallKind::Command,
            Self::Grep | Self::Find | Self::Ls | Self::LanguageServers => CallKind::Search,
            Self::AskUser => CallKind::Question,
            Self::Plan => CallKind::Plan,
            Self::Agent => CallKind::Agent,
            Self::Other => CallKind::Other,
        }
    }
}

/// A replacement of one text by another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextReplacement {
    /// The old text.
    pub old: String,
    /// The new text.
    pub new: String,
}

/// A family-independent call. Paths are as the model wrote them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Read a file.
    Read {
        /// Which.
        path: String,
        /// First line, from 1.
        first: Option<usize>,
        /// Maximum number of lines.
        lines: Option<usize>,
    },
    /// Read several files.
    ReadMany {
        /// Paths and patterns.
        paths: Vec<String>,
    },
    /// Create or overwrite a file.
    Write {
        /// Which.
        path: String,
        /// The whole content.
        content: String,
    },
    /// Replace parts of a file.
    Edit {
        /// Which.
        path: String,
        /// The replacements, all relative to the original file.
        swaps: Vec<TextReplacement>,
        /// Whether to replace all occurrences of the old text.
        everywhere: bool,
    },
    /// Change files by a patch in the v4a form.
    Patch {
        /// The whole patch.
        patch: String,
    },
    /// Run a command.
    Run {
        /// For the shell.
        command: String,
        /// The folder, if not the workspace.
        folder: Option<String>,
        /// The timeout, after which it is stopped or moved to the background.
        timeout: Option<Duration>,
        /// Whether it runs in the background.
        background: bool,
    },
    /// Search text in files.
    Grep {
        /// A regular expression.
        pattern: String,
        /// A folder or file.
        path: Option<String>,
        /// Pattern of the files.
        glob: Option<String>,
    },
    /// Find files by name.
    Find {
        /// A glob pattern.
        pattern: String,
        /// A folder.
        path: Option<String>,
    },
    /// List a folder.
    Ls {
        /// Which, if not the workspace.
        path: Option<String>,
    },
    /// Ask language servers: all families have the same arguments.
    AskServers {
        /// The arguments.
        question: Value,
    },
}

impl Intent {
    /// Returns the kind of tool for it.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Read { .. } => Kind::Read,
            Self::ReadMany { .. } => Kind::ReadMany,
            Self::Write { .. } => Kind::Write,
            Self::Edit { .. } => Kind::Edit,
            Self::Patch { .. } => Kind::Patch,
            Self::Run { .. } => Kind::Bash,
            Self::Grep { .. } => Kind::Grep,
            Self::Find { .. } => Kind::Find,
            Self::Ls { .. } => Kind::Ls,
            Self::AskServers { .. } => Kind::LanguageServers,
        }
    }
}
