//! Every action with a name. A command is one row and one function in its area's file; help,
//! palette, key hints and the `:id` form come from the row.

pub mod again;
pub mod agent;
pub mod app;
pub mod change;
pub mod command;
pub mod contents;
pub mod diff;
pub mod edit;
pub mod file;
pub mod fold;
pub mod git;
pub mod helix;
pub mod history;
pub mod indenting;
pub mod lines;
pub mod list;
pub mod locals;
pub mod look;
pub mod motion;
pub mod places;
pub mod plugins;
pub mod registers;
pub mod search;
pub mod select;
pub mod session;
pub mod shell;
pub mod snippets;
pub mod summaries;
pub mod syntax;
pub mod terminal;
pub mod tree;
pub mod trust;
pub mod view;
pub mod vim_edits;
pub mod vim_modes;
pub mod vim_moves;
pub mod vim_objects;
pub mod way_back;
pub mod window;
pub mod words;
pub mod workspace;

pub use command::{Command, Cx};

/// Every area, by file.
pub static AREAS: &[&[Command]] = &[
    app::COMMANDS,
    file::COMMANDS,
    edit::COMMANDS,
    history::COMMANDS,
    lines::COMMANDS,
    indenting::COMMANDS,
    again::COMMANDS,
    change::COMMANDS,
    motion::COMMANDS,
    select::COMMANDS,
    search::COMMANDS,
    registers::COMMANDS,
    snippets::COMMANDS,
    summaries::COMMANDS,
    places::COMMANDS,
    shell::COMMANDS,
    plugins::COMMANDS,
    trust::COMMANDS,
    syntax::COMMANDS,
    locals::COMMANDS,
    view::COMMANDS,
    look::COMMANDS,
    git::COMMANDS,
    diff::COMMANDS,
    fold::COMMANDS,
    window::COMMANDS,
    workspace::COMMANDS,
    agent::COMMANDS,
    session::COMMANDS,
    contents::COMMANDS,
    way_back::COMMANDS,
    list::COMMANDS,
    tree::COMMANDS,
    terminal::COMMANDS,
    vim_moves::COMMANDS,
    vim_objects::COMMANDS,
    vim_edits::COMMANDS,
    vim_modes::COMMANDS,
    helix::COMMANDS,
];
