//! Tool settings of a session: limits of texts, timeouts of commands; and the path of the program.
//!
//! Must not know settings files, nor any tool.

use std::path::PathBuf;
use std::time::Duration;

use crate::tools::output::truncation::LimitOverrides;

/// The settings; by default every tool has its own limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolConfig {
    /// Overridden limits of texts.
    pub limits: LimitOverrides,
    /// Default timeout of a command.
    pub command_timeout: Option<Duration>,
    /// Maximum timeout of a command.
    pub command_timeout_max: Option<Duration>,
    /// This program's file, for work in a subprocess; without it that work is done on a thread.
    pub program: Option<PathBuf>,
}
