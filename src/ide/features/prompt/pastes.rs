//! Long pastes into the prompt: folded when they come, unfolded by a key.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::text::position::Byte;

/// The area's rows.
pub const COMMANDS: &[Command] =
    &[command("prompt.unfold-paste", "Unfold pasted text", &["expand paste", "show paste"], unfold)];

/// Folds the text from a position to the caret, which was pasted, if it is long.
pub fn fold(cx: &mut Cx<'_>, start: Byte) {
    let Some(label) = cx.state.prompt.fold_pasted(start) else { return };
    let key = cx.state.keymap.keys_for(KeyContext::Prompt, "prompt.unfold-paste");
    let advice = key.map_or(String::new(), |key| format!(". {key} unfolds it"));
    cx.state.set_status(format!("Pasted {label}{advice}"));
    cx.state.damage.add_all();
}

fn unfold(cx: &mut Cx<'_>) {
    let area = &mut cx.state.prompt.area;
    let head = area.selection.primary().head;
    if area.per_view.pastes.unfold(area.document.text(), head) {
        cx.state.damage.add_all();
    } else {
        cx.state.set_status("No folded text in the prompt");
    }
    cx.state.damage.add(Part::Prompt);
}
