//! Processing around every key of a modal key map: counts, recording for repetition, grouping of edits into
//! steps, and clamping of cursors to characters.

use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::keys::modal::{InsertNormal, Mode, RepeatableChange};
use crate::ide::core::state::State;
use crate::ide::editor::modal::insert_mode;
use crate::ide::editor::modal::{background, cursors, helix, visual};
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::selection::Range;
use crate::tui::input::Key;

/// Maximum number of keys kept for a repetition.
const KEYS_MAX: usize = 20_000;

fn is_idle(state: &State) -> bool {
    cursors::is_modal_editor(state)
        && !state.modal.mode.is_typing()
        && state.modal.is_idle()
        && state.pending.is_empty()
        && state.pending_char.is_none()
}

/// Runs before a key is handled.
pub fn before_key(cx: &mut Cx<'_>, key: Key) {
    if cx.state.keymap.modal_style() == ModalStyle::None {
        return;
    }
    if let Some((_, keys)) = &mut cx.state.modal.recording
        && !cx.state.modal.repeating
        && !cx.state.macros.replaying
    {
        keys.push(key);
        if keys.len() > KEYS_MAX {
            cx.state.modal.recording = None;
            cx.state.set_error("Macro too long: recording canceled");
        }
    }
    if cursors::is_modal_editor(cx.state)
        && cx.state.modal.mode.is_typing()
        && cx.state.modal.typed.len() < KEYS_MAX
    {
        cx.state.modal.typed.push(key);
    }
    if cx.state.modal.repeating {
        return;
    }
    cx.state.modal.before_key = insert_mode::insert::version_and_cursor(cx);
    if is_idle(cx.state) {
        let modal = &mut cx.state.modal;
        modal.keys.clear();
        modal.changed = false;
        modal.used_count = None;
        modal.used_extent = None;
        if modal.mode == Mode::Normal {
            cursors::begin_undo_group(cx.state);
        }
    }
    if cx.state.modal.keys.len() < KEYS_MAX {
        cx.state.modal.keys.push(key);
    }
}

/// Handles a digit of a count; returns whether it was one.
pub fn take_digit(cx: &mut Cx<'_>, key: Key) -> bool {
    let listens =
        cursors::is_modal_editor(cx.state) && !cx.state.modal.mode.is_typing() && cx.state.pending.is_empty();
    let Some(digit) = key.typed().filter(|_| listens).and_then(|c| c.to_digit(10)) else { return false };
    if digit == 0 && cx.state.modal.count.is_none() {
        return false;
    }
    let count = cx.state.modal.count.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize);
    cx.state.modal.count = Some(count.min(1_000_000));
    cx.state.modal.keys.pop();
    cx.state.damage.add(crate::ide::core::damage::Part::Status);
    true
}

/// Applies finished work that keys waited for, with the processing after a key.
pub fn finish_background(cx: &mut Cx<'_>) {
    let Some(done) = cx.state.modal.background.done.take() else { return };
    if !background::on_done(cx, done) {
        return;
    }
    after_key(cx, None);
    // The typed replacement belongs to the deletion before it.
    if cx.state.keymap.modal_style() == ModalStyle::None || !cx.state.modal.mode.is_typing() {
        cursors::end_undo_group(cx.state);
    }
}

/// Runs after a key was handled, or without a key after work that keys waited for.
pub fn after_key(cx: &mut Cx<'_>, key: Option<Key>) {
    if cx.state.keymap.modal_style() == ModalStyle::None || cx.state.modal.repeating {
        return clamp_cursors(cx);
    }
    clamp_cursors(cx);
    insert_mode::insert::after_key(cx, key);
    if cx.state.modal.mode != Mode::Normal || !is_idle(cx.state) {
        return;
    }
    let modal = &mut cx.state.modal;
    if std::mem::take(&mut modal.changed) {
        let keys = std::mem::take(&mut modal.keys);
        modal.last_change =
            Some(RepeatableChange { keys, count: modal.used_count, extent: modal.used_extent });
    }
    cursors::end_undo_group(cx.state);
    match cx.state.modal.typing.once {
        Some(once) if once.begins => {
            cx.state.modal.typing.once = Some(InsertNormal { begins: false, ..once });
        }
        Some(once) => insert_mode::insert::resume_insert(cx, once),
        None => {}
    }
}

/// Clamps cursors to allowed positions after any kind of movement.
pub fn clamp_cursors(cx: &mut Cx<'_>) {
    helix::ensure_min_width(cx);
    if cx.state.keymap.modal_style() != ModalStyle::Vim || !cursors::is_modal_editor(cx.state) {
        return;
    }
    let tab_width = cx.state.tab_width();
    let mode = cx.state.modal.mode;
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let area = &mut buffer.area;
    if mode.is_visual() {
        let shown = cx.state.modal.visual.shown.as_ref();
        if shown.is_some_and(|(id, selection)| *id == buffer.id && *selection == area.selection) {
            return;
        }
        if area.selection.is_empty() {
            let cursors = area.selection.ranges().to_vec();
            return visual::end_at(cx, cursors);
        }
        return visual::adopt_selection(cx);
    }
    if mode != Mode::Normal || cx.state.modal.operator.is_some() {
        return;
    }
    if !area.selection.is_empty() {
        return visual::adopt_selection(cx);
    }
    // Thousands of cursors are checked once, not at every event.
    let version = area.document.version();
    let known = cx.state.modal.resting_cursors.as_ref();
    if known.is_some_and(|(id, at, known)| (*id, *at) == (buffer.id, version) && *known == area.selection) {
        return;
    }
    let page = ModalText::new(area.document.text(), tab_width);
    if area.selection.ranges().iter().any(|range| page.cursor_position(range.head) != range.head) {
        let rested = area.selection.transform(|range| {
            let at = page.cursor_position(range.head);
            Range { goal: range.goal, ..Range::cursor(at) }
        });
        area.selection = rested;
    }
    cx.state.modal.resting_cursors = Some((buffer.id, version, area.selection.clone()));
}
