//! Changes of the available models: logins, logouts, refreshed lists.

use std::sync::Arc;

use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::features::models::picker;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::ide::model::agent::is_demo;
use crate::llm::model::Model;
use crate::runtime::Handle;

/// Updates the list of all available models.
pub fn set_models(cx: &mut Cx<'_>, models: &[Arc<Model>]) {
    let has = |all: &[Arc<Model>], id: &str| all.iter().any(|model| model.provider == id);
    let agent = &mut cx.state.agent;
    let removed = agent
        .model
        .clone()
        .filter(|model| has(&agent.models, &model.provider) && !has(models, &model.provider));
    agent.models = models.to_vec();
    picker::refill(cx);
    // An empty conversation names a server that was found on this machine.
    cx.state.damage.add(Part::Transcript);
    if let Some(model) = removed {
        let key = cx.state.keymap.keys_for(KeyContext::Prompt, "agent.model-picker");
        let key = key.unwrap_or_else(|| cx.state.how_to("agent.model-picker"));
        let login = cx.state.how_to("agent.login");
        let text = format!(
            "{} is no longer available: no login for {}. Choose model: {key}. Log in: {login}",
            model.name, model.provider
        );
        cx.state.slots[TRANSCRIPT].notice(true, text.clone());
        cx.state.set_error(text);
        cx.state.damage.add_all();
    }
}

/// Looks for servers on this machine while no model is connected: one may have been started since.
pub fn look_for_local(cx: &mut Cx<'_>) {
    if cx.state.agent.connected && cx.state.agent.model.as_deref().is_some_and(is_demo) {
        let work = |session: Handle| async move { session.discover_models().await };
        ask_session(cx, "models.discover", "look for servers on this machine", work, |_, ()| {});
    }
}

/// Uses the first model that a server on this machine has.
pub fn use_local(cx: &mut Cx<'_>) {
    let local = cx.state.agent.models.iter().find(|model| Handle::is_on_this_machine(model));
    if let (Some(model), Some(session)) = (local.cloned(), cx.session) {
        return session.set_model(&model.provider, &model.id);
    }
    look_for_local(cx);
    cx.state.set_status("No server with models found on this machine");
}
