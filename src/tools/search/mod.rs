//! Looking for files and text, for tools.
//!
//! Must not know tools of any family. Places do the looking.

pub mod gather;
pub mod listing;
pub mod names;
