//! Snippets: put in, gone through, with variables.

pub mod commands;
pub mod picker;
pub mod variables;
