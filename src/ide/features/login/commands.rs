//! Commands on providers: log in and out, choose among their models, refresh the model lists.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::features::login::events::{refresh, reload_credentials};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("agent.model-picker", "Choose model", &["switch model", "change model"], choose_model),
    command("agent.refresh-models", "Refresh model list", &["reload models", "update models"], refresh),
    command("agent.login", "Log in to provider", &["sign in", "API key", "authenticate"], |cx| {
        cx.defer_picker("logins");
    }),
    command("agent.logout", "Log out of provider", &["sign out", "remove key"], |cx| {
        cx.defer_picker("logouts");
    }),
];

/// After a login in another process the models are here, too.
fn choose_model(cx: &mut Cx<'_>) {
    cx.defer_picker("models");
    reload_credentials(cx);
}
