//! Imports session files of other programs. Must not know the content of their lines.
//!
//! A session keeps its original id, and the ids of its entries are derived from their lines: importing it
//! again adds only what is new. The source file is not modified.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::listing;
use crate::base::clock::SharedClock;
use crate::base::ids::SharedIds;
use crate::session::conversation::Session;
use crate::session::format::error::{Problem, SessionError};
use crate::session::import::parts::{Line, parse_line};
use crate::session::import::{ImportedSession, Source, claude, codex};

/// Maximum size of a file, in bytes.
const FILE_MAX: u64 = 2 << 30;

/// The result of an import.
#[derive(Debug)]
pub struct ImportResult {
    /// The source program.
    pub source: Source,
    /// The new session's file.
    pub path: PathBuf,
    /// Its id.
    pub id: String,
    /// Number of new entries.
    pub added: usize,
    /// Number of entries that were already imported.
    pub existing: usize,
    /// Lines that could not be read.
    pub problems: Vec<Problem>,
}

/// Imports one file below `root`. The source program is detected unless given. Fails with
/// [`SessionError::NotASession`] for other files, and with [`SessionError::Busy`] while the imported session
/// is open.
pub fn import(
    root: &Path,
    file: &Path,
    source: Option<Source>,
    clock: &SharedClock,
    ids: &SharedIds,
) -> Result<ImportResult, SessionError> {
    let error = |source| SessionError::Io { path: file.to_path_buf(), source };
    let refuse = || SessionError::NotASession(file.to_path_buf());
    let metadata = fs::metadata(file).map_err(error)?;
    if !metadata.is_file() || metadata.len() > FILE_MAX {
        return Err(refuse());
    }
    let mut failed = Ok(());
    let source = source.or_else(|| Source::of(lines(file, &mut failed)));
    std::mem::replace(&mut failed, Ok(())).map_err(error)?;
    let source = source.ok_or_else(refuse)?;
    let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let story = match source {
        Source::Pi => read_pi(file, clock, ids)?,
        Source::Claude => claude::read(lines(file, &mut failed), &name),
        Source::Codex => codex::read(lines(file, &mut failed), &name),
    };
    failed.map_err(error)?;
    if story.entries.is_empty() || !is_file_name_part(&story.id) {
        return Err(refuse());
    }
    let ImportedSession { id, started_at: began, cwd, parent, entries, problems } = story;
    let is_it = |path: &PathBuf| listing::read_header(path).is_some_and(|header| header.id == id);
    let known = listing::find(root, &id).into_iter().find(is_it);
    let (path, added, before) = match known {
        Some(path) if path.canonicalize().ok() == file.canonicalize().ok() => {
            let before = entries.len();
            (path, 0, before)
        }
        Some(path) => {
            let mut session = Session::open(&path, clock.clone(), ids.clone())?;
            let before = session.entries().len();
            let added = session.add_missing(entries)?;
            (path, added, before)
        }
        None => {
            let added = entries.len();
            let session = Session::create_with_entries(
                root,
                (&id, &began, &cwd),
                parent.as_deref(),
                entries,
                clock.clone(),
                ids.clone(),
            )?;
            (session.file().unwrap_or(root).to_path_buf(), added, 0)
        }
    };
    Ok(ImportResult { source, path, id, added, existing: before, problems })
}

/// Returns the lines of a file one at a time, until one cannot be read; the error is then in `failed`.
/// Invalid UTF-8 affects only its own line.
fn lines(file: &Path, failed: &mut io::Result<()>) -> impl Iterator<Item = Line> {
    let mut reader = File::open(file).map(BufReader::new).map_err(|error| *failed = Err(error)).ok();
    let mut at = 0;
    let mut bytes = Vec::new();
    std::iter::from_fn(move || {
        loop {
            bytes.clear();
            match reader.as_mut()?.read_until(b'\n', &mut bytes) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => {
                    *failed = Err(error);
                    reader = None;
                    return None;
                }
            }
            at += 1;
            if let Some(line) = parse_line(at - 1, &String::from_utf8_lossy(&bytes)) {
                return Some(line);
            }
        }
    })
}

/// Reads a session in pi's format; entries are preserved byte for byte.
fn read_pi(file: &Path, clock: &SharedClock, ids: &SharedIds) -> Result<ImportedSession, SessionError> {
    let session = Session::open_read_only(file, clock.clone(), ids.clone())?;
    let lines = session.entries().map(|entry| entry.with_parent(entry.parent_id()));
    let entries: std::io::Result<Vec<_>> = lines.collect();
    let entries = entries.map_err(|source| SessionError::Io { path: file.to_path_buf(), source })?;
    let header = session.header();
    Ok(ImportedSession {
        id: header.id.clone(),
        started_at: header.timestamp.clone(),
        cwd: header.cwd.clone(),
        parent: header.parent_session.clone(),
        entries,
        problems: session.problems().to_vec(),
    })
}

/// Whether an id can be part of a file name.
fn is_file_name_part(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !id.is_empty() && id.len() <= 128 && id.chars().all(plain) && !id.starts_with('.')
}

#[cfg(test)]
mod tests;
