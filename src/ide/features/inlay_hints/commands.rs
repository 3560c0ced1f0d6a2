//! The setting that shows hints, and the command that changes it until the program ends.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::feature::SettingSpec;
use crate::ide::features::inlay_hints::hints;
use crate::ide::features::inlay_hints::state::INLAY_HINTS;

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("view.toggle-inlay-hints", "Toggle inlay hints", &["type hints", "parameter names"], toggle)];

/// The settings whose changes take effect here.
pub const SETTINGS: &[SettingSpec] =
    &[SettingSpec::new("inlay-hints", |cx, new| switch(cx, new.server_display.inlay_hints))];

fn toggle(cx: &mut Cx<'_>) {
    let is_on = !cx.state.slots[INLAY_HINTS].is_on;
    switch(cx, is_on);
    cx.state.set_status(format!("Inlay hints: {}", if is_on { "on" } else { "off" }));
}

/// Shows hints from now on, or takes them away.
fn switch(cx: &mut Cx<'_>, is_on: bool) {
    cx.state.slots[INLAY_HINTS].is_on = is_on;
    if !is_on {
        hints::clear(cx);
    }
}
