//! The panes: each draws one part of the screen from the state and changes nothing.

pub mod editor;
pub mod files;
pub mod overlay;
pub mod prompt;
pub mod row;
pub mod status;
pub mod tabs;
pub mod terminal;
pub mod transcript;

pub use row::Row;

/// Every pane, by file, with the part of the screen that it draws.
pub static PANES: &[Row] = &[
    files::PANE,
    tabs::PANE,
    editor::PANE,
    transcript::PANE,
    prompt::PANE,
    terminal::PANE,
    status::PANE,
    overlay::PANE,
];
