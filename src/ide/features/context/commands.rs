//! Commands on the context report.

use crate::ide::core::context::{Command, command};
use crate::ide::features::context::events as contents;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "session.context",
        "Show context report",
        &["context", "context window", "token usage", "next request"],
        contents::open,
    ),
    command(
        "session.exclude-message",
        "Exclude message from context",
        &["omit", "hide", "remove message"],
        contents::exclude_message,
    )
    .with_former_ids(&["session.leave-out"]),
    command(
        "session.restore-message",
        "Restore original message",
        &["include message", "reset"],
        contents::restore_original,
    )
    .with_former_ids(&["session.tell-as-it-was"]),
    command(
        "session.edit-message",
        "Edit message in context",
        &["rewrite", "replace message"],
        contents::edit_message,
    )
    .with_former_ids(&["session.tell-differently"]),
    command("session.pin", "Pin or unpin message", &["keep through compaction"], contents::toggle_pin),
];
