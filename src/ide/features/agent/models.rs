//! Picker of the available models, and the switch to one by its name.

use std::sync::Arc;

use crate::ide::core::context::Cx;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::state::State;
use crate::llm::model::Model;

/// The model that a row represents.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ModelId {
    provider: String,
    id: String,
}

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "models",
    title: "Choose model",
    footer: "Enter use",
    load: |state| RowSource::Rows(rows(state), marked(state)),
    accept: |cx, pick, _| {
        if let (Some(ModelId { provider, id }), Some(session)) = (pick.get(), cx.session) {
            session.set_model(provider, id);
        }
    },
};

/// A row for each model.
pub fn rows(state: &State) -> Vec<PickRow> {
    let row = |model: &Arc<Model>| PickRow {
        text: format!("{}  {}/{}", model.name, model.provider, model.id),
        aliases: Vec::new(),
        detail: format!(
            "{}k  ${}/${}",
            model.context_window / 1000,
            model.cost.base.input,
            model.cost.base.output
        ),
        pick: Pick::new(ModelId { provider: model.provider.clone(), id: model.id.clone() }),
    };
    state.agent.models.iter().map(row).collect()
}

/// Switches to the model of that id or name, which may be a part of it; without one, opens the picker.
pub fn switch_by_name(cx: &mut Cx<'_>, name: &str) {
    if name.is_empty() {
        return cx.defer_picker("models");
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
        (Some(_), count) => cx.state.set_error(format!("{count} models match {name}. /model shows all")),
        (None, _) => cx.state.set_error(format!("No model matches {name}. /model shows all")),
    }
}

fn marked(state: &State) -> Vec<Pick> {
    let pick =
        |model: &Arc<Model>| Pick::new(ModelId { provider: model.provider.clone(), id: model.id.clone() });
    state.agent.model.iter().map(pick).collect()
}
