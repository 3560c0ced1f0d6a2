//! Files and commands of a desk, with what the system refuses.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use bowline::exec::local::LocalEnvironment;
use bowline::exec::{
    CommandSpec, DirEntry, EnvError, Environment, Exit, FileData, FileStat, OutputSink, PieceSink, Running,
    SpawnSpec, Stamp, Terminal, TerminalSpec,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::shell::ScriptedShell;

/// What the system refuses, beside what it really refuses.
#[derive(Debug, Default)]
pub struct InjectedFaults {
    /// Paths that cannot be read.
    pub reads: Mutex<Vec<PathBuf>>,
    /// Paths that cannot be written.
    pub writes: Mutex<Vec<PathBuf>>,
    /// Where set, the next long file is read to its first piece, and goes on when told to.
    pub read_gate: Mutex<Option<mpsc::Receiver<()>>>,
    /// The shells that were started in terminals, scripted ones; the newest last.
    pub shells: Mutex<Vec<ScriptedShell>>,
    /// Whether no shell can be started.
    pub no_shells: AtomicBool,
}

/// Files and commands of the desk. Tests may run as root, who is refused nothing: so the
/// refusals are made here.
#[derive(Debug)]
pub struct TestEnvironment {
    inner: LocalEnvironment,
    faults: Arc<InjectedFaults>,
}

impl TestEnvironment {
    /// A place with this workspace. If there are programs in `bin` beside it, they come first, and there is a desktop.
    pub fn new(root: &Path, refused: Arc<InjectedFaults>) -> Self {
        let mut path = std::env::var_os("PATH").unwrap_or_default();
        let bin = root.with_file_name("bin");
        let has_bin = bin.exists();
        if has_bin {
            let folders = std::iter::once(bin).chain(std::env::split_paths(&path)).collect::<Vec<_>>();
            path = std::env::join_paths(folders).unwrap();
        }
        let desktop = has_bin.then(|| (OsString::from("DISPLAY"), OsString::from(":none")));
        let vars = std::iter::once((OsString::from("PATH"), path)).chain(desktop);
        Self { inner: LocalEnvironment::new(root.to_path_buf(), vars), faults: refused }
    }
}

impl Environment for TestEnvironment {
    fn root(&self) -> &Path {
        self.inner.root()
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

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        self.inner.list(path)
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        if self.faults.reads.lock().unwrap().iter().any(|refused| refused == path) {
            return futures::future::ready(Err(EnvError::Denied(path.to_path_buf()))).boxed();
        }
        self.inner.read(path)
    }

    fn read_pieces<'a>(&'a self, path: &'a Path, sink: PieceSink) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        if self.faults.reads.lock().unwrap().iter().any(|refused| refused == path) {
            return futures::future::ready(Err(EnvError::Denied(path.to_path_buf()))).boxed();
        }
        let mut sink = sink;
        let mut hold = self.faults.read_gate.lock().unwrap().take();
        let paused = move |piece: &[u8]| {
            let more = sink(piece);
            if let Some(hold) = hold.take() {
                hold.recv().unwrap();
            }
            more
        };
        self.inner.read_pieces(path, Box::new(paused))
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        if self.faults.writes.lock().unwrap().iter().any(|refused| refused == path) {
            return futures::future::ready(Err(EnvError::Denied(path.to_path_buf()))).boxed();
        }
        self.inner.write(path, bytes, expected)
    }

    fn remove<'a>(&'a self, path: &'a Path, expected: Option<Stamp>) -> BoxFuture<'a, Result<(), EnvError>> {
        if self.faults.writes.lock().unwrap().iter().any(|refused| refused == path) {
            return futures::future::ready(Err(EnvError::Denied(path.to_path_buf()))).boxed();
        }
        self.inner.remove(path, expected)
    }

    fn rename<'a>(
        &'a self,
        from: &'a Path,
        to: &'a Path,
        overwrite: bool,
    ) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        if self.faults.writes.lock().unwrap().iter().any(|refused| refused == from || refused == to) {
            return futures::future::ready(Err(EnvError::Denied(from.to_path_buf()))).boxed();
        }
        self.inner.rename(from, to, overwrite)
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

    fn terminal(&self, spec: TerminalSpec) -> Result<Terminal, EnvError> {
        if self.faults.no_shells.load(Ordering::SeqCst) {
            return Err(EnvError::Denied("/bin/sh".into()));
        }
        let (terminal, shell) = ScriptedShell::start(&spec);
        self.faults.shells.lock().unwrap().push(shell);
        Ok(terminal)
    }
}
