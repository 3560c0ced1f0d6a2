//! What a sequence of keys does, as text. Must not know how it is drawn.

use crate::base::plural::pluralize;
use crate::ide::core::keys::keymap::{Binding, KeyContext};
use crate::ide::core::state::State;
use crate::ide::features::key_editor::store::sequence_text;
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
            Binding::Prefix(count) => format!("waits for another key ({})", beginning(count)),
            Binding::Command(id) => match state.catalog.command(&id) {
                Some(command) => format!("{}  {id}", command.title),
                None => id,
            },
        };
        found.push(Meaning { context: *context, text, counts: found.is_empty() });
    }
    found
}

fn beginning(count: usize) -> String {
    pluralize(count, "shortcut begins so", "shortcuts begin so")
}

/// Returns what no longer works in a context once a command has a sequence there.
pub fn losses(state: &State, context: KeyContext, keys: &[Key]) -> Vec<String> {
    let title =
        |id: &str| state.catalog.command(id).map_or(id.to_string(), |command| command.title.to_string());
    let mut lost = Vec::new();
    for end in 1..keys.len() {
        if let Some(Binding::Command(id)) = state.keymap.binding(context, &keys[..end]) {
            lost.push(format!("{} loses its key {}", title(&id), sequence_text(&keys[..end])));
        }
    }
    match state.keymap.binding(context, keys) {
        Some(Binding::Command(id)) => lost.push(format!("{} loses this key", title(&id))),
        Some(Binding::Prefix(count)) => lost.push(format!("{}: they go", beginning(count))),
        None => {}
    }
    lost
}

/// Returns whether a key is text in the places that a context stands for.
pub fn is_text(context: KeyContext, key: Key) -> bool {
    use KeyContext as At;
    let has_text = matches!(
        context,
        At::Global
            | At::Text
            | At::Editor
            | At::Results
            | At::Prompt
            | At::Completion
            | At::ApprovalText
            | At::Terminal
            | At::Picker
            | At::InputPrompt
            | At::Find
            | At::Insert
            | At::Replace
            | At::Snippet
    );
    has_text && key.typed().is_some()
}
