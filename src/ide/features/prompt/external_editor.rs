//! The message being typed, edited in the user's own editor. The owner of the terminal gives it away meanwhile;
//! the agent works on.

use crate::exec::commands::editor::EditorError;
use crate::ide::core::context::{Command, Cx, ExternalEdit, command};
use crate::ide::core::panes::Focus;
use crate::ide::core::slots::Slot;
use crate::ide::editor::commands::panes;

/// Slot of the command line of the user's editor, if one is set.
pub const EXTERNAL_EDITOR: Slot<ExternalEditor> = Slot::new();

/// The user's editor.
#[derive(Debug, Default)]
pub struct ExternalEditor(pub Option<String>);

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "prompt.edit-externally",
    "Edit prompt in external editor",
    &["$EDITOR", "$VISUAL", "vim", "nano"],
    open,
)];

/// Opens the text of the prompt in the editor.
fn open(cx: &mut Cx<'_>) {
    let Some(command) = cx.state.slots[EXTERNAL_EDITOR].0.clone() else {
        return cx.state.set_error("No editor is set. Start bowline with EDITOR, such as EDITOR=vim");
    };
    if cx.state.panes.focus != Focus::Agent {
        panes::focus(cx, Focus::Agent);
    }
    let prompt = &cx.state.prompt;
    cx.ui.edit =
        Some(ExternalEdit { command, text: prompt.area.text().clone(), revision: prompt.revision() });
}

/// Handles the end of the editor. Without an edited text the prompt stays as it is. What came into the prompt
/// meanwhile is not lost: it is the last text of the history.
pub fn on_edited(cx: &mut Cx<'_>, edit: &ExternalEdit, edited: Result<String, EditorError>) {
    cx.state.damage.add_all();
    let text = match edited {
        Ok(text) => text,
        Err(error) => return cx.state.set_error(format!("Prompt unchanged: {error}")),
    };
    // Editors end the last line of a file; a message has no such end.
    let text = text.strip_suffix('\n').map_or(&*text, |text| text.strip_suffix('\r').unwrap_or(text));
    let prompt = &mut cx.state.prompt;
    if prompt.revision() != edit.revision {
        prompt.replace_text(text, cx.now_ms);
        return cx.state.set_status("The prompt had changed meanwhile. That text: Up");
    }
    if text != edit.text.to_string() {
        prompt.area.set(text, cx.now_ms);
    }
}
