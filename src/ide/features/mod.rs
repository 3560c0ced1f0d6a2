//! What bowline does beside editing text: one folder and one row for each feature.

use crate::ide::core::feature::Feature;

pub mod agent;
pub mod context;
pub mod diff;
pub mod file_tree;
pub mod files;
pub mod git;
pub mod history_search;
pub mod login;
pub mod palette;
pub mod permissions;
pub mod pipe;
pub mod places;
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

/// Every feature that keeps state or acts on what happens.
pub static FEATURES: &[Feature] = &[
    context::FEATURE,
    diff::FEATURE,
    file_tree::FEATURE,
    files::FEATURE,
    git::FEATURE,
    permissions::FEATURE,
    pipe::FEATURE,
    plugins::FEATURE,
    project_search::FEATURE,
    recovery::FEATURE,
    reopen::FEATURE,
    sessions::FEATURE,
    terminal::FEATURE,
    transcript::FEATURE,
    undo_store::FEATURE,
    undo_tree::FEATURE,
];
