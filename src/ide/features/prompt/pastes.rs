//! Long pastes into the prompt: folded when they come, unfolded by a key.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::keys::keymap::KeyContext;
use crate::text::position::Byte;

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("prompt.unfold-paste", "Unfold pasted text", &["expand paste", "show paste"], unfold)];

/// Folds the text from a position to the caret, which was pasted, if it is long.
pub fn fold(cx: &mut Cx<'_>, start: Byte) {
    let Some(label) = cx.state.prompt.fold_pasted(start) else { return };
    let key = |command| cx.state.keymap.keys_for(KeyContext::Prompt, command);
    let key = key("prompt.unfold-paste").or_else(|| key("prompt.leave"));
    let advice = key.map_or(String::new(), |key| format!(". {key} unfolds it"));
    cx.state.set_status(format!("Pasted {label}{advice}"));
    cx.state.damage.add_all();
}

fn unfold(cx: &mut Cx<'_>) {
    if !unfold_nearest(cx) {
        cx.state.set_status("No folded text in the prompt");
    }
}

/// Unfolds the paste nearest to the caret; returns whether there was one.
pub fn unfold_nearest(cx: &mut Cx<'_>) -> bool {
    let area = &mut cx.state.prompt.area;
    let head = area.selection.primary().head;
    let is_unfolded = area.per_view.pastes.unfold(area.document.text(), head);
    if is_unfolded {
        cx.state.damage.add_all();
    }
    is_unfolded
}
