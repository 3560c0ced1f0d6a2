//! The command that compares two rows of the session tree.

use crate::ide::core::context::{Command, command};
use crate::ide::features::comparison::events;

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "session.compare",
    "Compare two turns",
    &["diff branches", "compare session entries", "difference"],
    events::mark_or_compare,
)];
