//! The panes: each draws one part of the screen from the state and changes nothing. Panes of features are in
//! the features' rows.

use crate::ide::core::pane::PaneSpec;
use crate::ide::editor;
use crate::ide::features::FEATURES;
use crate::ide::shell::{overlay, view_below};

/// Returns all panes, each with the part of the screen that it draws.
pub fn panes() -> impl Iterator<Item = &'static PaneSpec> {
    let own: [&PaneSpec; 3] = [&editor::view::pane::PANE, &view_below::PANE, &overlay::PANE];
    FEATURES.iter().flat_map(|feature| feature.panes).copied().chain(own)
}
