//! The command that lists the pages of the documentation.

use crate::ide::core::context::{Command, command};

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "help.pages",
    "Open help page",
    &["manual", "documentation", "docs", "guide", "how to"],
    |cx| cx.defer_picker("help"),
)];
