//! Picker of the available models.

use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::state::State;

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
    let row = |model: &std::sync::Arc<crate::llm::model::Model>| PickRow {
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

fn marked(state: &State) -> Vec<Pick> {
    let pick = |model: &std::sync::Arc<crate::llm::model::Model>| {
        Pick::new(ModelId { provider: model.provider.clone(), id: model.id.clone() })
    };
    state.agent.model.iter().map(pick).collect()
}
