//! Signs at the beginning of a query that lead to another list: `>` in the list of files is the palette. Must not know any
//! list.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::layers::layer::Layer;
use crate::ide::core::layers::picker::{self, Picker};
use crate::tui::input::{Key, KeyCode};

/// A sign that leads to another list.
pub struct Prefix {
    /// The sign.
    pub sign: char,
    /// The command that shows the list, or asks for what follows the sign.
    pub command: &'static str,
    /// What it finds, for the hint in the empty query.
    pub name: &'static str,
}

/// Returns the hint at the signs of a list.
pub fn hint(prefixes: &[Prefix]) -> String {
    let signs = prefixes.iter().map(|prefix| format!("{} {}", prefix.sign, prefix.name));
    signs.collect::<Vec<_>>().join("  ")
}

/// Shows the list that the sign at the beginning of the query means, with the rest of the query; returns whether there is
/// one.
pub fn follow(cx: &mut Cx<'_>) -> bool {
    let Some(picker) = cx.state.layers.top::<Picker>() else { return false };
    let (spec, query) = (picker.spec, picker.query.text().to_string());
    let mut letters = query.chars();
    let sign = letters.next();
    let Some(prefix) = spec.prefixes.iter().find(|prefix| Some(prefix.sign) == sign) else { return false };
    let rest = letters.as_str().to_string();
    drop(cx.state.pop_layer());
    cx.defer_command(prefix.command);
    // After what the command defers itself.
    cx.defer(move |cx| {
        let now_ms = cx.now_ms;
        if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
            picker.came_from = Some(spec);
        }
        if let Some(layer) = cx.state.layers.last_mut()
            && let Some(text) = layer.text()
            && !rest.is_empty()
        {
            text.set(&rest, now_ms);
        }
        if let Some(actions) = cx.state.layers.last().map(Layer::actions) {
            (actions.on_change)(cx);
        }
        cx.state.damage.add(Part::Overlay);
    });
    true
}

/// Shows the list from which a sign led to the topmost one again, when its sign is erased; returns whether it does.
pub fn go_back(cx: &mut Cx<'_>, key: Key) -> bool {
    let Some(picker) = cx.state.layers.top::<Picker>() else { return false };
    let is_erasing = key.code == KeyCode::Backspace && picker.query.text().is_empty();
    let Some(came_from) = picker.came_from.filter(|_| is_erasing) else { return false };
    drop(cx.state.pop_layer());
    picker::open(cx, came_from);
    true
}
