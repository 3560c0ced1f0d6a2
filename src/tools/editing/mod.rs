//! Changing files: pieces of them, or all of one.
//!
//! Must not know tools of any family.

pub mod file;
pub mod notebook;
pub mod swap;
pub mod whole;
