//! The restore itself: the session writes the files, and the program does not quit before it has. Must not know who asked
//! for it.

use crate::base::error::Report;
use crate::ide::core::context::{Cx, answer_or_report};
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::runtime::restore::target::{RestoreTarget, Restored};
use crate::workspace::checkpoint::Decisions;

/// What failed, for the message when a task has no result.
pub const TASK: &str = "restore files";

/// Slot of the feature's state.
pub const RESTORES: Slot<Restores> = Slot::new();

/// The restores in progress.
#[derive(Debug, Default)]
pub struct Restores(usize);

/// Returns whether files are being restored.
pub fn is_running(state: &State) -> bool {
    state.slots[RESTORES].0 > 0
}

/// Makes the session restore files, then runs `done`.
pub fn apply(
    cx: &mut Cx<'_>,
    (task, target, decisions): (&'static str, RestoreTarget, Decisions),
    done: impl FnOnce(&mut Cx<'_>, Result<Restored, Report>) + Send + 'static,
) {
    let Some(session) = cx.session.cloned() else { return };
    cx.state.slots[RESTORES].0 += 1;
    let restored = async move { session.apply_restore(target, decisions).await };
    cx.tasks.spawn(task, restored, move |cx, restored| {
        cx.state.slots[RESTORES].0 -= 1;
        done(cx, answer_or_report(TASK, restored));
        cx.state.damage.add_all();
    });
}
