//! The panes: each draws one part of the screen from the state and changes nothing.

use crate::ide::core::pane::Row;
use crate::ide::{editor, features};

/// Every pane, by file, with the part of the screen that it draws.
pub static PANES: &[Row] = &[
    features::file_tree::pane::PANE,
    features::tab_line::pane::PANE,
    editor::view::pane::PANE,
    features::transcript::pane::PANE,
    features::prompt::pane::PANE,
    features::terminal::pane::PANE,
    features::status_line::pane::PANE,
    super::floating::PANE,
];
