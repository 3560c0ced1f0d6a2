//! Updates the index: adds new lines of session files, removes deleted files.
//!
//! Must not know queries. A file with the same size, time and inode is not opened; of one that has grown only
//! new lines are read. Progress is committed every few megabytes, so that cancellation loses little.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use rusqlite::{Connection, Statement, TransactionBehavior, params};

use super::error::{SearchError, StopFlag};
use super::schema;
use crate::session::format::header::Header;
use crate::session::format::migrate;
use crate::session::search::entry_text::{self, IndexedEntry};
use crate::session::search::hit::Role;
use crate::session::store::listing::{files_below, parse_header, tail_checksum};

/// Bytes between two commits.
const PIECE: u64 = 8 << 20;
/// Characters kept of the first user message.
const FIRST_MAX: usize = 200;

/// The result of an update.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexUpdate {
    /// Number of files with new lines.
    pub files: usize,
    /// Number of new searchable entries.
    pub entries: usize,
    /// Number of deleted files.
    pub removed: usize,
}

/// Indexed data of a file.
struct IndexedFile {
    id: i64,
    inode: i64,
    modified: i64,
    size: i64,
    covers: u64,
    tail: u32,
    objects: u64,
    name: Option<String>,
    first: Option<String>,
    /// Whether an entry's index is its id.
    unnamed: bool,
}

pub(super) fn update(
    database: &mut Connection,
    root: &Path,
    stop: &StopFlag,
) -> Result<IndexUpdate, SearchError> {
    let mut known = indexed_files(database)?;
    let mut files = files_below(root);
    // Names begin with a time: newer sessions sort last, in any folder.
    files.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    let mut done = IndexUpdate::default();
    for path in files {
        if stop.load(Ordering::Relaxed) {
            return Err(SearchError::Cancelled);
        }
        let Ok(below) = path.strip_prefix(root).map(Path::to_path_buf) else { continue };
        let before = known.remove(below.as_os_str().as_bytes());
        let Some(metadata) = fs::metadata(&path).ok().filter(Metadata::is_file) else {
            done.removed += usize::from(before.is_some());
            remove_file(database, before.as_ref())?;
            continue;
        };
        if before.as_ref().is_some_and(|before| before.is_unchanged(&metadata)) {
            continue;
        }
        let taken = Reader { database, path, below, facts: metadata, stop }.read(before)?;
        done.files += usize::from(taken > 0);
        done.entries += taken;
    }
    for removed in known.values() {
        remove_file(database, Some(removed))?;
        done.removed += 1;
    }
    Ok(done)
}

fn indexed_files(database: &Connection) -> rusqlite::Result<HashMap<Vec<u8>, IndexedFile>> {
    let mut ask = database
        .prepare("SELECT path, id, inode, modified, size, covers, tail, objects, name, first FROM files")?;
    let rows = ask.query_map([], |row| {
        let known = IndexedFile {
            id: row.get(1)?,
            inode: row.get(2)?,
            modified: row.get(3)?,
            size: row.get(4)?,
            covers: row.get::<_, i64>(5)? as u64,
            tail: row.get(6)?,
            objects: row.get::<_, i64>(7)? as u64,
            name: row.get(8)?,
            first: row.get(9)?,
            unnamed: false,
        };
        Ok((row.get(0)?, known))
    })?;
    rows.collect()
}

impl IndexedFile {
    /// Whether the file is unchanged.
    fn is_unchanged(&self, metadata: &Metadata) -> bool {
        self.inode == metadata.ino() as i64
            && self.size == metadata.len() as i64
            && self.modified == modified(metadata)
    }
}

fn modified(metadata: &Metadata) -> i64 {
    metadata.mtime().wrapping_mul(1_000_000_000).wrapping_add(metadata.mtime_nsec())
}

/// Removes a file and its entries.
fn remove_file(database: &mut Connection, known: Option<&IndexedFile>) -> rusqlite::Result<()> {
    let Some(IndexedFile { id, .. }) = known else { return Ok(()) };
    let change = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    change.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM entries WHERE file = ?1)", [id])?;
    change.execute("DELETE FROM entries WHERE file = ?1", [id])?;
    change.execute("DELETE FROM files WHERE id = ?1", [id])?;
    change.commit()
}

struct Reader<'a> {
    database: &'a mut Connection,
    path: PathBuf,
    below: PathBuf,
    facts: Metadata,
    stop: &'a StopFlag,
}

impl Reader<'_> {
    /// Indexes new lines and returns the number of entries. Files that are not sessions or cannot be read are
    /// skipped.
    fn read(&mut self, before: Option<IndexedFile>) -> Result<usize, SearchError> {
        let Ok(file) = File::open(&self.path) else { return Ok(0) };
        let mut input = BufReader::with_capacity(1 << 16, &file);
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line).is_err() {
            return Ok(0);
        }
        let Some(header) = std::str::from_utf8(&line).ok().and_then(parse_header) else {
            remove_file(self.database, before.as_ref())?;
            return Ok(0);
        };
        let goes_on = before.as_ref().is_some_and(|before| {
            before.inode == self.facts.ino() as i64
                && before.covers <= self.facts.len()
                && tail_checksum(&file, before.covers).ok() == Some(before.tail)
        });
        if !goes_on {
            remove_file(self.database, before.as_ref())?;
        }
        let mut now = match before.filter(|_| goes_on) {
            Some(before) => before,
            None => self.insert_file(&header, line.len() as u64)?,
        };
        now.unnamed = header.version < 2;
        if input.seek(SeekFrom::Start(now.covers)).is_err() {
            return Ok(0);
        }
        let mut taken = 0;
        loop {
            let (more, ended) = self.index_chunk(&file, &mut input, &mut now)?;
            taken += more;
            if ended {
                return Ok(taken);
            }
            if self.stop.load(Ordering::Relaxed) {
                return Err(SearchError::Cancelled);
            }
        }
    }

    /// Inserts a row for a new file.
    fn insert_file(&mut self, header: &Header, covers: u64) -> rusqlite::Result<IndexedFile> {
        self.database.execute(
            "INSERT INTO files (path, inode, modified, size, covers, tail, objects, session, cwd)
             VALUES (?1, ?2, 0, 0, 0, 0, 0, ?3, ?4)",
            params![self.below.as_os_str().as_bytes(), self.facts.ino() as i64, header.id, header.cwd],
        )?;
        Ok(IndexedFile {
            id: self.database.last_insert_rowid(),
            inode: self.facts.ino() as i64,
            modified: 0,
            size: 0,
            covers,
            tail: 0,
            objects: 0,
            name: None,
            first: None,
            unnamed: false,
        })
    }

    /// Indexes and commits some lines; returns the number of searchable ones, and whether the end was
    /// reached.
    fn index_chunk(
        &mut self,
        file: &File,
        input: &mut BufReader<&File>,
        now: &mut IndexedFile,
    ) -> Result<(usize, bool), SearchError> {
        let change = self.database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut taken = 0;
        let mut ended = true;
        {
            let mut rows = Rows::new(&change)?;
            let end = now.covers + PIECE;
            let mut line = Vec::new();
            loop {
                line.clear();
                if input.read_until(b'\n', &mut line).is_err() {
                    break;
                }
                // A line without a line feed may be incomplete.
                let Some(whole) = line.strip_suffix(b"\n") else { break };
                let start = now.covers;
                now.covers += line.len() as u64;
                let Ok(text) = std::str::from_utf8(whole) else { continue };
                taken += usize::from(rows.take(text, start, now)?);
                if now.covers > end {
                    ended = false;
                    break;
                }
            }
        }
        now.tail = tail_checksum(file, now.covers)?;
        // The file counts as known only after its end was reached.
        let (size, modified) = if ended { (self.facts.len() as i64, modified(&self.facts)) } else { (0, 0) };
        change.execute(
            "UPDATE files SET modified = ?2, size = ?3, covers = ?4, tail = ?5, objects = ?6, name = ?7, first = ?8
             WHERE id = ?1",
            params![
                now.id,
                modified,
                size,
                now.covers as i64,
                now.tail,
                now.objects as i64,
                now.name,
                now.first
            ],
        )?;
        change.commit()?;
        Ok((taken, ended))
    }
}

/// Inserts entries into the tables.
struct Rows<'t> {
    entry: Statement<'t>,
    words: Statement<'t>,
    database: &'t Connection,
}

impl<'t> Rows<'t> {
    fn new(database: &'t Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            entry: database.prepare(
                "INSERT INTO entries (file, entry, at, role, start, length) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?,
            words: database.prepare(
                "INSERT INTO words (rowid, said, thought, command, file, place)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?,
            database,
        })
    }

    /// Indexes the line at a byte offset; returns whether it has searchable text.
    fn take(&mut self, line: &str, start: u64, now: &mut IndexedFile) -> rusqlite::Result<bool> {
        now.objects += u64::from(now.unnamed && entry_text::is_object(line));
        let Some(found) = entry_text::parse_line(line) else { return Ok(false) };
        let IndexedEntry { id, target, at_ms, role, message_text, thinking: thought, command, file } = found;
        match role {
            Role::Name => now.name = Some(first_words(&message_text)),
            Role::User if now.first.is_none() && !message_text.is_empty() => {
                now.first = Some(first_words(&message_text));
            }
            _ => {}
        }
        let entry = target.or(id).unwrap_or_else(|| migrate::id_of(now.objects as usize));
        let role = Role::ALL.iter().position(|one| *one == role).unwrap_or_default();
        let position = format!("{} {}", schema::role_word(role), schema::file_word(now.id));
        let (role, start, length) = (role as i64, start as i64, line.len() as i64);
        self.entry.execute(params![now.id, entry, at_ms as i64, role, start, length])?;
        let row = self.database.last_insert_rowid();
        self.words.execute(params![row, message_text, thought, command, file, position])?;
        Ok(true)
    }
}

fn first_words(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(FIRST_MAX).collect()
}
