//! What a pane is, for the table of panes.

use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::tui::tree::Component;

/// One pane.
pub struct PaneSpec {
    /// What it draws.
    pub part: Part,
    /// Its layer: 0 are the panes, 1 floats.
    pub layer: u8,
    /// Makes its component.
    pub make: fn() -> Box<dyn Component<State>>,
}
