//! Replays keys, as if they were pressed now. Must not know what they do.

use crate::ide::core::context::Cx;
use crate::ide::core::keys::modal::Mode;
use crate::tui::input::Key;

/// Maximum nesting of replays: a recording that replays itself would overflow the stack.
const DEPTH_MAX: usize = 20;

/// Presses recorded keys, each with everything that it defers. A failure ends this replay and those around it.
pub fn keys(cx: &mut Cx<'_>, keys: &[Key]) {
    if cx.state.macros.depth >= DEPTH_MAX {
        cx.state.modal.failed = true;
        return cx.state.set_error("Recursive macro stopped");
    }
    cx.state.macros.depth += 1;
    let outer = std::mem::replace(&mut cx.state.macros.replaying, true);
    // A motion that failed before is no failure of this replay.
    cx.state.modal.failed = false;
    for key in keys {
        (cx.state.catalog.press)(cx, *key);
        cx.run_deferred();
        let failed = has_failed(cx);
        cx.state.modal.failed = failed && outer;
        if failed {
            break;
        }
    }
    cx.state.macros.replaying = outer;
    cx.state.macros.depth -= 1;
}

/// Returns whether a replay must end because a motion failed in it.
pub fn has_failed(cx: &mut Cx<'_>) -> bool {
    let failed = std::mem::take(&mut cx.state.modal.failed);
    if failed {
        cx.state.modal.reset_pending();
        if cx.state.modal.mode == Mode::Normal {
            cx.state.pending.clear();
        }
    }
    failed
}
