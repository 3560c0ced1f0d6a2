//! Takes session files of other programs over. Must not know what their lines say.
//!
//! A session keeps the id that it has there, and its entries have ids that follow from their lines: so taking it
//! over again adds what is new and nothing twice. The file that was read is not touched.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::listing;
use crate::base::clock::SharedClock;
use crate::base::ids::SharedIds;
use crate::session::conversation::Session;
use crate::session::format::error::{Problem, SessionError};
use crate::session::import::parts::{Line, object};
use crate::session::import::{ImportedSession, Source, claude, codex};

/// Longest file that is read, in bytes.
const FILE_MAX: u64 = 2 << 30;

/// What was taken over.
#[derive(Debug)]
pub struct Imported {
    /// Whose it was.
    pub source: Source,
    /// Our session's file.
    pub path: PathBuf,
    /// Its id.
    pub id: String,
    /// Entries that are new.
    pub added: usize,
    /// Entries that were there before.
    pub before: usize,
    /// What could not be read, by lines.
    pub problems: Vec<Problem>,
}

/// Takes one file over below `root`. Whose it is is found out where nobody says it. Fails with
/// [`SessionError::NotASession`] for anything else, and with [`SessionError::Busy`] while our copy is open.
pub fn import(
    root: &Path,
    file: &Path,
    source: Option<Source>,
    clock: &SharedClock,
    ids: &SharedIds,
) -> Result<Imported, SessionError> {
    let error = |source| SessionError::Io { path: file.to_path_buf(), source };
    let refuse = || SessionError::NotASession(file.to_path_buf());
    let facts = fs::metadata(file).map_err(error)?;
    if !facts.is_file() || facts.len() > FILE_MAX {
        return Err(refuse());
    }
    let mut failed = Ok(());
    let source = source.or_else(|| Source::of(lines(file, &mut failed)));
    std::mem::replace(&mut failed, Ok(())).map_err(error)?;
    let source = source.ok_or_else(refuse)?;
    let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let story = match source {
        Source::Pi => ours(file, clock, ids)?,
        Source::Claude => claude::read(lines(file, &mut failed), &name),
        Source::Codex => codex::read(lines(file, &mut failed), &name),
    };
    failed.map_err(error)?;
    if story.entries.is_empty() || !is_name(&story.id) {
        return Err(refuse());
    }
    let ImportedSession { id, began, cwd, parent, entries, problems } = story;
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
            let added = session.adopt(entries)?;
            (path, added, before)
        }
        None => {
            let added = entries.len();
            let session = Session::founded(
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
    Ok(Imported { source, path, id, added, before, problems })
}

/// The lines of a file, one at a time, until one cannot be read; why is in `failed` then. What is not UTF-8
/// spoils its own line at most.
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
            if let Some(line) = object(at - 1, &String::from_utf8_lossy(&bytes)) {
                return Some(line);
            }
        }
    })
}

/// A session in pi's format, entries byte for byte as they are.
fn ours(file: &Path, clock: &SharedClock, ids: &SharedIds) -> Result<ImportedSession, SessionError> {
    let session = Session::look_at(file, clock.clone(), ids.clone())?;
    let lines = session.entries().map(|entry| entry.behind(entry.parent_id()));
    let entries: std::io::Result<Vec<_>> = lines.collect();
    let entries = entries.map_err(|source| SessionError::Io { path: file.to_path_buf(), source })?;
    let header = session.header();
    Ok(ImportedSession {
        id: header.id.clone(),
        began: header.timestamp.clone(),
        cwd: header.cwd.clone(),
        parent: header.parent_session.clone(),
        entries,
        problems: session.problems().to_vec(),
    })
}

/// Whether an id can be a part of a file's name.
fn is_name(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !id.is_empty() && id.len() <= 128 && id.chars().all(plain) && !id.starts_with('.')
}

#[cfg(test)]
mod tests;
