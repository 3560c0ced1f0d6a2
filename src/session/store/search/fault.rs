//! Why an index cannot answer. Must not know what it is asked.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rusqlite::ErrorCode;

/// Set by whoever does not want the answer any more.
pub type Stop = Arc<AtomicBool>;

/// Why nothing can be found.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// Somebody wanted that.
    #[error("the search was stopped")]
    Stopped,
    /// The database refuses.
    #[error("the index of the sessions: {0}")]
    Database(rusqlite::Error),
    /// The system refuses.
    #[error("the index of the sessions: {0}")]
    Io(#[from] io::Error),
}

impl From<rusqlite::Error> for SearchError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => Self::Stopped,
            _ => Self::Database(error),
        }
    }
}

impl SearchError {
    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Database(error) => error.sqlite_error_code(),
            _ => None,
        }
    }

    /// Whether the database itself is no good.
    pub(super) fn is_damage(&self) -> bool {
        match self.code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => true,
            // A table that is missing, or with other columns, has no code of its own, and the words of SQLite
            // tell it from a question that cannot be asked.
            Some(ErrorCode::Unknown) => {
                let said = self.to_string();
                ["no such table", "no such column", "has no column"].iter().any(|why| said.contains(why))
            }
            _ => false,
        }
    }

    /// Whether somebody else has it just now, or it cannot be written at all.
    pub(super) fn is_elsewhere(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::ReadOnly))
    }
}
