//! A place that does not come to an end with what it is asked: folders and whole files are never given,
//! files that are read in pieces and searches go on until nobody wants more, and nothing is ever written.

use std::path::{Path, PathBuf};

use bowline::exec::{
    CommandSpec, DirEntry, EnvError, Environment, Exit, FileData, FileStat, FindSpec, FoundPath,
    LocalEnvironment, MatchSink, OutputSink, PathSink, PieceSink, Running, SearchSpec, SearchStats,
    SpawnSpec, Stamp,
};
use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// What it does not come to an end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlowOperation {
    /// Nothing: all is as on this machine.
    Nothing,
    /// Reading, listing, searching.
    Reading,
    /// Writing and removing.
    Writing,
}

/// The place.
#[derive(Debug)]
pub struct SlowEnvironment {
    inner: LocalEnvironment,
    slow: SlowOperation,
    blocked_calls: Semaphore,
}

impl SlowEnvironment {
    pub fn new(inner: LocalEnvironment, slow: SlowOperation) -> Self {
        Self { inner, slow, blocked_calls: Semaphore::new(0) }
    }

    /// Waits until it was asked for something that it does not come to an end with.
    pub async fn wait_until_blocked(&self) {
        self.blocked_calls.acquire().await.unwrap().forget();
    }

    fn pending<T: Send + 'static>(&self) -> BoxFuture<'static, T> {
        self.blocked_calls.add_permits(1);
        Box::pin(std::future::pending())
    }

    fn is_slow(&self, slow: SlowOperation) -> bool {
        self.slow == slow
    }
}

/// On a thread that may block, as on this machine.
fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> BoxFuture<'static, T> {
    Box::pin(async move { tokio::task::spawn_blocking(work).await.unwrap() })
}

/// What a search gives that was told to stop.
fn cancelled_search() -> SearchStats {
    SearchStats { complete: false, ..SearchStats::default() }
}

impl Environment for SlowEnvironment {
    fn root(&self) -> &Path {
        self.inner.root()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        self.inner.resolve(path)
    }

    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>> {
        self.inner.stat(path)
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        if self.is_slow(SlowOperation::Reading) { self.pending() } else { self.inner.list(path) }
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        if self.is_slow(SlowOperation::Reading) { self.pending() } else { self.inner.read(path) }
    }

    fn read_pieces<'a>(
        &'a self,
        path: &'a Path,
        mut sink: PieceSink,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        if !self.is_slow(SlowOperation::Reading) {
            return self.inner.read_pieces(path, sink);
        }
        self.blocked_calls.add_permits(1);
        blocking(move || {
            while sink(&b"a line\n".repeat(2000)) {}
            Err(EnvError::Cancelled)
        })
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        if self.is_slow(SlowOperation::Writing) {
            self.pending()
        } else {
            self.inner.write(path, bytes, expected)
        }
    }

    fn remove<'a>(&'a self, path: &'a Path, expected: Option<Stamp>) -> BoxFuture<'a, Result<(), EnvError>> {
        if self.is_slow(SlowOperation::Writing) { self.pending() } else { self.inner.remove(path, expected) }
    }

    fn run(
        &self,
        command: CommandSpec,
        output: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        self.inner.run(command, output, cancel)
    }

    fn spawn(&self, spec: SpawnSpec) -> BoxFuture<'_, Result<Running, EnvError>> {
        self.inner.spawn(spec)
    }

    fn search(
        &self,
        spec: SearchSpec,
        sink: MatchSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        if !self.is_slow(SlowOperation::Reading) {
            return self.inner.search(spec, sink, cancel);
        }
        self.blocked_calls.add_permits(1);
        drop(sink);
        Box::pin(async move {
            cancel.cancelled().await;
            Ok(cancelled_search())
        })
    }

    fn find(
        &self,
        spec: FindSpec,
        mut sink: PathSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        if !self.is_slow(SlowOperation::Reading) {
            return self.inner.find(spec, sink, cancel);
        }
        self.blocked_calls.add_permits(1);
        blocking(move || {
            let name = |n: usize| format!("{n}/a.txt");
            let mut found = (0..).map(|n| FoundPath {
                path: spec.root.join(name(n)),
                name: name(n),
                folder: false,
                modified: None,
            });
            // Whoever has enough of them still waits for the end.
            let mut wanted = true;
            while !cancel.is_cancelled() {
                wanted = wanted && found.next().is_some_and(&mut sink);
                if !wanted {
                    std::thread::yield_now();
                }
            }
            Ok(cancelled_search())
        })
    }
}
