//! Jobs and results of shell commands that are run on a text. Plain data.

use std::ops::Range;

use tokio_util::sync::CancellationToken;

use crate::ide::model::buffers::BufferId;
use crate::text::file_format::format::Format;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Use of a command's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellUse {
    /// It replaces what the command read, and stays selected.
    Replace,
    /// It is inserted between characters, and selected.
    Insert,
    /// It replaces the lines that the command read; the cursor goes to the first.
    Filter,
    /// It is inserted as lines; the cursor goes to the first.
    Lines,
    /// It is shown.
    Show,
}

impl ShellUse {
    /// Returns whether the command reads what its output replaces.
    pub fn reads(self) -> bool {
        matches!(self, Self::Replace | Self::Filter)
    }
}

/// Commands to be run for a text.
pub struct ShellJob {
    /// The buffer.
    pub buffer: BufferId,
    /// The version of the text.
    pub version: u64,
    /// The text.
    pub text: Text,
    /// Format of its file.
    pub format: Format,
    /// The shell script.
    pub script: String,
    /// Ranges that each run reads and its output replaces. If nothing is to be read, the command is run once
    /// without input, and its output goes to each range.
    pub ranges: Vec<Range<Byte>>,
    /// What becomes of the output.
    pub purpose: ShellUse,
    /// Cancels it.
    pub cancel: CancellationToken,
}

/// Result of a job.
pub struct ShellResult {
    /// For which text.
    pub buffer: BufferId,
    /// The version of that text.
    pub version: u64,
    /// The script.
    pub script: String,
    /// What becomes of the output.
    pub purpose: ShellUse,
    /// The new text of each range, or why there is none.
    pub result: Result<Vec<(Range<Byte>, String)>, ShellProblem>,
}

/// Why a command changed nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShellProblem {
    /// The user cancelled it.
    #[error("Command ended: nothing changed")]
    Cancelled,
    /// It failed, with this message and exit code.
    #[error("{0} (exit {1}): nothing changed")]
    Failed(String, i32),
    /// It could not be run.
    #[error("Cannot run command: {0}")]
    NotRun(String),
    /// Its output is not text.
    #[error("Output is not UTF-8: nothing changed")]
    NoText,
    /// Its output is too long.
    #[error("Output exceeds {0} MB: nothing changed")]
    TooLong(usize),
}
