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
            Binding::Prefix(count) => {
                let count = pluralize(count, "shortcut begins so", "shortcuts begin so");
                format!("waits for another key ({count})")
            }
            Binding::Command(id) => match state.catalog.command(&id) {
                Some(command) => format!("{}  {id}", command.title),
                None => id,
            },
        };
        found.push(Meaning { context: *context, text, counts: found.is_empty() });
    }
    found
}

/// Returns what no longer works in a context once a command has a sequence there: what the context itself has on these
/// keys, and what it has from the contexts around it; and where the command does not work there, because a context within
/// has the keys for something else.
pub fn losses(state: &State, context: KeyContext, keys: &[Key]) -> Vec<String> {
    let of_context = |place: &KeyContext| {
        let (place, is_own) = (*place, *place == context);
        in_the_way(state, place, keys).into_iter().map(move |text| {
            if is_own { format!("Lost: {text}") } else { format!("Hidden there: {text} ({})", place.name()) }
        })
    };
    let within =
        KeyContext::ALL.iter().filter(|place| **place != context && place.chain().contains(&context));
    let of_place = |place: &KeyContext| {
        let name = place.name();
        in_the_way(state, *place, keys).into_iter().map(move |text| format!("Hidden by: {text} ({name})"))
    };
    context.chain().iter().flat_map(of_context).chain(within.flat_map(of_place)).collect()
}

/// Returns what a context has on a sequence, on its beginnings, and on what begins with it.
fn in_the_way(state: &State, context: KeyContext, keys: &[Key]) -> Vec<String> {
    let title =
        |id: &str| state.catalog.command(id).map_or(id.to_string(), |command| command.title.to_string());
    let on = |keys: &[Key]| state.keymap.binding(context, keys);
    let mut found = Vec::new();
    for end in 1..keys.len() {
        if let Some(Binding::Command(id)) = on(&keys[..end]) {
            found.push(format!("{} on {}", title(&id), sequence_text(&keys[..end])));
        }
    }
    match on(keys) {
        Some(Binding::Command(id)) => found.push(title(&id)),
        Some(Binding::Prefix(count)) => found.push(pluralize(count, "longer shortcut", "longer shortcuts")),
        None => {}
    }
    found
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
