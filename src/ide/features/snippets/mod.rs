//! Snippets: inserted, with tab stops and variables.

pub mod commands;
pub mod picker;
pub mod variables;
