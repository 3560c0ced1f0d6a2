//! Everything that the IDE knows, in small structs with one owner each. Must not draw and must
//! not touch the outside world.

pub mod again;
pub mod agent;
pub mod area;
pub mod asks;
pub mod awaiting;
pub mod buffers;
pub mod code_blocks;
pub mod coloring;
pub mod damage;
pub mod diff_view;
pub mod elsewhere;
pub mod files;
pub mod folding;
pub mod hunks;
pub mod indenting;
pub mod jumps;
pub mod listing;
pub mod lists;
pub mod look;
pub mod modal;
pub mod overlay;
pub mod pace;
pub mod panes;
pub mod replacing;
pub mod restored;
pub mod riders;
pub mod root;
pub mod scrollbar;
pub mod shell;
pub mod show;
pub mod shown;
pub mod snippet_facts;
pub mod symbols;
pub mod transcript;
pub mod transcript_lines;
pub mod transcript_view;
pub mod tree_steps;
pub mod undo_view;
pub mod unsaved;
pub mod watching;
pub mod window_id;
pub mod windows;

pub use root::State;
