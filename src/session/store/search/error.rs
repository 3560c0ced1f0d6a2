//! Errors of the search index. Must not know the queries.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rusqlite::ErrorCode;

/// Set to cancel a search.
pub type StopFlag = Arc<AtomicBool>;

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// Cancelled.
    #[error("the search was stopped")]
    Cancelled,
    /// A database error.
    #[error("the index of the sessions: {0}")]
    Database(rusqlite::Error),
    /// An I/O error.
    #[error("the index of the sessions: {0}")]
    Io(#[from] io::Error),
}

impl From<rusqlite::Error> for SearchError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => Self::Cancelled,
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

    /// Whether the database is damaged.
    pub(super) fn is_corrupt(&self) -> bool {
        match self.code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => true,
            // A missing table or column has no error code of its own; only SQLite's message distinguishes it
            // from an invalid query.
            Some(ErrorCode::Unknown) => {
                let message = self.to_string();
                ["no such table", "no such column", "has no column"]
                    .iter()
                    .any(|phrase| message.contains(phrase))
            }
            _ => false,
        }
    }

    /// Whether another process has locked the database, or it is not writable.
    pub(super) fn is_locked(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::ReadOnly))
    }
}
