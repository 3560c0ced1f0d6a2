//! Looking for files by name and for text in files, in any environment.
//!
//! Must not know tools nor pickers.

mod aliases;
pub mod by_reading;
pub(super) mod deny_list;
mod engine;
pub(super) mod local;
mod select;
pub mod spec;
mod text;

pub use spec::{
    FileMatches, FindSpec, FoundLine, FoundPath, LeftOut, MatchSink, PathSink, SearchSpec, Searched,
    Selection, Want,
};

#[cfg(test)]
mod tests;
