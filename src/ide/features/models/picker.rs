//! Picker of the models by provider, and of the providers that are not connected, whose rows start a login.

use std::collections::BTreeSet;
use std::sync::Arc;

use nucleo::Injector;

use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::layers::picker::{Pick, PickRow, Picker, PickerSpec, RowSource, Toggle, push};
use crate::ide::core::state::State;
use crate::ide::features::login;
use crate::ide::features::login::events::ModelAfter;
use crate::ide::features::models::favorites::{self, FAVORITES};
use crate::ide::features::models::store::ModelId;
use crate::ide::model::agent::{is_demo, thousands};
use crate::llm::model::Model;

/// Sign of a favorite.
const FAVORITE: &str = "★";
/// Sign of the model in use.
const IN_USE: &str = "✓";
/// Heading of the providers without models.
const NOT_CONNECTED: &str = "not connected";
/// Heading of the demo guide.
const DEMO: &str = "demo";
/// How long filling in the rows may delay the frame, in milliseconds.
const FILL_WAIT_MS: u64 = 10;

/// A provider to log in to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LogIn {
    id: String,
    name: String,
}

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "models",
    title: "Choose model",
    footer: "✓ in use  Tab ★ favorite  Enter use",
    mark: FAVORITE,
    keeps_text: true,
    toggle: Some(Toggle { by_space: false, on_toggle: toggle }),
    load: |_| RowSource::Task(fill),
    accept: |cx, pick, _| {
        if let (Some(ModelId { provider, id }), Some(session)) = (pick.get(), cx.session) {
            session.set_model(provider, id);
        } else if let Some(LogIn { id, name }) = pick.get() {
            login::events::begin(cx, id, name, ModelAfter::Replaced);
        }
    },
    ..PickerSpec::EMPTY
};

fn toggle(cx: &mut Cx<'_>, pick: &Pick, is_favorite: bool) {
    match pick.get::<ModelId>() {
        Some(model) => favorites::set(cx, model, is_favorite),
        // A login is no favorite.
        None => {
            if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
                picker.marked.retain(|marked| marked != pick);
            }
        }
    }
}

/// Fills in the rows: the models at once, the other providers when they are known.
fn fill(cx: &mut Cx<'_>, injector: Injector<PickRow>, number: u64) {
    let (rows, marked) = (rows(cx.state), marked(cx.state));
    let current = cx.state.agent.model.as_deref().map(|model| Pick::new(ModelId::of(model)));
    let selected = rows.iter().position(|row| Some(&row.pick) == current.as_ref()).unwrap_or(0);
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.fill(rows);
        picker.marked = marked;
        picker.tick(FILL_WAIT_MS);
        picker.selected = (selected as u32).min(picker.matches().saturating_sub(1));
    }
    add_providers(cx, injector, number);
}

/// Replaces the rows of the open picker after a change of the available models.
pub fn refill(cx: &mut Cx<'_>) {
    let rows = rows(cx.state);
    let open = cx.state.layers.top_mut::<Picker>().filter(|picker| picker.spec.id == PICKER.id);
    let Some(picker) = open else { return };
    picker.replace(rows);
    picker.tick(FILL_WAIT_MS);
    picker.is_filling = true;
    let (injector, number) = (picker.injector(), picker.number);
    cx.state.damage.add_all();
    add_providers(cx, injector, number);
}

/// Adds the providers that can be connected.
fn add_providers(cx: &mut Cx<'_>, injector: Injector<PickRow>, number: u64) {
    let Some(session) = cx.session.cloned() else { return cx.state.finish_filling(number) };
    // The guide is no model: it does not stand before what would be one.
    let demo: Vec<PickRow> =
        models_of(cx.state, true).map(|model| row(cx.state, model, DEMO.into())).collect();
    let connected: BTreeSet<String> =
        cx.state.agent.models.iter().map(|model| model.provider.clone()).collect();
    let listed = async move {
        let group: Arc<str> = NOT_CONNECTED.into();
        let choices = session.login_providers().await?.into_iter();
        for choice in choices.filter(|choice| !connected.contains(&choice.id)) {
            // What is stored does not work: there would be models.
            let detail = if choice.credential_kind.is_empty() { "" } else { "stored, without models" };
            push(
                &injector,
                PickRow {
                    text: format!("  log in · {}", choice.name),
                    aliases: vec![choice.id.clone()],
                    group: Some(group.clone()),
                    detail: detail.to_string(),
                    pick: Pick::new(LogIn { id: choice.id, name: choice.name }),
                },
            );
        }
        for row in demo {
            push(&injector, row);
        }
        Ok(())
    };
    cx.tasks.spawn("models.list-providers", listed, move |cx, listed| {
        cx.state.finish_filling(number);
        success_or_error(cx, "list providers", listed);
    });
}

/// Returns a row for each model, those of a provider together.
fn rows(state: &State) -> Vec<PickRow> {
    let models: Vec<&Arc<Model>> = models_of(state, false).collect();
    let mut providers: Vec<&str> = Vec::new();
    for model in &models {
        if !providers.contains(&model.provider.as_str()) {
            providers.push(&model.provider);
        }
    }
    let mut rows = Vec::with_capacity(models.len());
    for provider in providers {
        let group: Arc<str> = provider.into();
        let own = models.iter().copied().filter(|model| model.provider == provider);
        rows.extend(own.map(|model| row(state, model, group.clone())));
    }
    rows
}

/// Returns the demo guide, or all other models.
fn models_of(state: &State, demo: bool) -> impl Iterator<Item = &Arc<Model>> {
    state.agent.models.iter().filter(move |model| is_demo(model) == demo)
}

fn row(state: &State, model: &Arc<Model>, group: Arc<str>) -> PickRow {
    let sign = if state.agent.model.as_ref() == Some(model) { IN_USE } else { " " };
    let name = if model.name == model.id {
        format!("{sign} {}", model.id)
    } else {
        format!("{sign} {}  {}", model.name, model.id)
    };
    PickRow {
        text: name,
        aliases: vec![format!("{}/{}", model.provider, model.id)],
        group: Some(group),
        detail: detail(model),
        pick: Pick::new(ModelId::of(model)),
    }
}

/// Returns context size, prices for a million tokens in and out, and what it can do, in columns.
fn detail(model: &Model) -> String {
    let price = &model.cost.base;
    let price = if price.input == 0.0 && price.output == 0.0 {
        String::new()
    } else {
        format!("${}/${}", price.input, price.output)
    };
    let has_images = model.input.iter().any(|kind| kind == "image");
    let images = if has_images { "images" } else { "" };
    let thinking = if model.reasoning { "thinking" } else { "" };
    format!("{:>5}  {price:>11}  {images:<6} {thinking:<8}", thousands(model.context_window))
}

fn marked(state: &State) -> Vec<Pick> {
    state.slots[FAVORITES].models.iter().cloned().map(Pick::new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_row_has_context_price_and_capabilities() {
        let mut model = Model::unknown("p", "m", "a", "");
        (model.context_window, model.reasoning, model.input) = (1_000_000, false, vec!["text".into()]);
        assert_eq!(detail(&model).trim(), "1.0M");
        (model.reasoning, model.cost.base.input, model.cost.base.output) = (true, 0.25, 15.0);
        model.input.push("image".into());
        assert_eq!(detail(&model), " 1.0M    $0.25/$15  images thinking");
    }
}
