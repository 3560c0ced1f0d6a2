//! The same environment with another folder as root: relative paths are below it, and commands start in it.
//!
//! Must not know the reason.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::exec::commands::running::{Running, SpawnSpec};
use crate::exec::commands::terminal::{Terminal, TerminalSpec};
use crate::exec::environment::{CommandSpec, Environment, Exit, MoveLock, OutputSink, PieceSink};
use crate::exec::error::EnvError;
use crate::exec::file_info::{DirEntry, FileData, FileId, FileStat, Stamp};
use crate::exec::search::spec::{FindSpec, MatchSink, PathSink, SearchSpec, SearchStats};

/// Wraps an environment.
#[derive(Debug)]
pub struct Rooted {
    inner: Arc<dyn Environment>,
    root: PathBuf,
}

impl Rooted {
    /// Creates it for an absolute folder.
    pub fn new(inner: Arc<dyn Environment>, root: PathBuf) -> Self {
        Self { inner, root }
    }
}

impl Environment for Rooted {
    fn root(&self) -> &Path {
        &self.root
    }

    fn home(&self) -> Option<&Path> {
        self.inner.home()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        self.inner.resolve(path)
    }

    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>> {
        self.inner.stat(path)
    }

    fn hard_link<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Option<FileId>, EnvError>> {
        self.inner.hard_link(path)
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        self.inner.list(path)
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        self.inner.read(path)
    }

    fn read_pieces<'a>(&'a self, path: &'a Path, sink: PieceSink) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        self.inner.read_pieces(path, sink)
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        self.inner.write(path, bytes, expected)
    }

    fn remove<'a>(&'a self, path: &'a Path, expected: Option<Stamp>) -> BoxFuture<'a, Result<(), EnvError>> {
        self.inner.remove(path, expected)
    }

    fn rename<'a>(
        &'a self,
        from: &'a Path,
        to: &'a Path,
        overwrite: bool,
    ) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        self.inner.rename(from, to, overwrite)
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
        self.inner.run(command, output, cancel)
    }

    fn filter(
        &self,
        command: CommandSpec,
        input: Vec<u8>,
        output: OutputSink,
        errors: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        self.inner.filter(command, input, output, errors, cancel)
    }

    fn spawn(&self, spec: SpawnSpec) -> BoxFuture<'_, Result<Running, EnvError>> {
        self.inner.spawn(spec)
    }

    fn terminal(&self, spec: TerminalSpec) -> Result<Terminal, EnvError> {
        self.inner.terminal(spec)
    }

    fn search(
        &self,
        spec: SearchSpec,
        sink: MatchSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        self.inner.search(spec, sink, cancel)
    }

    fn find(
        &self,
        spec: FindSpec,
        sink: PathSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        self.inner.find(spec, sink, cancel)
    }

    fn initialize(&self) -> BoxFuture<'_, Result<(), EnvError>> {
        self.inner.initialize()
    }

    fn cleanup(&self) -> BoxFuture<'_, Result<(), EnvError>> {
        self.inner.cleanup()
    }

    fn platform(&self) -> &'static str {
        self.inner.platform()
    }

    fn os_version(&self) -> String {
        self.inner.os_version()
    }

    fn exists<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<bool, EnvError>> {
        self.inner.exists(path)
    }
}
