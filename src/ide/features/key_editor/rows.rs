//! What a sequence of keys does, as text. Must not know how it is drawn.

use crate::ide::core::keys::keymap::{Binding, KeyContext};
use crate::ide::core::state::State;
use crate::tui::input::Key;

/// What a context does with a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// The context.
    pub context: KeyContext,
    /// What it does.
    pub text: String,
    /// Whether it counts: nothing before it uses the keys.
    pub counts: bool,
}

/// Returns what the contexts of a chain do with a sequence, innermost first.
pub fn meanings(state: &State, context: KeyContext, keys: &[Key]) -> Vec<Meaning> {
    let mut found: Vec<Meaning> = Vec::new();
    if keys.is_empty() {
        return found;
    }
    for context in context.chain() {
        let Some(binding) = state.keymap.binding(*context, keys) else { continue };
        let text = match binding {
            Binding::Prefix(count) => format!("waits for another key ({count} shortcuts begin so)"),
            Binding::Command(id) => match state.catalog.command(&id) {
                Some(command) => format!("{}  {id}", command.title),
                None => id,
            },
        };
        found.push(Meaning { context: *context, text, counts: found.is_empty() });
    }
    found
}
