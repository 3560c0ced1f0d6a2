//! Search actions: find files and text.

pub mod find;
pub mod grep;
pub mod list;
