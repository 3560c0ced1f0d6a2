//! Commands of lists: pickers, the file tree, long dialogs.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::effect::Effect;
use crate::ide::core::layers::dialog;
use crate::ide::core::overlay::Overlay;
use crate::ide::core::panes::Focus;
use crate::ide::features::diff;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("list.up", "Up", |cx| step(cx, -1)),
    command("list.down", "Down", |cx| step(cx, 1)),
    command("list.page-up", "One page up", |cx| step(cx, -10)),
    command("list.page-down", "One page down", |cx| step(cx, 10)),
    command("list.top", "To the first row", |cx| step(cx, -FAR)),
    command("list.bottom", "To the last row", |cx| step(cx, FAR)),
    command("list.accept", "Take the selected row", |cx| cx.effects.push(Effect::Accept)),
    command("list.toggle", "Mark or unmark the selected row", toggle),
];

/// Further than any list is long.
const FAR: isize = isize::MAX / 4;

fn step(cx: &mut Cx<'_>, by: isize) {
    match cx.state.overlays.last_mut() {
        Some(Overlay::Undo(_)) => crate::ide::features::undo_tree::commands::step(cx, by),
        Some(Overlay::Diff(_)) => diff::events::with(cx, false, |view, beside| view.step(by, beside)),
        Some(Overlay::Session(view)) => view.step(by),
        Some(Overlay::Contents(view)) => view.step(by),
        Some(Overlay::Picker(picker)) => picker.step(by as i64),
        Some(Overlay::WayBack(view)) => view.step(by),
        Some(Overlay::Dialog(dialog)) => {
            let last = dialog::last_top(cx.state.size, dialog);
            dialog.top = dialog.top.saturating_add_signed(by).min(last);
        }
        _ if cx.state.panes.focus == Focus::Files => {
            cx.state.files.step(by);
            cx.state.damage.add(Part::Files);
        }
        _ => {}
    }
    cx.state.damage.add(Part::Overlay);
}

fn toggle(cx: &mut Cx<'_>) {
    let Some(Overlay::Picker(picker)) = cx.state.overlays.last_mut() else { return };
    // The matches may be others now, perhaps none.
    picker.catch_up();
    cx.state.damage.add(Part::Overlay);
    let Some(pick) = picker.current().map(|row| row.pick.clone()) else { return };
    match picker.marked.iter().position(|marked| *marked == pick) {
        Some(at) => {
            picker.marked.remove(at);
        }
        None => picker.marked.push(pick),
    }
    picker.step(1);
}
