//! Tables of the search index. Must not know their content.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::error::SearchError;

/// Version; changes with the tables, the indexed text, and the tokenizer.
const VERSION: i64 = 2;

/// `words` stores which words occur in which entry, not the text. Letters are compared without case and
/// diacritics. Prefixes are indexed up to a length that matches nearly everything: queries during typing need
/// just those. Role and file are stored as words, too ([`role_word`], [`file_word`]), so that filters are
/// evaluated by the full-text index and not row by row.
const TABLES: &str = "
    CREATE TABLE files (
        id INTEGER PRIMARY KEY,
        path BLOB NOT NULL UNIQUE,
        inode INTEGER NOT NULL,
        modified INTEGER NOT NULL,
        size INTEGER NOT NULL,
        covers INTEGER NOT NULL,
        tail INTEGER NOT NULL,
        objects INTEGER NOT NULL,
        session TEXT NOT NULL,
        cwd TEXT NOT NULL,
        name TEXT,
        first TEXT
    );
    CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        file INTEGER NOT NULL,
        entry TEXT NOT NULL,
        at INTEGER NOT NULL,
        role INTEGER NOT NULL,
        start INTEGER NOT NULL,
        length INTEGER NOT NULL
    );
    CREATE INDEX entries_of_files ON entries (file);
    CREATE VIRTUAL TABLE words USING fts5 (
        said, thought, command, file, place,
        content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
    );
";

/// Returns the word in `place` for a role, by its number in `Role::ALL`.
pub(super) fn role_word(role: usize) -> String {
    format!("r{role}")
}

/// Returns the word in `place` for a file, by its number.
pub(super) fn file_word(file: i64) -> String {
    format!("f{file}")
}

/// Creates the tables if they do not exist in this version.
pub(super) fn create_tables(database: &Connection) -> Result<(), SearchError> {
    // On a file system without shared memory the default journal is kept.
    let mode: Option<String> =
        database.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).optional().unwrap_or_default();
    tracing::debug!(?mode, "the journal of the index");
    // The data can be rebuilt: no full sync is needed.
    database.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY")?;
    if version(database)? == VERSION {
        return Ok(());
    }
    let change = rusqlite::Transaction::new_unchecked(database, TransactionBehavior::Immediate)?;
    // Another process may have created them meanwhile.
    if version(&change)? != VERSION {
        for table in ["words", "entries", "files"] {
            change.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
        }
        change.execute_batch(TABLES)?;
        change.pragma_update(None, "user_version", VERSION)?;
    }
    change.commit()?;
    Ok(())
}

fn version(database: &Connection) -> rusqlite::Result<i64> {
    database.pragma_query_value(None, "user_version", |row| row.get(0))
}
