//! The port through which everything above reaches files and commands.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::terminal::{Terminal, TerminalSpec};

/// Identifies the state of a file at one moment, so that a write can be refused when somebody
/// else has changed the file since. Opaque; equal stamps mean equal content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp(pub String);

impl Stamp {
    /// The stamp of a content. Length and a 64-bit hash with fixed keys: it finds accidents,
    /// and nobody gains anything by forging one.
    pub fn of(bytes: &[u8]) -> Self {
        let mut stamping = Stamping::default();
        stamping.feed(bytes);
        stamping.stamp()
    }

    /// The stamp of a file that does not exist: a write with it only ever makes a new file.
    pub fn missing() -> Self {
        Self("missing".to_string())
    }
}

/// The stamp of a content that comes in pieces.
#[derive(Debug, Default)]
pub struct Stamping {
    hasher: DefaultHasher,
    length: u64,
}

impl Stamping {
    /// Takes in the next piece, of any length.
    pub fn feed(&mut self, piece: &[u8]) {
        self.hasher.write(piece);
        self.length += piece.len() as u64;
    }

    /// The stamp of all of them.
    pub fn stamp(&self) -> Stamp {
        Stamp(format!("{:x}-{:016x}", self.length, self.hasher.finish()))
    }
}

/// Takes a file in, piece by piece; `false` ends the reading. Called on a thread that may block.
pub type PieceSink = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// A file's bytes and the state in which they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileData {
    /// The content.
    pub bytes: Vec<u8>,
    /// For a later [`Environment::write`].
    pub stamp: Stamp,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A socket, pipe or device.
    Other,
}

/// The facts about a path, symbolic links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// What it is.
    pub kind: FileKind,
    /// In bytes.
    pub size: u64,
    /// Another one after every write that the system's dates show; `None` while the last write
    /// is so fresh that a further one could have the same date.
    pub version: Option<u64>,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    /// Its name, lossy where it is no UTF-8.
    pub name: String,
    /// What it is, links followed.
    pub kind: FileKind,
}

/// Why a place could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    /// Nothing there.
    #[error("{0}: no such file or folder")]
    NotFound(PathBuf),
    /// A folder where a file was expected.
    #[error("{0}: is a folder")]
    IsFolder(PathBuf),
    /// The system refuses.
    #[error("{0}: permission denied")]
    Denied(PathBuf),
    /// The file is not in the state of the stamp that the write was based on.
    #[error("{0}: changed since it was read")]
    Stale(PathBuf),
    /// The working folder of a command is not there.
    #[error("working folder {0} does not exist")]
    NoWorkingFolder(PathBuf),
    /// Anything else.
    #[error("{path}: {source}")]
    Io {
        /// On what.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The work was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl EnvError {
    /// A content that cannot be turned into a file's bytes.
    pub fn unfit(path: &Path, why: impl std::error::Error + Send + Sync + 'static) -> Self {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidData, why);
        Self::Io { path: path.to_path_buf(), source }
    }
}

/// A command to run.
#[derive(Debug, Clone)]
pub struct CommandSpec {
    /// Text for the shell (`bash -c`).
    pub script: String,
    /// Working folder.
    pub cwd: PathBuf,
    /// No limit when `None`.
    pub timeout: Option<Duration>,
    /// Set in addition to the filtered environment of the place.
    pub env: BTreeMap<String, String>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code (128 + signal number when a signal ended it).
    Code(i32),
    /// Our time-out killed it.
    TimedOut,
    /// The cancellation killed it.
    Cancelled,
}

/// Receives a command's output in order, both streams merged, in pieces of any size. Called
/// from the task that runs the command; must not block.
pub type OutputSink = Box<dyn FnMut(&[u8]) + Send>;

/// Files and commands of one place.
pub trait Environment: Send + Sync + fmt::Debug {
    /// The workspace: relative paths are below it, commands start in it.
    fn root(&self) -> &Path;

    /// The home folder of whoever works here, for `~`.
    fn home(&self) -> Option<&Path> {
        None
    }

    /// The path with every symbolic link followed, as far as it exists; what does not exist
    /// yet is joined by its text. Policies judge by it, so a link cannot lead out unseen.
    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>>;

    /// What stands at an absolute path.
    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>>;

    /// What a folder holds, in no certain order.
    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>>;

    /// Reads a whole file.
    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>>;

    /// Reads a file in pieces, the first of which is short and yet at least 8 KB, unless the file
    /// is shorter. [`EnvError::Cancelled`] when the sink had enough.
    fn read_pieces<'a>(
        &'a self,
        path: &'a Path,
        mut sink: PieceSink,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        Box::pin(async move {
            let data = self.read(path).await?;
            if sink(&data.bytes) { Ok(data.stamp) } else { Err(EnvError::Cancelled) }
        })
    }

    /// Replaces a file, atomically unless it has several names, making it and its folders when
    /// missing. With `expected` the write fails as [`EnvError::Stale`] when the file is in
    /// another state by now. Mode, owner, attributes, symbolic and hard links are kept.
    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>>;

    /// Removes a file, of a symbolic link the link. With `expected` it fails as
    /// [`EnvError::Stale`] when the content is another by now. A place that cannot do it says so.
    fn remove<'a>(&'a self, path: &'a Path, expected: Option<Stamp>) -> BoxFuture<'a, Result<(), EnvError>> {
        drop(expected);
        let source = std::io::ErrorKind::Unsupported.into();
        Box::pin(std::future::ready(Err(EnvError::Io { path: path.to_path_buf(), source })))
    }

    /// Runs a command in a process group of its own with closed standard input; `cancel` and
    /// the time-out end the whole group (SIGTERM, after 2 s SIGKILL).
    fn run(
        &self,
        command: CommandSpec,
        output: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>>;

    /// Runs a command that reads `input` and whose standard output and standard error are told
    /// apart; all else is as with [`Self::run`]. A place that cannot do it says so.
    fn filter(
        &self,
        command: CommandSpec,
        input: Vec<u8>,
        output: OutputSink,
        errors: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        drop((input, output, errors, cancel));
        let source = std::io::ErrorKind::Unsupported.into();
        Box::pin(std::future::ready(Err(EnvError::Io { path: command.cwd, source })))
    }

    /// Starts the person's shell in a terminal of its own. To be called where tasks run. A place that
    /// cannot do it says so.
    fn terminal(&self, spec: TerminalSpec) -> Result<Terminal, EnvError> {
        Err(EnvError::Io { path: spec.cwd, source: std::io::ErrorKind::Unsupported.into() })
    }
}
