//! State of the feature: the running command and the last one typed. Must not know how commands run.

use tokio_util::sync::CancellationToken;

use crate::ide::core::slots::Slot;

/// Slot of the feature's state.
pub const PIPE: Slot<Pipe> = Slot::new();

/// The command that runs for a text, and the last one.
#[derive(Debug, Default)]
pub struct Pipe {
    /// Ends the running command.
    pub cancel: Option<CancellationToken>,
    /// The last command typed.
    pub last_command: String,
}
