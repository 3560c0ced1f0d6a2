//! The session tree as a pane below the file tree: its state, its commands and the mouse in it. Must not know how the
//! tree is drawn or loaded: it is the component that the full screen shows.

use crate::ide::core::clicks::next_click;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::Focus;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::sessions::view::SessionView;
use crate::ide::features::sessions::{draw, events};
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::SessionTree, layer: 0, make: || Box::new(SessionTreePane) };

/// Slot of the pane's state.
pub const TREE_PANE: Slot<TreePane> = Slot::new();

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "view.toggle-session-tree",
        "Toggle session tree pane",
        &["timeline", "branches", "sidebar", "show session tree"],
        toggle,
    ),
    command("view.focus-session-tree", "Focus session tree pane", &["timeline", "branches"], |cx| {
        panes::focus(cx, Focus::SessionTree);
    }),
];

/// The pane's state.
#[derive(Debug, Default)]
pub struct TreePane {
    /// The tree; `None` until the pane is shown while a session is connected.
    pub view: Option<SessionView>,
}

struct SessionTreePane;

impl Component<State> for SessionTreePane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        draw::draw_pane(canvas, state.slots[TREE_PANE].view.as_ref(), state);
    }
}

/// Closes the pane if it is on the screen, else gives it the keys.
fn toggle(cx: &mut Cx<'_>) {
    let is_shown = cx.state.panes.session_tree && cx.state.areas.session_tree.is_some();
    if is_shown {
        cx.state.panes.set(Focus::SessionTree, false);
        cx.state.damage.add_all();
    } else {
        panes::focus(cx, Focus::SessionTree);
    }
}

/// Handles the mouse at a row of the pane's height: a press selects, a double click goes there, the wheel moves the
/// selection.
pub fn mouse(cx: &mut Cx<'_>, is_pressed: bool, (y, height): (u16, u16), wheel: isize) {
    if !is_pressed && wheel == 0 {
        return;
    }
    if is_pressed && cx.state.panes.focus != Focus::SessionTree {
        panes::focus(cx, Focus::SessionTree);
    }
    let now = cx.now;
    let Some(view) = cx.state.slots[TREE_PANE].view.as_mut() else { return };
    cx.state.damage.add(Part::SessionTree);
    if wheel != 0 {
        return view.step(wheel);
    }
    let page = view.page(usize::from(height.saturating_sub(1)));
    let Some(row) = usize::from(y).checked_sub(1).map(|y| page.start + y).filter(|row| page.contains(row))
    else {
        return;
    };
    let last = view.pressed.filter(|(_, before, _)| *before == row);
    let clicks = next_click(last.map(|(time, _, clicks)| (time, clicks)), now);
    view.select_line(row);
    view.pressed = Some((now, row, clicks));
    if clicks == 2 {
        events::go_to_selected(cx);
    }
}
