//! This machine as an environment.
//!
//! Must not know the domain. File operations run on blocking threads, commands through `process`.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::exec::commands::process;
use crate::exec::commands::process::spawn;
use crate::exec::commands::running::{Running, SpawnSpec};
use crate::exec::commands::terminal::{self, Terminal, TerminalSpec};
use crate::exec::commands::variables::{self, Inherit};
use crate::exec::disk::files;
use crate::exec::disk::replace;
use crate::exec::disk::tree;
use crate::exec::environment::{CommandSpec, Environment, Exit, OutputSink, PieceSink};
use crate::exec::error::EnvError;
use crate::exec::file_info::{DirEntry, FileData, FileId, FileKind, FileStat, Stamp};
use crate::exec::search::local as search;
use crate::exec::search::spec::{FindSpec, MatchSink, PathSink, SearchSpec, SearchStats};

/// Timeout of a file operation: for metadata, for the next chunk, or for a write.
const IO_TIMEOUT: Duration = Duration::from_mins(1);

/// Files and commands of this machine.
#[derive(Debug)]
pub struct LocalEnvironment {
    root: PathBuf,
    home: Option<PathBuf>,
    vars: Vec<(OsString, OsString)>,
    /// The variables including those that look like secrets: for the user's own terminal.
    terminal_vars: Vec<(OsString, OsString)>,
    rule: Inherit,
    locks: Arc<PathLocks>,
    /// The longest wait for a file.
    io_timeout: Duration,
}

impl LocalEnvironment {
    /// Creates the environment with `root` as its workspace. `vars` are the variables of this process;
    /// commands get them without those that look like secrets, even in login shells; terminals get all.
    pub fn new(root: PathBuf, vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let own_vars: Vec<_> = vars.into_iter().collect();
        let rule = Inherit::default();
        let vars = rule.filter(&own_vars);
        let home = vars.iter().find(|(name, _)| name == "HOME").map(|(_, value)| PathBuf::from(value));
        Self {
            root,
            home,
            vars,
            terminal_vars: own_vars,
            rule,
            locks: Arc::default(),
            io_timeout: IO_TIMEOUT,
        }
    }

    /// With another rule for the variables that commands inherit.
    #[must_use]
    pub fn inheriting(mut self, rule: Inherit) -> Self {
        self.vars = rule.filter(&self.terminal_vars);
        self.rule = rule;
        self
    }

    /// Reads a regular file of at most `max` bytes on this thread, and resolves its path; `None` if that
    /// fails or would take longer. For program start, when creating a thread takes longer than reading.
    pub fn read_small(path: &Path, max: u64) -> Option<(PathBuf, FileData)> {
        let facts = files::stat(path).ok().filter(|facts| facts.size <= max)?;
        let data = (facts.kind == FileKind::File).then(|| files::read(path).ok())??;
        Some((files::real_path(path).ok()?, data))
    }

    /// Runs file work with a timeout: a mount or a kernel file may never respond. The thread cannot be
    /// interrupted and is then abandoned; a write in progress may still complete.
    fn with_timeout<T: Send + 'static>(
        limit: Duration,
        path: &Path,
        work: impl FnOnce(&Path) -> Result<T, EnvError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, EnvError>> {
        Self::with_progress_timeout(limit, path, |path, _| work(path))
    }

    /// The same for work of any length that reports progress: the timeout applies to each step.
    fn with_progress_timeout<T: Send + 'static>(
        limit: Duration,
        path: &Path,
        work: impl FnOnce(&Path, &AtomicUsize) -> Result<T, EnvError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, EnvError>> {
        let on = path.to_path_buf();
        let steps = Arc::new(AtomicUsize::new(0));
        let stepped = steps.clone();
        let mut work = Self::blocking(path, move |path| work(path, &stepped));
        Box::pin(async move {
            let mut known = 0;
            loop {
                if let Ok(done) = tokio::time::timeout(limit, &mut work).await {
                    return done;
                }
                let now = steps.load(Ordering::Relaxed);
                if now == known {
                    return Err(EnvError::NoAnswer(on, limit));
                }
                known = now;
            }
        })
    }

    /// Runs file work on a thread that may block.
    fn blocking<T: Send + 'static>(
        path: &Path,
        work: impl FnOnce(&Path) -> Result<T, EnvError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, EnvError>> {
        let path = path.to_path_buf();
        Box::pin(async move {
            let on = path.clone();
            tokio::task::spawn_blocking(move || work(&on))
                .await
                .unwrap_or_else(|error| Err(EnvError::Io { path, source: std::io::Error::other(error) }))
        })
    }
}

impl Environment for LocalEnvironment {
    fn root(&self) -> &Path {
        &self.root
    }

    fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        Self::with_timeout(self.io_timeout, path, files::real_path)
    }

    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>> {
        Self::with_timeout(self.io_timeout, path, files::stat)
    }

    fn hard_link<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Option<FileId>, EnvError>> {
        Self::with_timeout(self.io_timeout, path, files::hard_link)
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        Self::with_timeout(self.io_timeout, path, files::list)
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        Self::with_timeout(self.io_timeout, path, files::read)
    }

    fn read_pieces<'a>(
        &'a self,
        path: &'a Path,
        mut sink: PieceSink,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        Self::with_progress_timeout(self.io_timeout, path, move |path, steps| {
            files::read_pieces(path, &mut |piece| {
                steps.fetch_add(1, Ordering::Relaxed);
                sink(piece)
            })
        })
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        let locks = Arc::clone(&self.locks);
        Self::with_timeout(self.io_timeout, path, move |path| {
            let real = files::real_path(path)?;
            locks.with_lock(&real, || replace::replace(&real, &bytes, expected.as_ref()))
        })
    }

    fn remove<'a>(&'a self, path: &'a Path, expected: Option<Stamp>) -> BoxFuture<'a, Result<(), EnvError>> {
        let locks = Arc::clone(&self.locks);
        Self::with_timeout(self.io_timeout, path, move |path| {
            let real = files::real_path(path)?;
            locks.with_lock(&real, || replace::remove(path, expected.as_ref()))
        })
    }

    fn rename<'a>(
        &'a self,
        from: &'a Path,
        to: &'a Path,
        overwrite: bool,
    ) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        let (locks, to) = (Arc::clone(&self.locks), to.to_path_buf());
        // Without a limit: a move to another disk copies, and one that is reported as undone must not be done later.
        Self::blocking(from, move |from| {
            let error = |source: std::io::Error| match source.kind() {
                std::io::ErrorKind::AlreadyExists => EnvError::Exists(to.clone()),
                _ => files::error_at(from, source),
            };
            let mut both = [files::real_path(from)?, files::real_path(&to)?];
            // In one order, so that two calls do not wait for each other.
            both.sort_unstable();
            let work = || if overwrite { tree::replace(from, &to) } else { tree::rename(from, &to) };
            let [first, second] = &both;
            let moved = if first == second {
                locks.with_lock(first, work)
            } else {
                locks.with_lock(first, || locks.with_lock(second, work))
            };
            moved.map_err(error)
        })
    }

    fn run(
        &self,
        command: CommandSpec,
        output: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        Box::pin(process::run(&self.vars, command, output, cancel))
    }

    fn filter(
        &self,
        command: CommandSpec,
        input: Vec<u8>,
        output: OutputSink,
        errors: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        Box::pin(process::filter(&self.vars, command, input, (output, errors), cancel))
    }

    fn spawn(&self, mut spec: SpawnSpec) -> BoxFuture<'_, Result<Running, EnvError>> {
        if spec.login && self.rule != Inherit::All {
            spec.script = variables::unset_secrets(&spec.script, spec.env.keys().map(String::as_str));
        }
        Box::pin(std::future::ready(spawn::start(&self.vars, &spec)))
    }

    fn terminal(&self, spec: TerminalSpec) -> Result<Terminal, EnvError> {
        if !spec.cwd.is_dir() {
            return Err(EnvError::NoWorkingFolder(spec.cwd));
        }
        terminal::start(&self.terminal_vars, &spec).map_err(|source| EnvError::Io { path: spec.cwd, source })
    }

    fn search(
        &self,
        spec: SearchSpec,
        sink: MatchSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        Self::blocking(&spec.root.clone(), move |_| search::search(&spec, sink, &cancel))
    }

    fn find(
        &self,
        spec: FindSpec,
        sink: PathSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        Self::blocking(&spec.root.clone(), move |_| search::find(&spec, sink, &cancel))
    }

    fn platform(&self) -> &'static str {
        if cfg!(target_os = "macos") { "darwin" } else { "linux" }
    }

    fn os_version(&self) -> String {
        let system = rustix::system::uname();
        format!("{} {}", system.sysname().to_string_lossy(), system.release().to_string_lossy())
    }
}

/// A lock for each path being written, so that of two writes with the same stamp the second sees the first.
/// Removed when no task holds it.
#[derive(Debug, Default)]
struct PathLocks {
    held: Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>,
}

impl PathLocks {
    fn with_lock<T>(&self, path: &Path, work: impl FnOnce() -> T) -> T {
        let lock = {
            let mut held = self.held.lock();
            Arc::clone(held.entry(path.to_path_buf()).or_default())
        };
        let result = {
            let _guard = lock.lock();
            work()
        };
        let mut held = self.held.lock();
        // Two owners: the table and this one. No other task can join while the table is locked.
        if Arc::strong_count(&lock) == 2 {
            held.remove(path);
        }
        result
    }
}

#[cfg(test)]
mod tests;
