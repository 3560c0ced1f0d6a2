//! Takes back what the last turn of the agent changed, in files that are open or not, without a preview if nothing
//! is in the way. Must not know how checkpoints are stored.

use crate::base::plural::pluralize;
use crate::ide::core::context::{Cx, answer_or_report};
use crate::ide::core::state::State;
use crate::ide::features::restore::apply::{TASK, apply};
use crate::ide::features::restore::events::{on_restored, show_preview};
use crate::ide::model::buffers::Buffer;
use crate::runtime::restore::target::{CURRENT_ENTRY, Preview, RestoreTarget, Restored};
use crate::workspace::checkpoint::Decisions;

/// Maximum number of names in a message.
const NAMES_MAX: usize = 3;

/// Takes back the last turn. If none of its changes was recorded, or the agent works, runs `otherwise`.
pub fn undo(cx: &mut Cx<'_>, otherwise: fn(&mut Cx<'_>)) {
    let is_idle = cx.state.agent.connected && cx.state.agent.working_since.is_none();
    let Some(session) = cx.session.filter(|_| is_idle).cloned() else { return otherwise(cx) };
    let target = RestoreTarget::RevertTurn(CURRENT_ENTRY.to_string());
    let preview = async move { session.preview_restore(target, Decisions::new()).await };
    cx.tasks.spawn("restore.preview-turn", preview, move |cx, preview| {
        match answer_or_report(TASK, preview) {
            Ok(preview) if preview.files.is_empty() => otherwise(cx),
            Ok(preview) if preview.conflicts() > 0 => show_preview(cx, preview),
            Ok(preview) => start(cx, preview),
            Err(report) => {
                tracing::info!("the last turn was not recorded: {report}");
                otherwise(cx);
            }
        }
        cx.state.damage.add_all();
    });
}

/// Restores the files of a preview without conflicts.
fn start(cx: &mut Cx<'_>, preview: Preview) {
    let names: Vec<String> = preview.files.iter().map(|file| file.name.to_string()).collect();
    let what = ("restore.undo-turn", preview.target, Decisions::new());
    apply(cx, what, move |cx, restored| match restored {
        Ok(restored) => on_undone(cx, restored, &names),
        Err(report) => cx.state.set_error(report.to_string()),
    });
}

fn on_undone(cx: &mut Cx<'_>, restored: Restored, names: &[String]) {
    // A file that changed between the two steps is kept and reported as always.
    let is_all =
        restored.applied.failed.is_empty() && restored.conflicts.is_empty() && restored.undo.is_some();
    on_restored(cx, restored);
    if is_all {
        let list = shorten_list(names);
        let undo = cx.state.how_to("session.undo-restore");
        let unsaved = unsaved_note(cx.state);
        cx.state.set_status(format!("Undid the agent's last turn in {list}{unsaved}. Undo: {undo}"));
    }
}

/// Says which open files that the agent has edited are not saved: an edit that was undone in a text alone is still on
/// disk, and no list of changed files has it.
pub fn unsaved_note(state: &State) -> String {
    let is_left = |buffer: &&Buffer| buffer.is_unsaved() && buffer.area.document.was_edited_by_agent();
    let names: Vec<String> = state.buffers.all().iter().filter(is_left).map(Buffer::name).collect();
    if names.is_empty() { String::new() } else { format!("; not saved: {}", shorten_list(&names)) }
}

/// Returns the first names, and how many there are besides.
fn shorten_list(names: &[String]) -> String {
    match names.len().saturating_sub(NAMES_MAX) {
        0 => names.join(", "),
        more => format!("{} and {}", names[..NAMES_MAX].join(", "), pluralize(more, "other", "others")),
    }
}
