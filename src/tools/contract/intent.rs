//! What a call wants done, whichever tool and words it was made with. Calls are re-told by it when a
//! conversation goes on with another family's tools, and front ends name tools by it.
//!
//! Must not know any tool.

use std::time::Duration;

/// What a tool is for. Its name is pi's name of such a tool, and understood wherever tools are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Shows a file.
    Read,
    /// Shows several files.
    ReadMany,
    /// Shows a picture.
    ViewImage,
    /// Makes or replaces a file.
    Write,
    /// Replaces parts of a file.
    Edit,
    /// Changes files by a patch.
    Patch,
    /// Runs a command.
    Bash,
    /// Hears of, talks to or ends a command that runs on.
    Job,
    /// Looks for text in files.
    Grep,
    /// Looks for files by name.
    Find,
    /// Lists a folder.
    Ls,
    /// Asks the user.
    AskUser,
    /// Keeps the list of what is to be done.
    Plan,
    /// Starts, talks to, waits for or ends another agent.
    Agent,
    /// Anything else.
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
            Self::Other => "other",
        }
    }
}

/// One text in place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap {
    /// What stands in the file.
    pub old: String,
    /// What is to stand there.
    pub new: String,
}

/// A call in no family's words. Paths are as the model wrote them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Show a file.
    Read {
        /// Which.
        path: String,
        /// First line, from 1.
        first: Option<usize>,
        /// Lines at most.
        lines: Option<usize>,
    },
    /// Show several files.
    ReadMany {
        /// Paths and patterns.
        paths: Vec<String>,
    },
    /// Make or replace a file.
    Write {
        /// Which.
        path: String,
        /// All of it.
        content: String,
    },
    /// Replace parts of a file.
    Edit {
        /// Which.
        path: String,
        /// All are meant for the file as it was before.
        swaps: Vec<Swap>,
        /// Wherever the old text stands, not just once.
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
        /// Where, if not in the workspace.
        folder: Option<String>,
        /// After which it is stopped, or left to run on.
        timeout: Option<Duration>,
        /// Whether it is not waited for.
        background: bool,
    },
    /// Look for text in files.
    Grep {
        /// A regular expression.
        pattern: String,
        /// A folder or file.
        path: Option<String>,
        /// Which files.
        glob: Option<String>,
    },
    /// Look for files by name.
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
}

impl Intent {
    /// The kind of tool that does it.
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
        }
    }
}
