//! Edits of files: parts of them, or the whole content.
//!
//! Must not know tools of any family.

pub mod file;
pub mod notebook;
pub mod replace;
pub mod write;
