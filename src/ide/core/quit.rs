//! Quitting: waits while files are being written or moved, so that no step is left unfinished. Must not know
//! the terminal.

use crate::ide::core::context::Cx;
use crate::ide::core::state::State;

/// Quits as soon as nothing is being written; on a second request at once, since a disk that never responds
/// must not block exit.
pub fn quit(cx: &mut Cx<'_>) {
    if cx.state.is_quitting || !is_changing(cx.state) {
        cx.state.quit = true;
        return;
    }
    cx.state.is_quitting = true;
    cx.state.set_status("Quitting when file changes finish. Quit again: now");
}

/// Returns whether quitting now would leave something on disk unfinished.
pub fn is_changing(state: &State) -> bool {
    state.catalog.features.iter().any(|feature| (feature.is_changing)(state))
}

/// Cancels quitting; returns whether it was in progress.
pub fn cancel_quit(cx: &mut Cx<'_>) -> bool {
    let was = std::mem::take(&mut cx.state.is_quitting);
    if was {
        cx.state.set_status("Quit canceled");
    }
    was
}

/// Completes a pending quit after every event.
pub fn quit_if_done(cx: &mut Cx<'_>) {
    if cx.state.is_quitting && !is_changing(cx.state) {
        cx.state.quit = true;
    }
}
