//! The index of all sessions' words: a database of `SQLite` with FTS5 below their root.
//!
//! Must not know what entries say. Everything in it follows from the session files: it can be deleted at
//! any time, and one that is damaged or of another version is created anew. It holds no text, only the positions
//! of words; shown text is read from the session files.

pub mod error;
pub mod find;
pub mod index;
pub mod schema;
pub mod update;

pub use error::{SearchError, StopFlag};
pub use index::{Index, search};
