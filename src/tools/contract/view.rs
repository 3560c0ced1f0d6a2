//! What any front end shows of a call and its result: plain data, no colors, no widths.

/// A call in one line, such as `read` · `src/login.rs 1-80`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallView {
    /// What the call is about: a path with a range, a command's first line.
    pub title: String,
    /// More, shown when the call is expanded: the whole command, the text to write.
    pub body: Option<String>,
}

/// A result as data.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResultView {
    /// Text; front ends show its head.
    Text(String),
    /// Output of a command; front ends show its tail.
    Output(String),
    /// A change of one file.
    Diff {
        /// Lines added.
        added: usize,
        /// Lines removed.
        removed: usize,
        /// The hunks, in order; `None` between two of them.
        lines: Vec<Option<DiffLine>>,
    },
    /// The list of what is to be done.
    Plan(Vec<Step>),
    /// A change of several files, in the order in which they were changed.
    Diffs(Vec<FileDiff>),
}

/// The change of one file among several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// What happened to which file, such as `M src/a.rs`.
    pub title: String,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// The hunks, in order; `None` between two of them.
    pub lines: Vec<Option<DiffLine>>,
}

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// `+`, `-` or a space.
    pub sign: char,
    /// Line number, from 1, in the new file (`-`: in the old one).
    pub number: usize,
    /// The line without its ending.
    pub text: String,
}

/// How far a step of a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
    /// Given up.
    Cancelled,
    /// Waits for something.
    Blocked,
}

impl Progress {
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

    /// The one of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|progress| progress.name() == name)
    }
}

/// One step of a list of what is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What.
    pub text: String,
    /// How far it is.
    pub progress: Progress,
}
