//! Search for files and text, for tools.
//!
//! Must not know tools of any family. The environment does the search.

pub mod gather;
pub mod hits;
pub mod listing;
pub mod names;
