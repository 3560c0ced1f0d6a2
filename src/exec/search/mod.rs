//! Search for files by name and for text in files, in any environment.
//!
//! Must not know tools nor pickers.

mod aliases;
pub(super) mod deny_list;
mod engine;
pub mod list_and_read;
pub(super) mod local;
mod search_reader;
mod select;
pub mod spec;

pub use spec::{
    FileMatches, FindSpec, FoundLine, FoundPath, MatchSink, Omitted, PathSink, SearchSpec, SearchStats,
    Selection, Want,
};

#[cfg(test)]
mod tests;
