//! The panes: each draws one part of the screen from the state and changes nothing. Features have theirs in their rows.

use crate::ide::core::pane::Row;
use crate::ide::editor;
use crate::ide::features::FEATURES;
use crate::ide::shell::floating;

/// Every pane, with the part of the screen that it draws.
pub fn panes() -> impl Iterator<Item = &'static Row> {
    let own: [&Row; 2] = [&editor::view::pane::PANE, &floating::PANE];
    FEATURES.iter().flat_map(|feature| feature.panes).copied().chain(own)
}
