//! Looking for files and text, for tools.
//!
//! Must not know tools of any family. Environments do the looking.

pub mod gather;
pub mod listing;
pub mod names;
