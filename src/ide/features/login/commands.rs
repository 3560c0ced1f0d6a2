//! Commands on providers: log in and out, choose among their models, refresh the lists of them.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::effect::Effect;
use crate::ide::features::login::events::{look_again, refresh};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("agent.model-picker", "Choose the model", choose_model),
    command("agent.refresh-models", "Ask providers which models they have", refresh),
    command("agent.login", "Log in at a provider, or keep a key for it", |cx| {
        cx.effects.push(Effect::Picker("logins"));
    }),
    command("agent.logout", "Forget what is kept for a provider", |cx| {
        cx.effects.push(Effect::Picker("logouts"));
    }),
];

/// After a login in another process the models are here, too.
fn choose_model(cx: &mut Cx<'_>) {
    cx.effects.push(Effect::Picker("models"));
    look_again(cx);
}
