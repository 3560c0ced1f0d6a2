//! Changes of the available models: logins, logouts, refreshed lists.

use std::sync::Arc;

use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::features::models::picker;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::llm::model::Model;

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
    if let Some(model) = removed {
        let key = cx.state.keymap.keys_for(KeyContext::Prompt, "agent.model-picker");
        let key = key.unwrap_or_else(|| "agent.model-picker".to_string());
        let text = format!(
            "{} is no longer available: no login for {}. Choose model: {key}. Log in: agent.login",
            model.name, model.provider
        );
        cx.state.slots[TRANSCRIPT].notice(true, text.clone());
        cx.state.set_error(text);
        cx.state.damage.add_all();
    }
}
