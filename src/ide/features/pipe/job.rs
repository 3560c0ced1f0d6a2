//! Commands of the shell that are run for a text, and what comes of them. Plain data.

use std::ops::Range;

use tokio_util::sync::CancellationToken;

use crate::ide::model::buffers::BufferId;
use crate::text::file_format::format::Format;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// What becomes of a command's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellUse {
    /// It takes the place of what the command read, which stays selected.
    Replace,
    /// It goes between characters, and is selected.
    Insert,
    /// It takes the place of the lines that the command read; the cursor goes to the first.
    Filter,
    /// It goes between lines, as lines; the cursor goes to the first.
    Lines,
    /// It is shown.
    Show,
}

impl ShellUse {
    /// Whether the command reads what its output takes the place of.
    pub fn reads(self) -> bool {
        matches!(self, Self::Replace | Self::Filter)
    }
}

/// Commands to be run for a text.
pub struct ShellJob {
    /// Which one.
    pub buffer: BufferId,
    /// The version of the text.
    pub version: u64,
    /// The text.
    pub text: Text,
    /// What its file is like.
    pub format: Format,
    /// What is typed at the shell.
    pub script: String,
    /// What each run reads, and what its output takes the place of. The command is run once, with
    /// nothing to read, and its output goes to each place, where nothing is to be read.
    pub ranges: Vec<Range<Byte>>,
    /// What becomes of the output.
    pub purpose: ShellUse,
    /// Ends it.
    pub cancel: CancellationToken,
}

/// What came of it.
pub struct ShellResult {
    /// For which text.
    pub buffer: BufferId,
    /// The version of that text.
    pub version: u64,
    /// What was run.
    pub script: String,
    /// What becomes of the output.
    pub purpose: ShellUse,
    /// What stands in each place now; why nothing does.
    pub result: Result<Vec<(Range<Byte>, String)>, ShellProblem>,
}

/// Why a command changed nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShellProblem {
    /// The user ended it.
    #[error("Command ended: nothing changed")]
    Cancelled,
    /// It failed, and says why; its code.
    #[error("{0} (exit {1}): nothing changed")]
    Failed(String, i32),
    /// It could not be run.
    #[error("Cannot run command: {0}")]
    NotRun(String),
    /// It says what cannot stand in a text.
    #[error("Output is not UTF-8: nothing changed")]
    NoText,
    /// It says too much.
    #[error("Output exceeds {0} MB: nothing changed")]
    TooLong(usize),
}
