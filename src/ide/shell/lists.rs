//! Commands of lists: pickers, the file tree, long dialogs.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::effect::Effect;
use crate::ide::core::layer::Layer;
use crate::ide::core::layers::picker;
use crate::ide::core::panes::Focus;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("list.up", "Up", |cx| step(cx, -1)),
    command("list.down", "Down", |cx| step(cx, 1)),
    command("list.page-up", "One page up", |cx| step(cx, -10)),
    command("list.page-down", "One page down", |cx| step(cx, 10)),
    command("list.top", "To the first row", |cx| step(cx, -FAR)),
    command("list.bottom", "To the last row", |cx| step(cx, FAR)),
    command("list.accept", "Take the selected row", |cx| cx.effects.push(Effect::Accept)),
    command("list.toggle", "Mark or unmark the selected row", picker::toggle),
];

/// Further than any list is long.
const FAR: isize = isize::MAX / 4;

fn step(cx: &mut Cx<'_>, by: isize) {
    match cx.state.layers.last().map(Layer::actions) {
        Some(actions) => (actions.step)(cx, by),
        None if cx.state.panes.focus == Focus::Files => {
            cx.state.files.step(by);
            cx.state.damage.add(Part::Files);
        }
        None => {}
    }
    cx.state.damage.add(Part::Overlay);
}
