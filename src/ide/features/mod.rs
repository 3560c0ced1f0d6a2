//! Features: what the program does beyond editing text. Each has a folder and a row in the table.

use crate::ide::core::feature::Feature;

pub mod accessible;
pub mod agent;
pub mod agent_settings;
pub mod agent_title;
pub mod code_lens;
pub mod comparison;
pub mod completion;
pub mod context;
pub mod diff;
pub mod document_colors;
pub mod document_links;
pub mod drafts;
pub mod everywhere;
pub mod file_tree;
pub mod files;
pub mod find;
pub mod folding_ranges;
pub mod git;
pub mod help;
pub mod history_search;
pub mod image_files;
pub mod images;
pub mod inlay_hints;
pub mod key_editor;
pub mod key_hints;
pub mod language_servers;
pub mod locations;
pub mod login;
pub mod message_queue;
pub mod models;
pub mod notifications;
pub mod palette;
pub mod permissions;
pub mod pipe;
pub mod plugins;
pub mod previews;
pub mod project_search;
pub mod prompt;
pub mod questions;
pub mod recovery;
pub mod reopen;
pub mod restore;
pub mod review;
pub mod semantic_tokens;
pub mod sessions;
pub mod settings;
pub mod snippets;
pub mod status_line;
pub mod symbols;
pub mod tab_line;
pub mod terminal;
pub mod themes;
pub mod toasts;
pub mod transcript;
pub mod tutor;
pub mod undo_store;
pub mod undo_tree;

/// All features. The palette shows their commands in this order. A feature that saves unsaved text gets facts
/// before those that check the disk: if one of these panics, the text is saved.
pub static FEATURES: &[Feature] = &[
    palette::FEATURE,
    recovery::FEATURE,
    files::FEATURE,
    find::FEATURE,
    agent::FEATURE,
    agent_settings::FEATURE,
    agent_title::FEATURE,
    comparison::FEATURE,
    completion::FEATURE,
    context::FEATURE,
    diff::FEATURE,
    drafts::FEATURE,
    everywhere::FEATURE,
    file_tree::FEATURE,
    git::FEATURE,
    help::FEATURE,
    history_search::FEATURE,
    image_files::FEATURE,
    images::FEATURE,
    key_editor::FEATURE,
    key_hints::FEATURE,
    login::FEATURE,
    models::FEATURE,
    permissions::FEATURE,
    pipe::FEATURE,
    locations::FEATURE,
    message_queue::FEATURE,
    notifications::FEATURE,
    plugins::FEATURE,
    previews::FEATURE,
    project_search::FEATURE,
    prompt::FEATURE,
    questions::FEATURE,
    reopen::FEATURE,
    restore::FEATURE,
    review::FEATURE,
    sessions::FEATURE,
    settings::FEATURE,
    snippets::FEATURE,
    status_line::FEATURE,
    symbols::FEATURE,
    language_servers::FEATURE,
    inlay_hints::FEATURE,
    semantic_tokens::FEATURE,
    code_lens::FEATURE,
    document_links::FEATURE,
    document_colors::FEATURE,
    folding_ranges::FEATURE,
    tab_line::FEATURE,
    terminal::FEATURE,
    themes::FEATURE,
    toasts::FEATURE,
    transcript::FEATURE,
    // It announces the end of an answer once all of that is shown.
    accessible::FEATURE,
    tutor::FEATURE,
    undo_store::FEATURE,
    undo_tree::FEATURE,
];
