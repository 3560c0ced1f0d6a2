//! The way out: where files are being written or moved, leaving waits for that, so that no step is
//! left half done. Must not know the terminal.

use crate::ide::core::context::Cx;
use crate::ide::core::state::State;

/// Leaves as soon as nothing is being written; asked a second time, at once: a disk that never
/// answers must not keep anybody.
pub fn quit(cx: &mut Cx<'_>) {
    if cx.state.is_quitting || !is_changing(cx.state) {
        cx.state.quit = true;
        return;
    }
    cx.state.is_quitting = true;
    cx.state.set_status("Quitting when file changes finish. Quit again: now");
}

/// Whether something on disk would be left half done, were it to end here.
pub fn is_changing(state: &State) -> bool {
    state.catalog.features.iter().any(|feature| (feature.is_changing)(state))
}

/// The user has thought better of it; tells whether he was leaving.
pub fn cancel_quit(cx: &mut Cx<'_>) -> bool {
    let was = std::mem::take(&mut cx.state.is_quitting);
    if was {
        cx.state.set_status("Quit canceled");
    }
    was
}

/// After every event: what was waited for may be done.
pub fn quit_if_done(cx: &mut Cx<'_>) {
    if cx.state.is_quitting && !is_changing(cx.state) {
        cx.state.quit = true;
    }
}
