//! Row of a pane in the table of panes.

use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::tui::tree::Component;

/// One pane.
pub struct PaneSpec {
    /// The part of the screen that it draws.
    pub part: Part,
    /// Its layer: 0 for panes, 1 for overlays, 2 for messages.
    pub layer: u8,
    /// Creates its component.
    pub make: fn() -> Box<dyn Component<State>>,
}
