//! Pickers: one shape, many sources. A picker is one file and one row here.

pub mod buffers;
pub mod commands;
pub mod encodings;
pub mod files;
pub mod grep;
pub mod jumps;
pub mod keymaps;
pub mod keys;
pub mod logins;
pub mod logouts;
pub mod marks;
pub mod models;
pub mod outline;
pub mod plugin_places;
pub mod prompts;
pub mod registers;
pub mod row;
pub mod session_search;
pub mod sessions;
pub mod sessions_anywhere;
pub mod sessions_delete;
pub mod snippets;
pub mod tools;

pub use row::{Load, Row};

/// Every picker, by file.
pub static PICKERS: &[Row] = &[
    files::PICKER,
    grep::PICKER,
    buffers::PICKER,
    commands::PICKER,
    keys::PICKER,
    models::PICKER,
    logins::PICKER,
    logouts::PICKER,
    encodings::PICKER,
    keymaps::PICKER,
    registers::PICKER,
    marks::PICKER,
    jumps::PICKER,
    outline::PICKER,
    tools::PICKER,
    sessions::PICKER,
    sessions_anywhere::PICKER,
    sessions_delete::PICKER,
    session_search::PICKER,
    prompts::PICKER,
    snippets::PICKER,
    plugin_places::PICKER,
];
