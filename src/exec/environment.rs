//! The port through which everything above reaches files and commands.

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

/// Takes a file in, piece by piece; `false` ends the reading. Called on a thread that may block.
pub type PieceSink = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// A command to run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CommandSpec {
    /// Text for the shell (`bash -c`).
    pub script: String,
    /// Working folder.
    pub cwd: PathBuf,
    /// No limit when `None`.
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
    /// Our time-out killed it.
    TimedOut,
    /// The cancellation killed it.
    Cancelled,
}

/// Receives a command's output in order, both streams merged, in pieces of any size. Called
/// from the task that runs the command; must not block.
pub type OutputSink = Box<dyn FnMut(&[u8]) + Send>;

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
    /// The workspace: relative paths are below it, commands start in it.
    fn root(&self) -> &Path;

    /// The home folder of the user, for `~`.
    fn home(&self) -> Option<&Path> {
        None
    }

    /// The path with every symbolic link followed, as far as it exists; what does not exist
    /// yet is joined by its text. Policies judge by it, so a link cannot lead out unseen.
    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>>;

    /// What stands at an absolute path.
    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>>;

    /// Which file stands at an absolute path, links followed, if it has several names. `None` for any other, and
    /// in an environment that does not know.
    fn hard_link<'a>(&'a self, _path: &'a Path) -> BoxFuture<'a, Result<Option<FileId>, EnvError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

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
    /// [`EnvError::Stale`] when the content is another by now. An environment that cannot do it says so.
    fn remove<'a>(&'a self, path: &'a Path, expected: Option<Stamp>) -> BoxFuture<'a, Result<(), EnvError>> {
        drop(expected);
        Box::pin(std::future::ready(Err(EnvError::unsupported(path))))
    }

    /// The files that the user has open here, links followed: what [`Self::read`] gives of them may not be on
    /// the disk yet, and only [`Self::write`] changes them without going behind the editor's back.
    fn open_files(&self) -> BoxFuture<'_, Vec<PathBuf>> {
        Box::pin(std::future::ready(Vec::new()))
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
    /// apart; all else is as with [`Self::run`]. An environment that cannot do it says so.
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

    /// Starts a command and gives it as a value. To be called where tasks run. An environment that cannot do it
    /// says so.
    fn spawn(&self, spec: SpawnSpec) -> BoxFuture<'_, Result<Running, EnvError>> {
        let why = "this place cannot keep a command running";
        let source = std::io::Error::new(std::io::ErrorKind::Unsupported, why);
        Box::pin(std::future::ready(Err(EnvError::Io { path: spec.cwd, source })))
    }

    /// Starts the user's shell in a terminal of its own. To be called where tasks run. An environment that
    /// cannot do it says so.
    fn terminal(&self, spec: TerminalSpec) -> Result<Terminal, EnvError> {
        Err(EnvError::unsupported(&spec.cwd))
    }

    /// Looks for text in files under their ignore rules. What is found comes in the order of paths.
    /// An environment that has no faster way lists and reads.
    fn search(
        &self,
        spec: SearchSpec,
        sink: MatchSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        Box::pin(list_and_read::search(self, spec, sink, cancel))
    }

    /// Looks for files by their names under the ignore rules; all else is as with [`Self::search`].
    fn find(
        &self,
        spec: FindSpec,
        sink: PathSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        Box::pin(list_and_read::find(self, spec, sink, cancel))
    }

    /// Makes the environment ready: connects, starts, mounts. A session calls it when it begins to work here, before
    /// anything else but [`Self::root`]. What fails leaves nothing that has to be given back. Where several
    /// sessions work here, or one moves to a layer over this environment, it is called once for each;
    /// [`Counted`](super::wrap::Counted) passes on the first of these calls alone.
    fn initialize(&self) -> BoxFuture<'_, Result<(), EnvError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Gives back what [`Self::initialize`] took. The session calls it when it ends or has moved elsewhere, after
    /// everything else, as often as that one has succeeded.
    fn cleanup(&self) -> BoxFuture<'_, Result<(), EnvError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Where commands start unless they say otherwise.
    fn working_folder(&self) -> &Path {
        self.root()
    }

    /// The kind of system: `linux`, `darwin`, `windows` or `wasm`.
    fn platform(&self) -> &'static str {
        "linux"
    }

    /// The system's name and version, in one line; empty where it is unknown.
    fn os_version(&self) -> String {
        String::new()
    }

    /// Whether anything stands at an absolute path.
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
