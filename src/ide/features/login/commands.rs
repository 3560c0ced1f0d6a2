//! Commands on providers: log in and out, refresh the model lists.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::features::login::events::refresh;
use crate::ide::features::login::providers_picker as providers;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("agent.refresh-models", "Refresh model list", &["reload models", "update models"], refresh),
    command("agent.login", "Log in to provider", &["sign in", "API key", "authenticate"], open_providers),
    command("view.providers", "Show providers", &["keys", "test key", "credentials"], open_providers),
    command("agent.logout", "Log out of provider", &["sign out", "remove key"], |cx| {
        cx.defer_picker("logouts");
    }),
];

/// Shows the providers as they are known, then reads them again.
fn open_providers(cx: &mut Cx<'_>) {
    if !cx.state.agent.connected {
        return cx.state.set_status("Session is starting; try again in a moment");
    }
    cx.defer_picker("providers");
    cx.defer(providers::load);
}
