//! The languages, one row each, and which one a file is in.

pub mod detect;
pub mod line_language;
pub mod table;
