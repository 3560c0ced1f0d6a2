//! Session files: this module and its submodules do all I/O of `session`.
//!
//! Must not know the content of entries. A file is created with its first lines in one write, grows by whole
//! lines in one write each, and is rewritten only once: when a file of an earlier format is appended to. The
//! old file is then kept beside it.

mod chunks;
pub mod hidden_branches;
pub mod import;
pub mod index;
pub mod inspection;
pub mod listing;
pub mod load;
pub mod lock;
pub mod prompts;
pub mod search;
pub mod trash;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::format::entry::LineSource;
use super::format::error::SessionError;
use crate::base::clock;

/// Pieces up to this many bytes are read without checking the file size first.
const UNCHECKED_READ_MAX: usize = 1 << 20;

/// An open session file, whose lines can be read again.
#[derive(Debug, Clone)]
pub(super) struct SessionFile(Arc<File>);

impl LineSource for SessionFile {
    fn read(&self, from: u64, length: u32) -> io::Result<String> {
        // An index may hold wrong lengths, and the buffer is as large as the requested piece.
        if length as usize > UNCHECKED_READ_MAX
            && from.saturating_add(u64::from(length)) > self.0.metadata()?.len()
        {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file is shorter than its line"));
        }
        let mut bytes = vec![0; length as usize];
        self.0.read_exact_at(&mut bytes, from)?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }
}

impl SessionFile {
    /// Returns it as a source of lines for entries.
    pub(super) fn lines(&self) -> Arc<dyn LineSource> {
        Arc::new(self.clone())
    }
}

/// A session file open for appending, locked against other bowline processes.
#[derive(Debug)]
pub(super) struct Store {
    path: PathBuf,
    file: Option<SessionFile>,
    /// Whether the file ends within a line that could not be cut off.
    ends_torn: bool,
}

impl Drop for Store {
    /// Unlocks explicitly. Closing alone may unlock later: a child process that is being started holds every
    /// open file for a moment.
    fn drop(&mut self) {
        if let Some(file) = &self.file
            && let Err(error) = file.0.unlock()
        {
            tracing::debug!(path = %self.path.display(), %error, "cannot unlock a session file");
        }
    }
}

impl Store {
    /// Returns a store for a file that does not exist yet.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, file: None, ends_torn: false }
    }

    /// Returns a store for an open file.
    #[cfg(test)]
    pub(super) fn from_file(path: PathBuf, file: File) -> Self {
        Self { path, file: Some(SessionFile(Arc::new(file))), ends_torn: false }
    }

    /// Returns the path of the file, which may not exist yet.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn error(&self, source: io::Error) -> SessionError {
        SessionError::Io { path: self.path.clone(), source }
    }

    /// Creates the file with its first lines and returns a reader for it. An existing file is never modified.
    pub(super) fn create(&mut self, lines: &str) -> Result<SessionFile, SessionError> {
        self.make_folder()?;
        let file = OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(&self.path);
        let file = file.map_err(|source| self.error(source))?;
        lock::lock_file(&file, &self.path)?;
        let file = SessionFile(Arc::new(file));
        self.file = Some(file.clone());
        let written = self.append(lines);
        if let Err(error) = written {
            // A partial first write is not a session; without the file the next attempt can succeed.
            self.file = None;
            if let Err(error) = fs::remove_file(&self.path) {
                tracing::warn!(path = %self.path.display(), %error, "cannot remove a half-written session");
            }
            return Err(error);
        }
        sync_folder(&self.path);
        Ok(file)
    }

    fn make_folder(&self) -> Result<(), SessionError> {
        let Some(folder) = self.path.parent() else { return Ok(()) };
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|source| self.error(source))
    }

    /// Replaces a file of an earlier format with one of the current format; the old file is kept under a
    /// separate name: `….jsonl.v1`.
    pub(super) fn upgrade(&mut self, lines: &str, from: u64) -> Result<SessionFile, SessionError> {
        let kept = self.path.with_extension(format!("jsonl.v{from}"));
        let replaced = self.replace(lines, &kept);
        let file = replaced.map_err(|source| self.error(source))?;
        lock::lock_file(&file, &self.path)?;
        let file = SessionFile(Arc::new(file));
        (self.file, self.ends_torn) = (Some(file.clone()), false);
        sync_folder(&self.path);
        Ok(file)
    }

    fn replace(&self, lines: &str, kept: &Path) -> io::Result<File> {
        match fs::hard_link(&self.path, kept) {
            Ok(()) => {}
            // Left by an attempt that failed after this point: the same bytes.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        let new = self.path.with_extension("jsonl.new");
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(lines.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.path)?;
        OpenOptions::new().read(true).append(true).open(&self.path)
    }

    /// Whether the open file was deleted. Further writes would be lost.
    pub(super) fn is_deleted(&self) -> bool {
        let file = self.file.as_ref();
        file.and_then(|file| file.0.metadata().ok()).is_some_and(|metadata| metadata.nlink() == 0)
    }

    /// Appends whole lines (with their line feeds) in one write, and returns the byte offset of the first;
    /// `None` if another process wrote at the same time. After a failure the file is unchanged, or the next
    /// append ends the broken line first.
    pub(super) fn append(&mut self, lines: &str) -> Result<Option<u64>, SessionError> {
        let file = self.open()?;
        let text = if self.ends_torn { format!("\n{lines}") } else { lines.to_string() };
        let before = file.0.metadata().map(|found| found.len()).ok();
        match write_counted(&file.0, text.as_bytes()) {
            (_, Ok(())) => {
                self.ends_torn = false;
                let now = file.0.metadata().map(|found| found.len()).ok();
                let alone = now.zip(before).is_some_and(|(now, before)| now == before + text.len() as u64);
                Ok(before.filter(|_| alone).map(|before| before + (text.len() - lines.len()) as u64))
            }
            (written, Err(source)) => {
                self.ends_torn |= written > 0 && !undo_write(&file.0, before, written);
                Err(self.error(source))
            }
        }
    }

    /// Returns the open file. A file that could only be opened for reading is tried again.
    pub(super) fn open(&mut self) -> Result<SessionFile, SessionError> {
        if let Some(file) = &self.file {
            return Ok(file.clone());
        }
        let file = OpenOptions::new().read(true).append(true).open(&self.path);
        let file = file.map_err(|source| self.error(source))?;
        lock::lock_file(&file, &self.path)?;
        Ok(self.file.insert(SessionFile(Arc::new(file))).clone())
    }

    /// Waits until all written data is flushed to disk.
    pub(super) fn sync(&self) -> Result<(), SessionError> {
        let file = self.file.as_ref();
        file.map_or(Ok(()), |file| file.0.sync_data()).map_err(|source| self.error(source))
    }
}

/// Syncs the folder, so that the new name is on disk. Some file systems do not support it; then the name is
/// written with the system's next flush.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent()
        && let Err(error) = File::open(folder).and_then(|folder| folder.sync_all())
    {
        tracing::debug!(path = %folder.display(), %error, "cannot sync a folder");
    }
}

/// Writes everything and returns how much was written, even on an error.
fn write_counted(mut file: &File, mut bytes: &[u8]) -> (u64, io::Result<()>) {
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

/// Truncates a broken write, unless another process has appended since.
fn undo_write(file: &File, before: Option<u64>, written: u64) -> bool {
    let now = file.metadata().map(|found| found.len()).ok();
    before.is_some_and(|before| now == Some(before + written) && file.set_len(before).is_ok())
}

/// Returns the folder for sessions of a working folder.
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

/// Returns the path of a new session's file.
pub(super) fn file_path(root: &Path, cwd: &Path, id: &str, now_ms: u64) -> PathBuf {
    let stamp = clock::iso8601(now_ms).replace([':', '.'], "-");
    folder(root, cwd).join(format!("{stamp}_{id}.jsonl"))
}
