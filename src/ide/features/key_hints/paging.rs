//! Shows another page of the keys that continue a prefix. Must not know how a page is drawn.

use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::Lookup;
use crate::ide::core::state::State;
use crate::ide::features::accessible::announcement;
use crate::ide::features::key_hints::pane;
use crate::tui::input::{Key, KeyCode};

/// Shows another page for `PageDown` and `PageUp`, where they do not continue the prefix themselves; returns whether it did.
pub fn key(state: &mut State, key: Key) -> bool {
    let is_plain = key.mods.is_empty();
    let is_down = match key.code {
        KeyCode::PageDown if is_plain => true,
        KeyCode::PageUp if is_plain => false,
        _ => return false,
    };
    if state.hints.is_empty() {
        return false;
    }
    let page = if state.is_accessible() { announcement::page(state) } else { pane::page(state) };
    let keys: Vec<Key> = state.pending.iter().copied().chain([key]).collect();
    if page.count < 2 || state.keymap.lookup(state.key_context(), &keys) != Lookup::Unknown {
        return false;
    }
    let step = if is_down { 1 } else { page.count - 1 };
    state.hints_page = (page.at + step) % page.count;
    state.damage.add(Part::KeyHints);
    true
}
