//! What happens around every key of a modal map: counts, what is recorded of a command so that
//! it can be repeated, which edits are one step, and cursors that rest on characters.

use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::Modes;
use crate::ide::core::keys::modal::{Dot, Mode, Once};
use crate::ide::core::state::State;
use crate::ide::editor::modal::typing;
use crate::ide::editor::modal::{background, cursors, helix, visual};
use crate::text::modal::motion::page::Page;
use crate::text::selection::Range;
use crate::tui::input::Key;

/// More keys than this are not kept for a repetition.
const KEYS_MAX: usize = 20_000;

fn is_fresh(state: &State) -> bool {
    cursors::in_editor(state)
        && !state.modal.mode.types()
        && state.modal.is_fresh()
        && state.pending.is_empty()
        && state.awaiting.is_none()
}

/// Before a key does anything.
pub fn before(cx: &mut Cx<'_>, key: Key) {
    if cx.state.keymap.modes() == Modes::None {
        return;
    }
    if let Some((_, keys)) = &mut cx.state.modal.recording
        && !cx.state.modal.repeating
        && !cx.state.again.replaying
    {
        keys.push(key);
        if keys.len() > KEYS_MAX {
            cx.state.modal.recording = None;
            cx.state.fail("Macro too long: recording canceled");
        }
    }
    if cursors::in_editor(cx.state) && cx.state.modal.mode.types() && cx.state.modal.typed.len() < KEYS_MAX {
        cx.state.modal.typed.push(key);
    }
    if cx.state.modal.repeating {
        return;
    }
    cx.state.modal.before_key = typing::insert::place(cx);
    if is_fresh(cx.state) {
        let modal = &mut cx.state.modal;
        modal.keys.clear();
        modal.changed = false;
        modal.used_count = None;
        modal.used_reach = None;
        if modal.mode == Mode::Normal {
            cursors::group(cx.state);
        }
    }
    if cx.state.modal.keys.len() < KEYS_MAX {
        cx.state.modal.keys.push(key);
    }
}

/// Takes a digit of a count; tells whether it was one.
pub fn digit(cx: &mut Cx<'_>, key: Key) -> bool {
    let listens = cursors::in_editor(cx.state) && !cx.state.modal.mode.types() && cx.state.pending.is_empty();
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

/// Where work that keys waited for is done: takes its outcome over, then does what a key would have left behind it.
pub fn land(cx: &mut Cx<'_>) {
    let Some(done) = cx.state.modal.elsewhere.done.take() else { return };
    if !background::done(cx, done) {
        return;
    }
    after(cx, None);
    // What is typed anew belongs to what was taken away for it.
    if cx.state.keymap.modes() == Modes::None || !cx.state.modal.mode.types() {
        cursors::ungroup(cx.state);
    }
}

/// After a key has done what it does; none where work that keys waited for is done.
pub fn after(cx: &mut Cx<'_>, key: Option<Key>) {
    if cx.state.keymap.modes() == Modes::None || cx.state.modal.repeating {
        return settle(cx);
    }
    settle(cx);
    typing::insert::follow(cx, key);
    if cx.state.modal.mode != Mode::Normal || !is_fresh(cx.state) {
        return;
    }
    let modal = &mut cx.state.modal;
    if std::mem::take(&mut modal.changed) {
        let keys = std::mem::take(&mut modal.keys);
        modal.dot = Some(Dot { keys, count: modal.used_count, reach: modal.used_reach });
    }
    cursors::ungroup(cx.state);
    match cx.state.modal.typing.once {
        Some(once) if once.begins => cx.state.modal.typing.once = Some(Once { begins: false, ..once }),
        Some(once) => typing::insert::go_on(cx, once),
        None => {}
    }
}

/// Makes cursors rest where they may, whoever has moved them.
pub fn settle(cx: &mut Cx<'_>) {
    helix::settle(cx);
    if cx.state.keymap.modes() != Modes::Vim || !cursors::in_editor(cx.state) {
        return;
    }
    let tab_width = cx.state.tab_width();
    let mode = cx.state.modal.mode;
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let area = &mut buffer.area;
    if mode.is_visual() {
        let shown = cx.state.modal.visual.shown.as_ref();
        if shown == Some(&area.selection) {
            return;
        }
        if area.selection.is_empty() {
            let cursors = area.selection.ranges().to_vec();
            return visual::end_at(cx, cursors);
        }
        return visual::adopt(cx);
    }
    if mode != Mode::Normal || cx.state.modal.operator.is_some() {
        return;
    }
    if !area.selection.is_empty() {
        return visual::adopt(cx);
    }
    // Thousands of cursors are looked at once, not at every event.
    let version = area.document.version();
    let known = cx.state.modal.rested.as_ref();
    if known.is_some_and(|(id, at, known)| (*id, *at) == (buffer.id, version) && *known == area.selection) {
        return;
    }
    let page = Page::new(area.document.text(), tab_width);
    if area.selection.ranges().iter().any(|range| page.rest(range.head) != range.head) {
        let rested = area.selection.transform(|range| {
            let at = page.rest(range.head);
            Range { goal: range.goal, ..Range::cursor(at) }
        });
        area.selection = rested;
    }
    cx.state.modal.rested = Some((buffer.id, version, area.selection.clone()));
}
