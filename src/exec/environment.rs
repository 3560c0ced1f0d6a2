//! The environment port, through which all upper layers access files and commands.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::exec::commands::running::{Running, SpawnSpec};
use crate::exec::commands::terminal::{Terminal, TerminalSpec};
use crate::exec::error::EnvError;
use crate::exec::file_info::{DirEntry, FileData, FileId, FileStat, Stamp};
use crate::exec::search::list_and_read::{self, ListAndRead};
use crate::exec::search::spec::{FindSpec, MatchSink, PathSink, SearchSpec, SearchStats};

/// Receives a file in chunks; returning `false` ends the reading. Called on a blocking thread.
pub type PieceSink = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// A command to run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CommandSpec {
    /// Text for the shell (`bash -c`).
    pub script: String,
    /// Working folder.
    pub cwd: PathBuf,
    /// The timeout; no limit when `None`.
    pub timeout: Option<Duration>,
    /// Set in addition to the filtered variables of the environment.
    pub env: BTreeMap<String, String>,
}

impl CommandSpec {
    /// A command in a folder, without a limit, with the variables of the environment.
    pub fn new(script: impl Into<String>, cwd: impl Into<PathBuf>) -> Self {
        Self { script: script.into(), cwd: cwd.into(), timeout: None, env: BTreeMap::new() }
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code (128 + signal number when a signal ended it).
    Code(i32),
    /// Killed on timeout.
    TimedOut,
    /// Killed on cancellation.
    Cancelled,
}

/// Receives a command's output in order, both streams merged, in pieces of any size. Called
/// from the task that runs the command; must not block.
pub type OutputSink = Box<dyn FnMut(&[u8]) + Send>;

/// As long as this is held, [`Environment::rename`] is not refused because the user is moving or deleting files.
#[must_use = "dropping it ends the lock"]
#[derive(Default)]
pub struct MoveLock(Option<Box<dyn Any + Send>>);

impl MoveLock {
    /// A lock that ends when `held` is dropped.
    pub fn new(held: impl Send + 'static) -> Self {
        Self(Some(Box::new(held)))
    }
}

impl fmt::Debug for MoveLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MoveLock").field(&self.0.is_some()).finish()
    }
}

/// Files and commands of one environment. `docs/embedding.md` has one that is nowhere but in memory.
///
/// An environment behind a layer is an environment again:
///
/// ```
/// use std::sync::Arc;
///
/// use bowline::exec::wrap::{ReadOnly, Wrapped};
/// use bowline::exec::{Environment, LocalEnvironment};
///
/// # #[tokio::main]
/// # async fn main() {
/// # let folder = tempfile::tempdir().unwrap();
/// let machine = LocalEnvironment::new(folder.path().to_path_buf(), std::env::vars_os());
/// let guarded = Wrapped::new(Arc::new(machine), ReadOnly::new(|command| command == "ls"));
/// let file = folder.path().join("a.txt");
/// assert!(guarded.write(&file, b"one".to_vec(), None).await.is_err());
/// assert!(!guarded.exists(&file).await.unwrap());
/// # }
/// ```
pub trait Environment: Send + Sync + fmt::Debug {
    /// The workspace: relative paths are below it, and commands start in it.
    fn root(&self) -> &Path;

    /// The home folder of the user, for `~`.
    fn home(&self) -> Option<&Path> {
        None
    }

    /// Resolves every symbolic link of a path, as far as it exists; the rest is appended. Policies check the
    /// result, so a link cannot bypass them.
    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>>;

    /// Returns what is at an absolute path.
    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>>;

    /// Returns the id of the file at an absolute path, with links followed, if it has several names. `None`
    /// for others, and in an environment without support.
    fn hard_link<'a>(&'a self, _path: &'a Path) -> BoxFuture<'a, Result<Option<FileId>, EnvError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Returns the content of a folder, in no particular order.
    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>>;

    /// Reads a whole file.
    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>>;

    /// Reads a file in chunks, the first of which is short but at least 8 KB, unless the file is shorter.
    /// Returns [`EnvError::Cancelled`] when the sink ends it.
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

    /// Replaces a file, atomically unless it has several names; creates it and its folders when missing. With
    /// `expected` the write fails with [`EnvError::Stale`] if the file has changed. Mode, owner, attributes,
    /// symbolic and hard links are preserved.
    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>>;

    /// Removes a file; for a symbolic link the link itself. With `expected` it fails with [`EnvError::Stale`]
    /// if the content has changed. Fails in an environment without support.
    fn remove<'a>(&'a self, path: &'a Path, expected: Option<Stamp>) -> BoxFuture<'a, Result<(), EnvError>> {
        drop(expected);
        Box::pin(std::future::ready(Err(EnvError::unsupported(path))))
    }

    /// Moves a file or folder with its mode and times, and creates the folders of the new path; of a symbolic link the
    /// link itself. Without `overwrite` it fails with [`EnvError::Exists`] if the new path exists; with it a file there
    /// is replaced, and a folder there only if it is empty. Returns the new path with links resolved. Fails in an
    /// environment without support.
    fn rename<'a>(
        &'a self,
        from: &'a Path,
        to: &'a Path,
        overwrite: bool,
    ) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        let _ = (to, overwrite);
        Box::pin(std::future::ready(Err(EnvError::unsupported(from))))
    }

    /// Keeps the user from moving and deleting files in an editor until the lock is dropped. For several moves that are made,
    /// or taken back, together. Fails with [`EnvError::Refused`] while the user does so.
    fn lock_moves(&self) -> BoxFuture<'_, Result<MoveLock, EnvError>> {
        Box::pin(std::future::ready(Ok(MoveLock::default())))
    }

    /// Returns the files that the user has open in an editor, with links resolved: [`Self::read`] may return
    /// unsaved text for them, and only [`Self::write`] changes them without bypassing the editor.
    fn open_files(&self) -> BoxFuture<'_, Vec<PathBuf>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Runs a command in its own process group with closed standard input; `cancel` and the timeout end the
    /// whole group (SIGTERM, after 2 s SIGKILL).
    fn run(
        &self,
        command: CommandSpec,
        output: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>>;

    /// Runs a command with `input` and separate standard output and standard error; otherwise like
    /// [`Self::run`]. Fails in an environment without support.
    fn filter(
        &self,
        command: CommandSpec,
        input: Vec<u8>,
        output: OutputSink,
        errors: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        drop((input, output, errors, cancel));
        Box::pin(std::future::ready(Err(EnvError::unsupported(&command.cwd))))
    }

    /// Starts a command and returns a handle. Must be called within a runtime. Fails in an environment
    /// without support.
    fn spawn(&self, spec: SpawnSpec) -> BoxFuture<'_, Result<Running, EnvError>> {
        let reason = "this place cannot keep a command running";
        let source = std::io::Error::new(std::io::ErrorKind::Unsupported, reason);
        Box::pin(std::future::ready(Err(EnvError::Io { path: spec.cwd, source })))
    }

    /// Starts the user's shell in its own terminal. Must be called within a runtime. Fails in an environment
    /// without support.
    fn terminal(&self, spec: TerminalSpec) -> Result<Terminal, EnvError> {
        Err(EnvError::unsupported(&spec.cwd))
    }

    /// Searches text in files under their ignore rules. Results are sorted by path. The default
    /// implementation lists and reads files.
    fn search(
        &self,
        spec: SearchSpec,
        sink: MatchSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        Box::pin(list_and_read::search(self, spec, sink, cancel))
    }

    /// Finds files by name under the ignore rules; otherwise like [`Self::search`].
    fn find(
        &self,
        spec: FindSpec,
        sink: PathSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        Box::pin(list_and_read::find(self, spec, sink, cancel))
    }

    /// Initializes the environment: connects, starts, mounts. A session calls it when it starts to work here,
    /// before anything else but [`Self::root`]. A failure must leave nothing to clean up. If several sessions
    /// work here, or one moves to a layer on this environment, it is called once for each;
    /// [`Counted`](super::wrap::Counted) passes only the first of these calls on.
    fn initialize(&self) -> BoxFuture<'_, Result<(), EnvError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Cleans up after [`Self::initialize`]. The session calls it when it ends or has moved elsewhere, after
    /// everything else, once for each successful initialization.
    fn cleanup(&self) -> BoxFuture<'_, Result<(), EnvError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// The default start folder of commands.
    fn working_folder(&self) -> &Path {
        self.root()
    }

    /// The kind of system: `linux`, `darwin`, `windows` or `wasm`.
    fn platform(&self) -> &'static str {
        "linux"
    }

    /// Returns the operating system's name and version, on one line; empty if unknown.
    fn os_version(&self) -> String {
        String::new()
    }

    /// Whether an absolute path exists.
    fn exists<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<bool, EnvError>> {
        Box::pin(async move {
            match self.stat(path).await {
                Ok(_) => Ok(true),
                Err(EnvError::NotFound(_)) => Ok(false),
                Err(error) => Err(error),
            }
        })
    }
}

impl<E: Environment + ?Sized> ListAndRead for E {
    fn entries<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        self.list(path)
    }

    fn facts<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>> {
        self.stat(path)
    }

    fn content<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<u8>, EnvError>> {
        Box::pin(async move { self.read(path).await.map(|data| data.bytes) })
    }

    fn real<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        self.resolve(path)
    }

    fn id<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Option<FileId>, EnvError>> {
        self.hard_link(path)
    }
}
