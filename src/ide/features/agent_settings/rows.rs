//! The settings in the panel: how each is shown, changed by a step, and chosen from a list.

use crate::ide::core::context::Cx;
use crate::ide::core::state::State;
use crate::ide::features::agent::{approval_modes, profiles, thinking};
use crate::ide::features::models::commands as models;

/// A setting.
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Its value, and what that means.
    pub value: fn(&State) -> (String, String),
    /// Changes it to the next or the previous value; none where values have no order.
    pub step: Option<fn(&mut Cx<'_>, isize)>,
    /// The picker of its values.
    pub picker: &'static str,
}

/// All settings.
pub static SETTINGS: &[Setting] = &[
    Setting { name: "Model", value: model, step: Some(models::cycle), picker: "models" },
    Setting { name: "Thinking", value: level, step: Some(thinking::cycle), picker: "thinking" },
    Setting { name: "Tools", value: tools, step: None, picker: "tools" },
    Setting {
        name: "Approval mode",
        value: approval,
        step: Some(approval_modes::step),
        picker: "approval-modes",
    },
    Setting { name: "Profile", value: profile, step: Some(profiles::cycle), picker: "profiles" },
];

fn model(state: &State) -> (String, String) {
    match &state.agent.model {
        Some(model) => (model.name.clone(), model.provider.clone()),
        None => ("none".to_string(), String::new()),
    }
}

fn level(state: &State) -> (String, String) {
    let count = thinking::levels(&state.agent).len();
    let about = if count < 2 { "the model has no levels".to_string() } else { format!("{count} levels") };
    (thinking::current(&state.agent).name().to_string(), about)
}

fn tools(state: &State) -> (String, String) {
    let (count, all) = (state.agent.tools.len(), state.tools.names().count());
    (format!("{count} of {all}"), "costs and permissions: Enter".to_string())
}

fn approval(state: &State) -> (String, String) {
    let mode = state.agent.approval_mode;
    (mode.name().to_string(), approval_modes::description(mode).to_string())
}

fn profile(state: &State) -> (String, String) {
    let agent = &state.agent;
    let about = if agent.requested_profile == agent.profile {
        "whatever the model is".to_string()
    } else {
        format!("follows the model: {}", agent.profile)
    };
    (agent.requested_profile.to_string(), about)
}
