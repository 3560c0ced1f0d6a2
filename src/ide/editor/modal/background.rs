//! Work of a modal key map whose cost grows with the text: a task does it, and keys wait for its end, so that
//! they find the cursor in its place. Must not know what the work is.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::background_work::{FinishedWork, Outcome};
use crate::ide::core::layers::layer::Layer;
use crate::ide::editor::modal::cursors;
use crate::tui::input::{Key, KeyCode, Mods};

/// Maximum size in bytes of a text that is processed at once.
pub const INLINE_MAX: usize = 256 << 10;
/// During a replay nothing may wait: longer texts are refused.
const REPLAYED_MAX: usize = 16 << 20;

/// Continuation of the work on the event loop. Fails with a message.
pub type Followup = Box<dyn FnOnce(&mut Cx<'_>) -> Result<(), String> + Send>;

/// Returns whether nothing may wait, because keys are being replayed.
pub fn is_replaying(cx: &Cx<'_>) -> bool {
    cx.state.modal.repeating || cx.state.macros.replaying
}

/// Processes this many bytes of the shown file, at once if they are few.
pub fn run(
    cx: &mut Cx<'_>,
    bytes: usize,
    work: impl FnOnce() -> Followup + Send + 'static,
) -> Result<(), String> {
    if bytes <= INLINE_MAX {
        return work()(cx);
    }
    if is_replaying(cx) {
        if bytes > REPLAYED_MAX {
            return Err("Text too long for this during replay".to_string());
        }
        return work()(cx);
    }
    let Some(buffer) = cx.state.buffers.current() else { return Ok(()) };
    let elsewhere = &mut cx.state.modal.background;
    elsewhere.count += 1;
    elsewhere.waiting.get_or_insert_default();
    let (buffer, version, number) = (buffer.id, buffer.area.document.version(), elsewhere.count);
    let work = || -> Outcome { Box::new(work()) };
    cx.tasks.spawn_blocking("modal.work", work, move |cx, outcome| {
        let outcome = outcome.map_err(|error| error.to_string());
        cx.state.modal.background.done = Some(FinishedWork { buffer, version, number, outcome });
    });
    cx.state.set_status(SEARCHING);
    Ok(())
}

const SEARCHING: &str = "Searching the text … Escape cancels";

/// Holds a key that has to wait, or cancels the work; returns whether it did.
pub fn hold_key(cx: &mut Cx<'_>, key: Key) -> bool {
    if !cx.state.layers.is_empty() {
        return false;
    }
    let Some(waiting) = &mut cx.state.modal.background.waiting else { return false };
    let gives_up = key.code == KeyCode::Escape || key.code == KeyCode::Char('c') && key.mods == Mods::CTRL;
    if gives_up {
        cx.state.modal.background.waiting = None;
        cx.state.modal.reset_pending();
        cursors::end_undo_group(cx.state);
        cx.state.set_status("Canceled");
        cx.state.damage.add(Part::Editor);
    } else {
        waiting.push(key);
    }
    true
}

/// Handles the end of the work: runs its continuation, then the keys that waited. Returns whether it
/// succeeded; its edits form one step until the caller ends it.
pub fn on_done(cx: &mut Cx<'_>, done: FinishedWork) -> bool {
    if cx.state.modal.background.count != done.number {
        return false;
    }
    let Some(waiting) = cx.state.modal.background.waiting.take() else { return false };
    let mut carried = false;
    if cx.state.status.message == SEARCHING {
        cx.state.set_status("");
    }
    let shown = cx.state.buffers.current().filter(|shown| shown.id == done.buffer);
    let same = shown.is_some_and(|shown| shown.area.document.version() == done.version);
    // The mouse may have moved the focus to a prompt, or a dialog may have taken it: what was computed for
    // the file must not go there.
    let in_file = matches!(cx.state.text_target(), Some((_, _, Part::Editor)));
    if same && !in_file {
        cx.state.modal.reset_pending();
        cx.state.set_error("Focus moved: nothing changed");
    } else if !same {
        cx.state.modal.reset_pending();
        cx.state.set_error("Text changed meanwhile: nothing changed");
    } else {
        match done.outcome.map(|outcome| outcome.downcast::<Followup>()) {
            Ok(Ok(then)) => {
                cursors::begin_undo_group(cx.state);
                if let Err(problem) = then(cx) {
                    cx.state.set_error(problem);
                }
                carried = true;
            }
            Ok(Err(_)) => tracing::error!("work of a modal map came to something of another kind"),
            Err(error) => {
                cx.state.modal.reset_pending();
                cx.state.set_error(format!("Nothing changed: {error}"));
            }
        }
    }
    cx.state.damage.add(Part::Editor);
    // Keys pressed before a dialog opened must not answer it.
    let has_unsolicited_dialog = cx.state.layers.last().and_then(Layer::unsolicited_id).is_some();
    if !has_unsolicited_dialog && !waiting.is_empty() {
        cx.defer(move |cx| {
            for key in waiting {
                (cx.state.catalog.press)(cx, key);
                cx.run_deferred();
            }
        });
    }
    carried
}
