//! Session files: the only input and output of this module.
//!
//! Must not know what entries say. A file is made with its first lines in one write, grows by
//! whole lines in one write each, and is never rewritten; a torn tail is cut and kept aside.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::entry::{Header, HeaderError, VERSION};
use crate::base::clock;

/// Longest first line that is looked at when sessions are listed, in bytes.
const HEADER_BYTES_MAX: u64 = 1 << 20;

/// Why a session cannot be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The file is something else; it was not touched.
    #[error("{0} is not a session file; it was left as it is")]
    NotASession(PathBuf),
    /// A session of a format that this program does not read.
    #[error("{path} is a session of format {version}; this program reads format {VERSION}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        version: u64,
    },
    /// There is no such entry.
    #[error("the session has no entry {0}")]
    NoSuchEntry(String),
    /// An entry of an unknown kind that is not an object with a `type`.
    #[error("an entry must be a JSON object with a type")]
    BadEntry,
    /// The system refuses.
    #[error("session file {path}: {source}")]
    Io {
        /// On what.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Something wrong in a session file that did not keep it from being opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line number from 1.
    pub line: usize,
    /// What is wrong and what was done about it.
    pub message: String,
}

/// A session file read whole.
#[derive(Debug)]
pub(super) struct Loaded {
    /// `None` for an empty file.
    pub(super) header: Option<Header>,
    /// The lines after the header with their numbers from 1, blank ones left out.
    pub(super) lines: Vec<(usize, String)>,
    pub(super) problems: Vec<Problem>,
    pub(super) store: Store,
}

/// One session file, open for appending.
#[derive(Debug)]
pub(super) struct Store {
    path: PathBuf,
    file: Option<File>,
    /// Whether the file ends in the middle of a line that could not be cut off.
    torn: bool,
}

impl Store {
    /// A file that does not exist yet.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, file: None, torn: false }
    }

    /// Where the file is, or will be.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn error(&self, source: io::Error) -> SessionError {
        SessionError::Io { path: self.path.clone(), source }
    }

    /// Makes the file with its first lines. An existing file is never touched.
    pub(super) fn create(&mut self, lines: &str) -> Result<(), SessionError> {
        let made = self
            .path
            .parent()
            .map_or(Ok(()), |folder| DirBuilder::new().recursive(true).mode(0o700).create(folder));
        made.map_err(|source| self.error(source))?;
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&self.path);
        self.file = Some(file.map_err(|source| self.error(source))?);
        let written = self.append(lines);
        if written.is_ok() {
            sync_folder(&self.path);
        } else {
            // Half a first write is no session yet; without the file the next try can succeed.
            self.file = None;
            if let Err(error) = fs::remove_file(&self.path) {
                tracing::warn!(path = %self.path.display(), %error, "cannot remove a half-written session");
            }
        }
        written
    }

    /// Whether the file that we have open was deleted. Writing on would lose every word.
    pub(super) fn is_gone(&self) -> bool {
        self.file.as_ref().and_then(|file| file.metadata().ok()).is_some_and(|facts| facts.nlink() == 0)
    }

    /// Appends whole lines (with their line feeds) in one write. After a failure the file is
    /// as it was before, or the next append ends the broken line first.
    pub(super) fn append(&mut self, lines: &str) -> Result<(), SessionError> {
        if self.file.is_none() {
            let file = OpenOptions::new().append(true).open(&self.path);
            self.file = Some(file.map_err(|source| self.error(source))?);
        }
        let Some(file) = self.file.as_mut() else { return Ok(()) };
        let text = if self.torn { format!("\n{lines}") } else { lines.to_string() };
        let before = file.metadata().map(|found| found.len());
        match write_counted(file, text.as_bytes()) {
            (_, Ok(())) => {
                self.torn = false;
                Ok(())
            }
            (written, Err(source)) => {
                self.torn |= written > 0 && !cut_back(file, before.ok(), written);
                Err(self.error(source))
            }
        }
    }

    /// Waits until everything written is on the disk.
    pub(super) fn sync(&self) -> Result<(), SessionError> {
        self.file.as_ref().map_or(Ok(()), File::sync_data).map_err(|source| self.error(source))
    }
}

/// Puts the new name itself on the disk. Some file systems cannot; then the name comes there
/// with the system's next write.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent()
        && let Err(error) = File::open(folder).and_then(|folder| folder.sync_all())
    {
        tracing::debug!(path = %folder.display(), %error, "cannot sync a folder");
    }
}

/// Writes everything and says how much of it was written, even on an error.
fn write_counted(file: &mut File, mut bytes: &[u8]) -> (u64, io::Result<()>) {
    let mut written = 0;
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
            Ok(n) => {
                written += n as u64;
                bytes = &bytes[n..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (written, Err(error)),
        }
    }
    (written, Ok(()))
}

/// Takes back a broken write, unless somebody else has appended since.
fn cut_back(file: &File, before: Option<u64>, written: u64) -> bool {
    let now = file.metadata().map(|found| found.len()).ok();
    before.is_some_and(|before| now == Some(before + written) && file.set_len(before).is_ok())
}

/// Reads a session file and repairs its tail.
pub(super) fn load(path: &Path) -> Result<Loaded, SessionError> {
    let error = |source| SessionError::Io { path: path.to_path_buf(), source };
    let bytes = fs::read(path).map_err(error)?;
    let mut loaded = Loaded {
        header: None,
        lines: Vec::new(),
        problems: Vec::new(),
        store: Store::new(path.to_path_buf()),
    };
    if bytes.is_empty() {
        return Ok(loaded);
    }
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(start, |at| (at + 1).max(start));
    let mut number = 0;
    for line in bytes[start..complete].split_inclusive(|byte| *byte == b'\n') {
        number += 1;
        add_line(path, &mut loaded, number, &line[..line.len() - 1])?;
    }
    if complete < bytes.len() {
        finish_tail(path, &mut loaded, number + 1, &bytes, complete)?;
    }
    Ok(loaded)
}

/// Adds one complete line: the first is the header, later ones that are not text are reported.
fn add_line(path: &Path, loaded: &mut Loaded, number: usize, line: &[u8]) -> Result<(), SessionError> {
    let Ok(text) = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)) else {
        if loaded.header.is_none() {
            return Err(SessionError::NotASession(path.to_path_buf()));
        }
        loaded.problems.push(Problem { line: number, message: "not UTF-8; skipped".to_string() });
        return Ok(());
    };
    if loaded.header.is_none() {
        loaded.header = Some(Header::parse(text).map_err(|error| refusal(path, error))?);
    } else if !text.trim().is_empty() {
        loaded.lines.push((number, text.to_string()));
    }
    Ok(())
}

fn refusal(path: &Path, error: HeaderError) -> SessionError {
    match error {
        HeaderError::NotASession => SessionError::NotASession(path.to_path_buf()),
        HeaderError::Version(version) => SessionError::Version { path: path.to_path_buf(), version },
    }
}

/// Deals with a last line without a line feed: a whole one only lacks that, a torn one is cut
/// off and kept in a `.torn` file.
fn finish_tail(
    path: &Path,
    loaded: &mut Loaded,
    number: usize,
    bytes: &[u8],
    complete: usize,
) -> Result<(), SessionError> {
    let tail = &bytes[complete..];
    let whole = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(tail).is_ok();
    if whole || loaded.header.is_none() {
        add_line(path, loaded, number, tail)?;
        // The line feed is written together with the next append.
        loaded.store.torn = true;
        return Ok(());
    }
    let message = match cut_tail(path, bytes, complete) {
        Ok(aside) => format!("torn last line cut off; kept in {}", aside.display()),
        Err(error) => {
            loaded.store.torn = true;
            format!("torn last line skipped; it cannot be cut off: {error}")
        }
    };
    loaded.problems.push(Problem { line: number, message });
    Ok(())
}

/// Copies the tail into the `.torn` file, then cuts it off, unless the file has grown since.
fn cut_tail(path: &Path, bytes: &[u8], complete: usize) -> io::Result<PathBuf> {
    let file = OpenOptions::new().write(true).open(path)?;
    if file.metadata()?.len() != bytes.len() as u64 {
        return Err(io::Error::other("somebody is writing the file"));
    }
    let aside = path.with_extension("jsonl.torn");
    let mut kept = OpenOptions::new().append(true).create(true).mode(0o600).open(&aside)?;
    kept.write_all(&bytes[complete..])?;
    kept.write_all(b"\n")?;
    kept.sync_data()?;
    file.set_len(complete as u64)?;
    file.sync_data()?;
    Ok(aside)
}

/// The folder of a working folder's sessions.
pub fn folder(root: &Path, cwd: &Path) -> PathBuf {
    let text = cwd.to_string_lossy();
    let name: String = text
        .strip_prefix('/')
        .unwrap_or(&text)
        .chars()
        .map(|c| if matches!(c, '/' | '\\' | ':') { '-' } else { c })
        .collect();
    root.join(format!("--{name}--"))
}

/// Where a new session's file goes.
pub(super) fn file_path(root: &Path, cwd: &Path, id: &str, now_ms: u64) -> PathBuf {
    let stamp = clock::iso8601(now_ms).replace([':', '.'], "-");
    folder(root, cwd).join(format!("{stamp}_{id}.jsonl"))
}

/// The session of a working folder that was changed last. Reads first lines only; files that
/// cannot be read are passed over.
pub fn latest(root: &Path, cwd: &Path) -> Option<PathBuf> {
    let cwd_text = cwd.to_string_lossy();
    let mut found: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder(root, cwd))
        .ok()?
        .filter_map(|item| {
            let path = item.ok()?.path();
            let changed = fs::metadata(&path).and_then(|facts| facts.modified()).ok()?;
            path.extension().is_some_and(|end| end == "jsonl").then_some((changed, path))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().rev().map(|(_, path)| path).find(|path| {
        // Different folders can share a name, since separators become dashes.
        read_header(path).is_some_and(|header| header.cwd == cwd_text)
    })
}

/// The header of a file, if it is a session of our format.
pub fn read_header(path: &Path) -> Option<Header> {
    let mut line = String::new();
    let mut file = BufReader::new(File::open(path).ok()?.take(HEADER_BYTES_MAX));
    file.read_line(&mut line).ok()?;
    let line = line.trim_end_matches(['\n', '\r']);
    Header::parse(line.strip_prefix('\u{feff}').unwrap_or(line)).ok()
}
