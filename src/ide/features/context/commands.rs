//! Commands on what the next request will hold.

use crate::ide::core::context::{Command, command};
use crate::ide::features::context::events as contents;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("session.context", "Show what the model is told with the next request", contents::open),
    command(
        "session.leave-out",
        "Leave the selected message out of what the model is told",
        contents::leave_out,
    ),
    command("session.tell-as-it-was", "Tell the selected message again as it was", contents::as_it_was),
    command(
        "session.tell-differently",
        "Tell the selected message with other words",
        contents::tell_differently,
    ),
    command("session.pin", "Pin the selected message, or take its pin away", contents::pin),
];
