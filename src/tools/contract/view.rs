//! Views of calls and results for front ends: plain data, without colors or widths.

use serde_json::Value;

/// What a call does, which decides how front ends show it. Tools of other programs may set it as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallKind {
    /// Runs a command, or talks to a running one.
    Command,
    /// Reads files.
    Read,
    /// Searches text, files or folders.
    Search,
    /// Writes a whole file.
    Write,
    /// Changes parts of files.
    Edit,
    /// Updates the task list.
    Plan,
    /// Asks the user.
    Question,
    /// Starts a subagent, or talks to one.
    Agent,
    /// Reads or searches the web.
    Web,
    /// Anything else.
    #[default]
    Other,
}

/// A call as one line, such as `read` · `src/login.rs 1-80`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallView {
    /// What it does.
    pub kind: CallKind,
    /// Its main argument: a path with a range, or a command's first line.
    pub title: String,
    /// More text, displayed when expanded: the whole command, or the content to write.
    pub body: Option<String>,
}

/// Returns the exit code of the command that a result's details record.
pub fn exit_code(details: Option<&Value>) -> Option<i64> {
    details?.get("exitCode")?.as_i64()
}

/// A result as data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResultView {
    /// Text; front ends display its beginning.
    Text(String),
    /// Output of a command; front ends display its end.
    Output(String),
    /// A change of one file.
    Diff {
        /// Lines added.
        added: usize,
        /// Lines removed.
        removed: usize,
        /// The hunks, in order; `None` separates two hunks.
        lines: Vec<Option<DiffLine>>,
    },
    /// The task list.
    Plan(Vec<PlanStep>),
    /// Changes of several files, in the order in which they were made.
    Diffs(Vec<FileDiff>),
    /// Lines of a file.
    Excerpt {
        /// The lines, with remarks for the model.
        text: String,
        /// The first line, from 1.
        first: usize,
        /// The last line; less than the first if the file is empty.
        last: usize,
        /// The number of lines in the file.
        total: usize,
    },
    /// Places that a search found.
    Hits {
        /// The places, in order.
        hits: Vec<Hit>,
        /// The whole result.
        text: String,
    },
}

/// A place that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The path as the result gives it, perhaps relative to the folder of the search.
    pub path: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The text of the line.
    pub text: String,
}

/// The change of one file among several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// The change type and path, such as `M src/a.rs`.
    pub title: String,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// The hunks, in order; `None` separates two hunks.
    pub lines: Vec<Option<DiffLine>>,
}

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// `+`, `-` or a space.
    pub sign: char,
    /// Line number, from 1, in the new file (for `-`: in the old one).
    pub number: usize,
    /// The line without its line ending.
    pub text: String,
}

/// State of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepProgress {
    /// Not started.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
    /// Cancelled.
    Cancelled,
    /// Blocked.
    Blocked,
}

impl StepProgress {
    const ALL: [Self; 5] = [Self::Pending, Self::InProgress, Self::Completed, Self::Cancelled, Self::Blocked];

    /// The name in calls and details.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Blocked => "blocked",
        }
    }

    /// Parses a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|progress| progress.name() == name)
    }
}

/// A step of the task list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    /// Its text.
    pub text: String,
    /// Its state.
    pub progress: StepProgress,
}
