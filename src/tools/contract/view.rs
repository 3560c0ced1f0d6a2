//! Views of calls and results for front ends: plain data, without colors or widths.

/// A call as one line, such as `read` · `src/login.rs 1-80`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallView {
    /// Its main argument: a path with a range, or a command's first line.
    pub title: String,
    /// More text, displayed when expanded: the whole command, or the content to write.
    pub body: Option<String>,
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
