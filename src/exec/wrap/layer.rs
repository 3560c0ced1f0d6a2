//! Environment layers: an operation is first shown to the layer, which may refuse it, and again when it is
//! done. Layers compose, since the result is an environment.
//!
//! Must not know any layer.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::exec::commands::running::{Running, SpawnSpec};
use crate::exec::commands::terminal::{Terminal, TerminalSpec};
use crate::exec::environment::{CommandSpec, Environment, Exit, MoveLock, OutputSink, PieceSink};
use crate::exec::error::EnvError;
use crate::exec::file_info::{DirEntry, FileData, FileId, FileStat, Stamp};
use crate::exec::search::list_and_read;
use crate::exec::search::spec::{FindSpec, MatchSink, PathSink, SearchSpec, SearchStats, Selection};

/// An operation on an environment, without contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation<'a> {
    /// Resolve a path.
    Resolve(&'a Path),
    /// Get metadata.
    Stat(&'a Path),
    /// List a folder.
    List(&'a Path),
    /// Read a file.
    Read(&'a Path),
    /// Create or replace a file.
    Write(&'a Path),
    /// A file is removed.
    Remove(&'a Path),
    /// A file or folder is moved to the second path.
    Rename(&'a Path, &'a Path),
    /// A command in a folder.
    Run(&'a str, &'a Path),
    /// A shell for a user in a folder.
    Terminal(&'a Path),
    /// Text in the files of a folder.
    Search(&'a Path),
    /// Files of a folder.
    Find(&'a Path),
}

impl<'a> Operation<'a> {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Resolve(_) => "resolve",
            Self::Stat(_) => "stat",
            Self::List(_) => "list",
            Self::Read(_) => "read",
            Self::Write(_) => "write",
            Self::Remove(_) => "remove",
            Self::Rename(..) => "rename",
            Self::Run(..) => "run",
            Self::Terminal(_) => "terminal",
            Self::Search(_) => "search",
            Self::Find(_) => "find",
        }
    }

    /// Which path, or in which folder; of a move the old path.
    pub fn path(self) -> &'a Path {
        match self {
            Self::Resolve(path)
            | Self::Stat(path)
            | Self::List(path)
            | Self::Read(path)
            | Self::Write(path)
            | Self::Remove(path)
            | Self::Rename(path, _)
            | Self::Run(_, path)
            | Self::Terminal(path)
            | Self::Search(path)
            | Self::Find(path) => path,
        }
    }
}

/// How an operation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Well.
    Done,
    /// A command's exit.
    Exit(Exit),
    /// Not at all, for this reason.
    Failed(String),
}

/// A layer on an environment.
pub trait Layer: Send + Sync + fmt::Debug {
    /// Whether an operation is allowed; the error has the reason for a refusal.
    fn admit<'a>(
        &'a self,
        _inner: &'a dyn Environment,
        _operation: Operation<'a>,
    ) -> BoxFuture<'a, Result<(), EnvError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Whether a shell for a user may be started, which cannot wait.
    fn admit_terminal(&self, _folder: &Path) -> Result<(), EnvError> {
        Ok(())
    }

    /// Returns the command as it is to run.
    fn command(&self, command: CommandSpec) -> CommandSpec {
        command
    }

    /// Whether every file of a search must be admitted separately. The environment then lists and reads.
    fn sees_each_file(&self) -> bool {
        false
    }

    /// Returns the selection of a search as it is to run.
    fn selection(&self, files: Selection) -> Selection {
        files
    }

    /// A search is over.
    fn on_search_done(&self, _done: &SearchStats) {}

    /// Returns the visible part of a folder's content.
    fn filter_entries<'a>(
        &'a self,
        _inner: &'a dyn Environment,
        _folder: &'a Path,
        entries: Vec<DirEntry>,
    ) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        Box::pin(std::future::ready(Ok(entries)))
    }

    /// Called when an operation is done, or was refused.
    fn on_done(&self, _operation: Operation<'_>, _ended: Ended, _took: Duration) {}

    /// Called when a session initializes the environment.
    fn initialize<'a>(&'a self, inner: &'a dyn Environment) -> BoxFuture<'a, Result<(), EnvError>> {
        inner.initialize()
    }

    /// Called when a session cleans it up.
    fn cleanup<'a>(&'a self, inner: &'a dyn Environment) -> BoxFuture<'a, Result<(), EnvError>> {
        inner.cleanup()
    }
}

/// An environment behind a layer.
#[derive(Debug)]
pub struct Wrapped<L> {
    inner: Arc<dyn Environment>,
    layer: L,
}

impl<L: Layer> Wrapped<L> {
    /// Wraps an environment in a layer.
    pub fn new(inner: Arc<dyn Environment>, layer: L) -> Self {
        Self { inner, layer }
    }

    /// The work starts only after it was admitted: an environment may do it before its future is polled.
    async fn run_admitted<'a, T, W: Future<Output = Result<T, EnvError>>>(
        &'a self,
        operation: Operation<'a>,
        ended: impl FnOnce(&T) -> Ended,
        work: impl FnOnce() -> W,
    ) -> Result<T, EnvError> {
        let start = Instant::now();
        let result = match self.layer.admit(&*self.inner, operation).await {
            Ok(()) => work().await,
            Err(refused) => Err(refused),
        };
        let ended = result.as_ref().map_or_else(|error| Ended::Failed(error.to_string()), ended);
        self.layer.on_done(operation, ended, start.elapsed());
        result
    }
}

fn ended_well<T>(_: &T) -> Ended {
    Ended::Done
}

impl<L: Layer> Environment for Wrapped<L> {
    fn root(&self) -> &Path {
        self.inner.root()
    }

    fn home(&self) -> Option<&Path> {
        self.inner.home()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        Box::pin(self.run_admitted(Operation::Resolve(path), ended_well, || self.inner.resolve(path)))
    }

    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>> {
        Box::pin(self.run_admitted(Operation::Stat(path), ended_well, || self.inner.stat(path)))
    }

    fn hard_link<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Option<FileId>, EnvError>> {
        Box::pin(self.run_admitted(Operation::Stat(path), ended_well, || self.inner.hard_link(path)))
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        let work = async || {
            let entries = self.inner.list(path).await?;
            self.layer.filter_entries(&*self.inner, path, entries).await
        };
        Box::pin(self.run_admitted(Operation::List(path), ended_well, work))
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        Box::pin(self.run_admitted(Operation::Read(path), ended_well, || self.inner.read(path)))
    }

    fn read_pieces<'a>(&'a self, path: &'a Path, sink: PieceSink) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        Box::pin(self.run_admitted(Operation::Read(path), ended_well, || self.inner.read_pieces(path, sink)))
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        Box::pin(
            self.run_admitted(Operation::Write(path), ended_well, || self.inner.write(path, bytes, expected)),
        )
    }

    fn remove<'a>(&'a self, path: &'a Path, expected: Option<Stamp>) -> BoxFuture<'a, Result<(), EnvError>> {
        Box::pin(self.run_admitted(Operation::Remove(path), ended_well, || self.inner.remove(path, expected)))
    }

    fn rename<'a>(
        &'a self,
        from: &'a Path,
        to: &'a Path,
        overwrite: bool,
    ) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        let work = move || self.inner.rename(from, to, overwrite);
        Box::pin(self.run_admitted(Operation::Rename(from, to), ended_well, work))
    }

    fn lock_moves(&self) -> BoxFuture<'_, Result<MoveLock, EnvError>> {
        self.inner.lock_moves()
    }

    fn open_files(&self) -> BoxFuture<'_, Vec<PathBuf>> {
        self.inner.open_files()
    }

    fn run(
        &self,
        command: CommandSpec,
        output: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        Box::pin(async move {
            let command = self.layer.command(command);
            let (script, cwd) = (command.script.clone(), command.cwd.clone());
            let work = || self.inner.run(command, output, cancel);
            self.run_admitted(Operation::Run(&script, &cwd), |exit| Ended::Exit(*exit), work).await
        })
    }

    fn filter(
        &self,
        command: CommandSpec,
        input: Vec<u8>,
        output: OutputSink,
        errors: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        Box::pin(async move {
            let command = self.layer.command(command);
            let (script, cwd) = (command.script.clone(), command.cwd.clone());
            let work = || self.inner.filter(command, input, output, errors, cancel);
            self.run_admitted(Operation::Run(&script, &cwd), |exit| Ended::Exit(*exit), work).await
        })
    }

    fn spawn(&self, spec: SpawnSpec) -> BoxFuture<'_, Result<Running, EnvError>> {
        Box::pin(async move {
            let SpawnSpec { script, cwd, env, input, login, reports_folder: tells_folder } = spec;
            let command = self.layer.command(CommandSpec { script, cwd, timeout: None, env });
            let (script, cwd) = (command.script.clone(), command.cwd.clone());
            let CommandSpec { env, .. } = command;
            let (run, folder) = (script.clone(), cwd.clone());
            let spec =
                SpawnSpec { script: run, cwd: folder, env, input, login, reports_folder: tells_folder };
            self.run_admitted(Operation::Run(&script, &cwd), ended_well, || self.inner.spawn(spec)).await
        })
    }

    fn terminal(&self, spec: TerminalSpec) -> Result<Terminal, EnvError> {
        let (start, cwd) = (Instant::now(), spec.cwd.clone());
        let made = self.layer.admit_terminal(&spec.cwd).and_then(|()| self.inner.terminal(spec));
        let ended = made.as_ref().map_or_else(|error| Ended::Failed(error.to_string()), ended_well);
        self.layer.on_done(Operation::Terminal(&cwd), ended, start.elapsed());
        made
    }

    fn search(
        &self,
        spec: SearchSpec,
        sink: MatchSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        let spec = SearchSpec { files: self.layer.selection(spec.files), ..spec };
        if self.layer.sees_each_file() {
            return Box::pin(list_and_read::search(self, spec, sink, cancel));
        }
        Box::pin(async move {
            let root = spec.root.clone();
            let work = || self.inner.search(spec, sink, cancel);
            let done = self.run_admitted(Operation::Search(&root), ended_well, work).await?;
            self.layer.on_search_done(&done);
            Ok(done)
        })
    }

    fn find(
        &self,
        spec: FindSpec,
        sink: PathSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        let spec = FindSpec { files: self.layer.selection(spec.files), ..spec };
        if self.layer.sees_each_file() {
            return Box::pin(list_and_read::find(self, spec, sink, cancel));
        }
        Box::pin(async move {
            let root = spec.root.clone();
            let work = || self.inner.find(spec, sink, cancel);
            let done = self.run_admitted(Operation::Find(&root), ended_well, work).await?;
            self.layer.on_search_done(&done);
            Ok(done)
        })
    }

    fn initialize(&self) -> BoxFuture<'_, Result<(), EnvError>> {
        self.layer.initialize(&*self.inner)
    }

    fn cleanup(&self) -> BoxFuture<'_, Result<(), EnvError>> {
        self.layer.cleanup(&*self.inner)
    }

    fn working_folder(&self) -> &Path {
        self.inner.working_folder()
    }

    fn platform(&self) -> &'static str {
        self.inner.platform()
    }

    fn os_version(&self) -> String {
        self.inner.os_version()
    }
}
