//! What bowline does beside editing text: one folder and one row for each feature.

use crate::ide::core::feature::Feature;

pub mod agent;
pub mod context;
pub mod diff;
pub mod file_tree;
pub mod files;
pub mod git;
pub mod history_search;
pub mod locations;
pub mod login;
pub mod palette;
pub mod permissions;
pub mod pipe;
pub mod plugins;
pub mod project_search;
pub mod prompt;
pub mod questions;
pub mod recovery;
pub mod reopen;
pub mod restore;
pub mod sessions;
pub mod snippets;
pub mod status_line;
pub mod symbols;
pub mod tab_line;
pub mod terminal;
pub mod transcript;
pub mod undo_store;
pub mod undo_tree;

/// Every feature. The palette shows their commands in this order. What keeps unsaved text hears of everything before what
/// looks at the disk: should that panic, the text is kept.
pub static FEATURES: &[Feature] = &[
    palette::FEATURE,
    recovery::FEATURE,
    files::FEATURE,
    agent::FEATURE,
    context::FEATURE,
    diff::FEATURE,
    file_tree::FEATURE,
    git::FEATURE,
    history_search::FEATURE,
    login::FEATURE,
    permissions::FEATURE,
    pipe::FEATURE,
    locations::FEATURE,
    plugins::FEATURE,
    project_search::FEATURE,
    prompt::FEATURE,
    questions::FEATURE,
    reopen::FEATURE,
    restore::FEATURE,
    sessions::FEATURE,
    snippets::FEATURE,
    status_line::FEATURE,
    symbols::FEATURE,
    tab_line::FEATURE,
    terminal::FEATURE,
    transcript::FEATURE,
    undo_store::FEATURE,
    undo_tree::FEATURE,
];
