//! Commands on providers: log in and out, refresh the model lists.

use crate::ide::core::context::{Command, command};
use crate::ide::features::login::events::refresh;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("agent.refresh-models", "Refresh model list", &["reload models", "update models"], refresh),
    command("agent.login", "Log in to provider", &["sign in", "API key", "authenticate"], |cx| {
        cx.defer_picker("logins");
    }),
    command("agent.logout", "Log out of provider", &["sign out", "remove key"], |cx| {
        cx.defer_picker("logouts");
    }),
];
