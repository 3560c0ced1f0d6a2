//! What a session's settings say about tools: other limits of their texts, other times of commands; and
//! where the program is.
//!
//! Must not know settings files, nor any tool.

use std::path::PathBuf;
use std::time::Duration;

use crate::tools::output::truncation::Overrides;

/// Nothing said: every tool has its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// Other limits of texts.
    pub limits: Overrides,
    /// After which a command is stopped whose call does not say it.
    pub command_timeout: Option<Duration>,
    /// The longest that a call may say.
    pub command_timeout_max: Option<Duration>,
    /// This program's file, for work that is done in a process of its own; without it, that is done in
    /// this one, on a thread.
    pub program: Option<PathBuf>,
}
