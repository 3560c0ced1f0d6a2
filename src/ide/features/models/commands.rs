//! Commands that switch the model: by a list, by name, to the next one.

use std::sync::Arc;

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::features::login::events::reload_credentials;
use crate::ide::features::models::events;
use crate::ide::features::models::favorites::{self, FAVORITES};
use crate::llm::model::Model;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("agent.model-picker", "Choose model", &["switch model", "change model"], choose),
    command("agent.cycle-model", "Switch to next model", &["change model", "favorite"], |cx| cycle(cx, 1)),
    command("agent.cycle-model-back", "Switch to previous model", &["change model", "favorite"], |cx| {
        cycle(cx, -1);
    }),
    command(
        "agent.use-local-model",
        "Switch to local model",
        &["use server on this machine", "Ollama", "llama.cpp", "LM Studio"],
        events::use_local,
    ),
];

/// After a login in another process the models are here, too, and so are favorites of another window.
fn choose(cx: &mut Cx<'_>) {
    cx.defer_picker("models");
    reload_credentials(cx);
    favorites::load(cx);
    events::look_for_local(cx);
}

/// Switches to the next of the favorites, or of all models if no favorite is available.
pub fn cycle(cx: &mut Cx<'_>, step: isize) {
    let agent = &cx.state.agent;
    let is_favorite = |model: &&Arc<Model>| cx.state.slots[FAVORITES].has(model);
    let favorites: Vec<&Arc<Model>> = agent.models.iter().filter(is_favorite).collect();
    let has_favorites = !favorites.is_empty();
    let models = if has_favorites { favorites } else { agent.models.iter().collect() };
    let count = models.len() as isize;
    let at = models.iter().position(|model| Some(*model) == agent.model.as_ref()).map(|at| at as isize);
    if count == 0 || (at.is_some() && count == 1) {
        return cx.state.set_status(if has_favorites {
            "No other favorite model. Add one: Tab in the list of models".to_string()
        } else {
            format!("No other model. Add a provider: {}", cx.state.how_to("agent.login"))
        });
    }
    // From a model that is none of them to the first or the last.
    let next = at.map_or(if step < 0 { -1 } else { 0 }, |at| at + step).rem_euclid(count) as usize;
    if let Some(session) = cx.session {
        session.set_model(&models[next].provider, &models[next].id);
    }
}

/// Switches to the model of that id or name, which may be a part of it; without one, opens the picker.
pub fn switch_by_name(cx: &mut Cx<'_>, name: &str) -> Result<(), String> {
    if name.is_empty() {
        cx.defer_picker("models");
        return Ok(());
    }
    let wanted = name.to_lowercase();
    let names = |model: &Model| {
        [format!("{}/{}", model.provider, model.id), model.id.clone(), model.name.clone()]
            .map(|name| name.to_lowercase())
    };
    let models = &cx.state.agent.models;
    let is_exact = |model: &&Arc<Model>| names(model).contains(&wanted);
    let has_part = |model: &&Arc<Model>| names(model).iter().any(|name| name.contains(&wanted));
    let found: Vec<&Arc<Model>> = match models.iter().find(is_exact) {
        Some(model) => vec![model],
        None => models.iter().filter(has_part).collect(),
    };
    match (found[..].first(), found.len()) {
        (Some(model), 1) => {
            if let Some(session) = cx.session {
                session.set_model(&model.provider, &model.id);
            }
        }
        (Some(_), count) => return Err(format!("{count} models match {name}. /model shows all")),
        (None, _) => return Err(format!("No model matches {name}. /model shows all")),
    }
    Ok(())
}
