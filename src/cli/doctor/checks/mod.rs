//! The checks, by section. A check judges facts and changes nothing; it must not know how findings are shown.

pub mod clipboard;
pub mod folders;
pub mod program;
pub mod programs;
pub mod project;
pub mod providers;
pub mod sessions;
pub mod settings;
pub mod table;
pub mod terminal;
pub mod terminal_features;

pub use table::SECTIONS;
