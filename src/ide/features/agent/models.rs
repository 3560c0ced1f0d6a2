//! The models that can answer now.

use crate::ide::core::overlay::{Pick, PickRow};
use crate::ide::core::picker::{Load, Row};
use crate::ide::core::state::State;

/// The table's row.
pub const PICKER: Row = Row {
    id: "models",
    title: "models",
    footer: "Enter use",
    load: |state| Load::Rows(rows(state), marked(state)),
    accept: |cx, pick, _| {
        if let (Pick::Model { provider, id }, Some(session)) = (pick, cx.session) {
            session.set_model(provider, id);
        }
    },
};

/// A row for each model.
pub fn rows(state: &State) -> Vec<PickRow> {
    let row = |model: &std::sync::Arc<crate::llm::model::Model>| PickRow {
        text: format!("{}  {}/{}", model.name, model.provider, model.id),
        detail: format!(
            "{}k  ${}/${}",
            model.context_window / 1000,
            model.cost.base.input,
            model.cost.base.output
        ),
        pick: Pick::Model { provider: model.provider.clone(), id: model.id.clone() },
    };
    state.agent.models.iter().map(row).collect()
}

fn marked(state: &State) -> Vec<Pick> {
    let pick = |model: &std::sync::Arc<crate::llm::model::Model>| Pick::Model {
        provider: model.provider.clone(),
        id: model.id.clone(),
    };
    state.agent.model.iter().map(pick).collect()
}
