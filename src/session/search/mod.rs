//! Searching all sessions: what can be asked, what an entry offers to be found by, what is shown of
//! what was found.
//!
//! Pure. Must not know files or databases: the index is kept by `store::search`.

pub mod entry_text;
pub mod hit;
pub mod query;
pub mod snippet;

pub use hit::{Hit, Snippet};
pub use query::Query;
