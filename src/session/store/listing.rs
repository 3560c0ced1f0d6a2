//! Lists the session files with a summary of each.
//!
//! Must not know who asks. Summaries are cached in a file below the root, so that the next listing reads only
//! new lines; that file can be deleted at any time.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::folder;
use super::load::HEADER_BYTES_MAX;
use crate::session::format::header::Header;
use crate::session::usage::summary::Summary;

/// File name of the cache, below the root of all sessions.
const CACHE_NAME: &str = ".listing";
/// Version of the cache's format.
const VERSION: u32 = 3;
/// Bytes before the end of the known part that must be unchanged.
const TAIL: u64 = 256;
/// Maximum folder depth in the search for sessions of other programs.
const DEPTH_MAX: usize = 8;
/// Number of files that are read at the same time: disks answer several requests as fast as one.
const READERS: usize = 4;

/// One session file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// Its path.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// Its summary.
    pub summary: Summary,
}

/// Cached data of a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CachedFile {
    /// The path below the root.
    path: PathBuf,
    inode: u64,
    /// Bytes that the summary covers: whole lines.
    covers: u64,
    /// A checksum over the bytes before that end.
    tail: u32,
    summary: Summary,
}

#[derive(Deserialize)]
struct ListingCache {
    version: u32,
    files: Vec<CachedFile>,
}

/// The cache for serialization.
#[derive(Serialize)]
struct ListingCacheRef<'a> {
    version: u32,
    files: Vec<&'a CachedFile>,
}

/// Returns all sessions below a root, most recently active first. Files that are not sessions or cannot be
/// read are skipped.
pub fn list(root: &Path) -> Vec<StoredSession> {
    let mut known: HashMap<OsString, CachedFile> =
        read_cache(root).into_iter().map(|known| (known.path.clone().into_os_string(), known)).collect();
    let (files, before) = (files_below(root), known.len());
    // The cached data moves to the readers and back: ten thousand copies would be slow.
    let due: Vec<FileToCheck> = files
        .into_iter()
        .filter_map(|path| {
            let below = path.strip_prefix(root).ok()?.to_path_buf();
            let known = known.remove(below.as_os_str());
            Some(FileToCheck { path, below, known })
        })
        .collect();
    let mut found = Vec::with_capacity(due.len());
    let readers = READERS.min(due.len());
    let next = Mutex::new(due.into_iter());
    let look_on = || {
        let due = || next.lock().next();
        std::iter::from_fn(due).filter_map(check_file).collect::<Vec<CheckedFile>>()
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..readers).map(|_| scope.spawn(look_on)).collect();
        found.extend(look_on());
        // A reader that panics loses its results; the next listing makes up for it.
        found.extend(others.into_iter().filter_map(|other| other.join().ok()).flatten());
    });
    found.sort_unstable_by(|a, b| {
        let (a_known, b_known) = (&a.known, &b.known);
        let by_time = b_known.summary.active_ms.cmp(&a_known.summary.active_ms);
        by_time.then_with(|| a.path.as_os_str().cmp(b.path.as_os_str()))
    });
    if found.iter().any(|seen| seen.is_new) || found.len() != before {
        let files = found.iter().map(|seen| &seen.known).collect();
        if let Err(error) = write_cache(root, &ListingCacheRef { version: VERSION, files }) {
            tracing::debug!(root = %root.display(), %error, "cannot remember the list of sessions");
        }
    }
    let listed = |CheckedFile { path, size, known, .. }| StoredSession { path, size, summary: known.summary };
    found.into_iter().map(listed).collect()
}

/// A file to check, with its cached data.
struct FileToCheck {
    path: PathBuf,
    below: PathBuf,
    known: Option<CachedFile>,
}

/// A file that was checked.
struct CheckedFile {
    path: PathBuf,
    size: u64,
    known: CachedFile,
    /// Whether it has new data.
    is_new: bool,
}

fn read_cache(root: &Path) -> Vec<CachedFile> {
    let Ok(bytes) = fs::read(root.join(CACHE_NAME)) else { return Vec::new() };
    let Some((bytes, sum)) = bytes.split_last_chunk::<4>() else { return Vec::new() };
    if crc32fast::hash(bytes).to_le_bytes() != *sum {
        return Vec::new();
    }
    let read: Option<ListingCache> = postcard::from_bytes(bytes).ok();
    read.filter(|read| read.version == VERSION).map_or_else(Vec::new, |read| read.files)
}

fn write_cache(root: &Path, all: &ListingCacheRef<'_>) -> io::Result<()> {
    let mut bytes = postcard::to_allocvec(all).map_err(io::Error::other)?;
    let sum = crc32fast::hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    // Concurrent processes each write their own file; the last one wins.
    let mut new = tempfile::NamedTempFile::new_in(root)?;
    new.write_all(&bytes)?;
    new.persist(root.join(CACHE_NAME)).map(drop).map_err(io::Error::from)
}

/// Returns the session files in the folders of a root.
pub(super) fn files_below(root: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        let read = fs::read_dir(folder).map(|items| items.flatten().map(|item| item.path()).collect());
        read.unwrap_or_else(|_| Vec::new())
    };
    let is_session = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl");
    let folders =
        entries(root).into_iter().filter(|path| !is_session(path)).flat_map(|folder| entries(&folder));
    let mut files: Vec<PathBuf> = folders.filter(is_session).collect();
    // As bytes: comparing paths component by component is slower than the stat calls.
    files.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    files
}

/// Returns the file itself, or all possible session files in a folder, recursively, sorted.
pub fn jsonl_below(root: &Path) -> Vec<PathBuf> {
    if root.is_file() {
        return vec![root.to_path_buf()];
    }
    let (mut found, mut folders, mut depth) = (Vec::new(), vec![root.to_path_buf()], 0);
    while !folders.is_empty() && depth < DEPTH_MAX {
        let items = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        let mut next = Vec::new();
        for item in items {
            let path = item.path();
            // A link may form a loop.
            match item.file_type() {
                Ok(kind) if kind.is_dir() => next.push(path),
                Ok(_) if path.extension().is_some_and(|end| end == "jsonl") => found.push(path),
                _ => {}
            }
        }
        (folders, depth) = (next, depth + 1);
    }
    found.sort_unstable();
    found
}

/// Reads the present state of a file. A file with the cached length is not opened.
fn check_file(FileToCheck { path, below, known }: FileToCheck) -> Option<CheckedFile> {
    let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
    let size = metadata.len();
    let known = known.filter(|known| known.inode == metadata.ino() && known.covers <= size);
    let known = match known {
        Some(known) if known.covers == size => return Some(CheckedFile { path, size, known, is_new: false }),
        known => read_new_lines(&path, below, known, metadata.ino())?,
    };
    Some(CheckedFile { path, size, known, is_new: true })
}

/// Reads the new lines of a file, or all of them.
fn read_new_lines(path: &Path, below: PathBuf, known: Option<CachedFile>, inode: u64) -> Option<CachedFile> {
    let file = File::open(path).ok()?;
    let known = known.filter(|known| tail_checksum(&file, known.covers).ok() == Some(known.tail));
    let mut input = BufReader::with_capacity(1 << 16, &file);
    let mut now = if let Some(known) = known {
        input.seek(SeekFrom::Start(known.covers)).ok()?;
        known
    } else {
        let mut line = String::new();
        input.by_ref().take(HEADER_BYTES_MAX).read_line(&mut line).ok()?;
        let summary = Summary::new(&parse_header(&line)?);
        let covers = line.len() as u64;
        CachedFile { path: below, inode, covers, tail: 0, summary }
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        input.read_until(b'\n', &mut line).ok()?;
        // A line without a line feed may be incomplete.
        let Some(whole) = line.strip_suffix(b"\n") else { break };
        now.covers += line.len() as u64;
        if let Ok(text) = std::str::from_utf8(whole) {
            now.summary.add_line(text);
        }
    }
    now.tail = tail_checksum(&file, now.covers).ok()?;
    Some(now)
}

/// Returns a checksum over the last bytes before `end`.
pub(super) fn tail_checksum(file: &File, end: u64) -> io::Result<u32> {
    let mut bytes = vec![0; usize::try_from(end.min(TAIL)).unwrap_or(0)];
    let from = end - bytes.len() as u64;
    file.read_exact_at(&mut bytes, from)?;
    Ok(crc32fast::hash(&bytes))
}

/// Returns the most recently changed session of a working folder. Unreadable files are skipped.
pub fn latest(root: &Path, cwd: &Path) -> Option<PathBuf> {
    let cwd_text = cwd.to_string_lossy();
    let mut found: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder(root, cwd))
        .ok()?
        .filter_map(|item| {
            let path = item.ok()?.path();
            let changed = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok()?;
            path.extension().is_some_and(|end| end == "jsonl").then_some((changed, path))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().rev().map(|(_, path)| path).find(|path| {
        // Different folders can map to the same name, since separators become dashes.
        read_header(path).is_some_and(|header| header.cwd == cwd_text)
    })
}

/// Returns the files below a root whose session has this id, or an id that begins or ends with it; if there
/// are exact matches, only those. Reads only file names: an id is the last part of the name.
pub fn find(root: &Path, id: &str) -> Vec<PathBuf> {
    let id_of = |path: &PathBuf| {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        stem.split_once('_').map_or(stem.clone(), |(_, id)| id.to_string())
    };
    let fits = |whole: &str| !id.is_empty() && (whole.starts_with(id) || whole.ends_with(id));
    let mut found: Vec<PathBuf> = files_below(root).into_iter().filter(|path| fits(&id_of(path))).collect();
    if found.iter().any(|path| id_of(path) == id) {
        found.retain(|path| id_of(path) == id);
    }
    found
}

/// Whether two paths refer to the same file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
    one == other || identity(one).is_some_and(|one| identity(other) == Some(one))
}

/// Returns the header of a file, if it is a readable session.
pub fn read_header(path: &Path) -> Option<Header> {
    // Opening a pipe would block until a process writes to it.
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let mut line = String::new();
    let mut file = BufReader::new(is_file.then(|| File::open(path).ok())??.take(HEADER_BYTES_MAX));
    file.read_line(&mut line).ok()?;
    parse_header(&line)
}

pub(super) fn parse_header(line: &str) -> Option<Header> {
    let line = line.trim_end_matches(['\n', '\r']);
    Header::parse(line.strip_prefix('\u{feff}').unwrap_or(line)).ok()
}

#[cfg(test)]
mod tests;
