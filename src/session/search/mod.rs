//! Full-text search through all sessions: queries, searchable text of entries, snippets.
//!
//! Pure. Must not know files or databases: the index is in `store::search`.

pub mod entry_text;
pub mod hit;
pub mod query;
pub mod snippet;

pub use hit::{Hit, Snippet};
pub use query::Query;
