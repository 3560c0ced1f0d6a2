//! Commands that restore files to their state at a checkpoint: at the selected entry of the session tree if
//! that is open, else at the current position of the conversation.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::state::State;
use crate::ide::features::restore;
use crate::ide::features::sessions::{events as sessions, forest_events};
use crate::runtime::restore::target::{CURRENT_ENTRY, RestoreScope, RestoreTarget};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "session.restore-code",
        "Restore files to here",
        &["revert", "rewind", "checkpoint", "undo changes"],
        |cx| {
            preview_restore(cx, |entry| RestoreTarget::To(entry, RestoreScope::Code));
        },
    ),
    command("session.restore-both", "Restore files and conversation", &["rewind", "checkpoint"], |cx| {
        preview_restore(cx, |entry| RestoreTarget::To(entry, RestoreScope::Both));
    }),
    command("session.undo-turn", "Undo file changes of turn", &["revert", "undo changes", "reject"], |cx| {
        preview_restore(cx, RestoreTarget::RevertTurn);
    }),
    command("session.undo-restore", "Undo last restore", &["redo", "revert restore"], undo).when(has_restore),
];

/// Files were restored.
fn has_restore(state: &State) -> Result<(), Reason> {
    condition::require(state.agent.undo_restore_entry.is_some(), Reason::new("No restore to undo"))
}

fn preview_restore(cx: &mut Cx<'_>, target: impl FnOnce(String) -> RestoreTarget) {
    let in_tree = sessions::is_focused(cx.state);
    if in_tree && forest_events::refuses(cx) {
        return;
    }
    let row = sessions::view_of(cx.state).filter(|_| in_tree).and_then(|view| view.selected_row());
    let entry = row.map_or_else(|| CURRENT_ENTRY.to_string(), |row| row.id.to_string());
    restore::events::open(cx, target(entry));
}

fn undo(cx: &mut Cx<'_>) {
    match cx.state.agent.undo_restore_entry.clone() {
        Some(entry) => {
            let has_moved = cx.state.agent.moved_with_restore.as_ref() == Some(&entry);
            let scope = if has_moved { RestoreScope::Both } else { RestoreScope::Code };
            restore::events::open(cx, RestoreTarget::To(entry, scope));
        }
        None => cx.state.set_status("No restore to undo"),
    }
}
