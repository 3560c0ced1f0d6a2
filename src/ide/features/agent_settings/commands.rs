//! Commands of the panel: opening it, and changing the selected setting.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::features::agent_settings::layer::SettingsView;
use crate::ide::features::agent_settings::rows::SETTINGS;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "agent.open-settings",
        "Open agent settings",
        &["model", "thinking", "approval", "profile"],
        open,
    )
    .when(condition::has_session),
    command("agent.next-value", "Select next value", &["change setting"], |cx| change(cx, 1)).when(is_open),
    command("agent.previous-value", "Select previous value", &["change setting"], |cx| change(cx, -1))
        .when(is_open),
];

/// The panel is open, in which a setting is selected.
fn is_open(state: &State) -> Result<(), Reason> {
    let reason = Reason::new("Agent settings are not open").with_remedy("Open them", "agent.open-settings");
    condition::layer::<SettingsView>(state, reason)
}

fn open(cx: &mut Cx<'_>) {
    if cx.state.layers.top::<SettingsView>().is_none() {
        cx.state.push_layer(SettingsView::default());
    }
}

/// Moves the selection.
pub fn step(cx: &mut Cx<'_>, by: isize) {
    let Some(view) = cx.state.layers.top_mut::<SettingsView>() else { return };
    view.selected = view.selected.saturating_add_signed(by).min(SETTINGS.len() - 1);
    cx.state.damage.add(Part::Overlay);
}

/// Lists the values of the selected setting. The panel stays below the list.
pub fn choose(cx: &mut Cx<'_>) {
    let Some(view) = cx.state.layers.top::<SettingsView>() else { return };
    cx.defer_picker(SETTINGS[view.selected].picker);
}

fn change(cx: &mut Cx<'_>, by: isize) {
    let Some(view) = cx.state.layers.top::<SettingsView>() else { return };
    match SETTINGS[view.selected].step {
        Some(step) => step(cx, by),
        None => cx.state.set_status("Enter lists what can be changed"),
    }
}
