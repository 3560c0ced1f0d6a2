//! An environment that includes the open files: the agent reads what the user sees, including unsaved edits,
//! and its edits are applied to the buffer as one undoable transaction.
//!
//! An edit is computed for one version of the buffer. If the user types in the meantime it is rejected as
//! stale; the tool then reads again and repeats it on the new text. The result is also written to disk, so
//! that commands see it; if that fails, the edit is undone. Diffs are computed here, on the agent's task,
//! never on the event loop.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::exec::{
    CommandSpec, DirEntry, EnvError, Environment, Exit, FileData, FileId, FileStat, FindSpec, MatchSink,
    MoveLock, OutputSink, PathSink, Running, SearchSpec, SearchStats, SpawnSpec, Stamp,
};
use crate::ide::core::context::{Cx, Tasks};
use crate::ide::core::feature::DiskChange;
use crate::ide::features::files::events::{self, BufferSnapshot};
use crate::ide::features::files::jobs::AgentMoves;
use crate::ide::features::files::moved;
use crate::text::diff;
use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format::{self, Format};
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Name of the callback for an edit of an open file.
pub const AGENT_EDIT: &str = "files.agent-edit";

/// A move that was begun on the event loop. Dropped before its end, because its task failed or was aborted, it ends as one
/// that was not made.
struct RunningMove {
    tasks: Tasks,
    /// From where to where; `None` once it has ended.
    rest: Option<(PathBuf, PathBuf, AgentMoves)>,
}

impl RunningMove {
    /// Ends it, with the new path if it was made.
    async fn end(mut self, real: Option<PathBuf>) {
        if let Some(rest) = self.rest.take() {
            end_move(self.tasks.clone(), rest, real).await;
        }
    }
}

impl Drop for RunningMove {
    fn drop(&mut self) {
        if let Some(rest) = self.rest.take() {
            self.tasks.detach(end_move(self.tasks.clone(), rest, None));
        }
    }
}

async fn end_move(tasks: Tasks, (from, to, lock): (PathBuf, PathBuf, AgentMoves), real: Option<PathBuf>) {
    let end = move |cx: &mut Cx<'_>| {
        // Before saves go on, and features hear of it.
        drop(lock);
        moved::end(cx, &from, &to, real.as_deref());
    };
    tasks.post("files.moved", end).await;
}

/// Wraps the environment of the real files and commands.
#[derive(Debug, Clone)]
pub struct BufferEnvironment {
    inner: Arc<dyn Environment>,
    tasks: Tasks,
}

impl BufferEnvironment {
    /// Returns an environment that queries open files on the event loop of `tasks`.
    pub fn new(inner: Arc<dyn Environment>, tasks: Tasks) -> Self {
        Self { inner, tasks }
    }

    /// Runs `look` on the event loop and returns its result.
    async fn query<T: Send + 'static>(
        &self,
        name: &'static str,
        read: impl FnOnce(&mut Cx<'_>) -> T + Send + 'static,
    ) -> Result<T, EnvError> {
        let (reply, answer) = oneshot::channel();
        let send = move |cx: &mut Cx<'_>| {
            if reply.send(read(cx)).is_err() {
                tracing::debug!(name, "the call that asked was interrupted");
            }
        };
        self.tasks.post(name, send).await;
        answer.await.map_err(|_| EnvError::Cancelled)
    }

    async fn notify_changed(&self, path: &Path, change: DiskChange) {
        let path = path.to_path_buf();
        self.tasks.post("files.touched", move |cx| events::on_agent_change(cx, &path, change)).await;
    }

    async fn move_files(&self, from: PathBuf, to: PathBuf, overwrite: bool) -> Result<PathBuf, EnvError> {
        let (old, new, tasks) = (from.clone(), to.clone(), self.tasks.clone());
        let begin = move |cx: &mut Cx<'_>| {
            let lock = moved::begin(cx, &old, &new)?;
            Ok(RunningMove { tasks, rest: Some((old, new, lock)) })
        };
        let running = self.query("files.begin-move", begin).await?.map_err(EnvError::Refused)?;
        let done = self.inner.rename(&from, &to, overwrite).await;
        running.end(done.as_ref().ok().cloned()).await;
        done
    }

    /// Returns the open file at a path, with links resolved.
    async fn snapshot(&self, path: &Path) -> Result<Option<BufferSnapshot>, EnvError> {
        let path = self.inner.resolve(path).await?;
        self.query("files.snapshot", move |cx| events::snapshot(cx, &path)).await
    }

    async fn write_open(
        &self,
        path: &Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
        open: BufferSnapshot,
    ) -> Result<Stamp, EnvError> {
        if expected.is_some_and(|stamp| stamp != stamp_of(&open)) {
            return Err(EnvError::Stale(path.to_path_buf()));
        }
        if open.read_only.is_some() {
            return Err(EnvError::Denied(path.to_path_buf()));
        }
        // Bytes read in the file's encoding are written back in it.
        let decoded = format::decode_as(&bytes, open.format.encoding);
        let (new, format) = decoded.unwrap_or_else(|| format::decode(&bytes));
        // A text without a line break does not determine the line ending.
        let ending = if new.contains('\n') { format.ending } else { open.format.ending };
        let format = Format { ending, ..format };
        let changes = diff::change(&open.text.to_string(), &new);
        let (id, version) = (open.id, open.version);
        let (reply, edited) = oneshot::channel();
        let edit = move |cx: &mut Cx<'_>| events::edit(cx, (id, version), (changes, format), reply);
        self.tasks.post(AGENT_EDIT, edit).await;
        let edited = edited.await.map_err(|_| EnvError::Cancelled)?;
        let Some(edit) = edited else { return Err(EnvError::Stale(path.to_path_buf())) };
        let version = edit.version;
        // The file must be in the state the buffer knows: another process's change must be kept.
        let expected = open.stamp.clone().unwrap_or_else(Stamp::missing);
        let written = self.inner.write(path, bytes, Some(expected)).await;
        let stamp = written.as_ref().ok().cloned();
        self.tasks.post("files.agent-wrote", move |cx| events::finish_agent_edit(cx, id, &edit, stamp)).await;
        written?;
        Ok(stamp_of(&BufferSnapshot { version, ..open }))
    }
}

/// Returns a text as searches read it: in UTF-8, regardless of its file's encoding.
fn utf8(text: &Text) -> Arc<[u8]> {
    let plain = Format { encoding: Encoding::UTF8, bom: false, ..Format::default() };
    // UTF-8 can encode every character.
    format::encode(text.chunks_from(Byte(0)), plain).unwrap_or_default().into()
}

/// The state of an open file.
fn stamp_of(open: &BufferSnapshot) -> Stamp {
    Stamp(format!("buffer {} version {}", open.id.0, open.version))
}

impl Environment for BufferEnvironment {
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

    fn hard_link<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Option<FileId>, EnvError>> {
        self.inner.hard_link(path)
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        self.inner.list(path)
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        async move {
            match self.snapshot(path).await? {
                Some(open) => {
                    let bytes = format::encode(open.text.chunks_from(Byte(0)), open.format);
                    let bytes = bytes.map_err(|unfit| EnvError::unencodable(path, unfit))?;
                    Ok(FileData { bytes, stamp: stamp_of(&open) })
                }
                None => self.inner.read(path).await,
            }
        }
        .boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        async move {
            if let Some(open) = self.snapshot(path).await? {
                self.write_open(path, bytes, expected, open).await
            } else {
                let is_new = match &expected {
                    Some(stamp) => *stamp == Stamp::missing(),
                    None => !self.inner.exists(path).await.unwrap_or(true),
                };
                let stamp = self.inner.write(path, bytes, expected).await?;
                let change = if is_new { DiskChange::Created } else { DiskChange::Changed };
                self.notify_changed(path, change).await;
                Ok(stamp)
            }
        }
        .boxed()
    }

    fn remove<'a>(&'a self, path: &'a Path, expected: Option<Stamp>) -> BoxFuture<'a, Result<(), EnvError>> {
        async move {
            // The buffer of an open file stays, with its text; its knowledge of the file is reset.
            let expected = match self.snapshot(path).await? {
                Some(open) if expected.as_ref().is_some_and(|stamp| *stamp != stamp_of(&open)) => {
                    return Err(EnvError::Stale(path.to_path_buf()));
                }
                Some(open) => open.stamp,
                None => expected,
            };
            self.inner.remove(path, expected).await?;
            self.notify_changed(path, DiskChange::Deleted).await;
            Ok(())
        }
        .boxed()
    }

    /// Open texts below the old path go on at the new one.
    fn rename<'a>(
        &'a self,
        from: &'a Path,
        to: &'a Path,
        overwrite: bool,
    ) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        let (env, from, to) = (self.clone(), from.to_path_buf(), to.to_path_buf());
        async move {
            let path = from.clone();
            // In a task of its own: a call that is cancelled must not leave texts that cannot be saved.
            let work = tokio::spawn(async move { env.move_files(from, to, overwrite).await });
            work.await
                .unwrap_or_else(|error| Err(EnvError::Io { path, source: std::io::Error::other(error) }))
        }
        .boxed()
    }

    fn lock_moves(&self) -> BoxFuture<'_, Result<MoveLock, EnvError>> {
        async move {
            let lock = self.query("files.lock-moves", |cx| moved::lock(cx.state)).await?;
            lock.map(MoveLock::new).map_err(EnvError::Refused)
        }
        .boxed()
    }

    fn open_files(&self) -> BoxFuture<'_, Vec<PathBuf>> {
        // While the program is quitting no file is open any more.
        async move { self.query("files.open-paths", events::open_paths).await.unwrap_or_default() }.boxed()
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

    /// Searches open files with unsaved changes in their buffer text.
    fn search(
        &self,
        spec: SearchSpec,
        sink: MatchSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<SearchStats, EnvError>> {
        async move {
            let texts = self.query("files.unsaved", events::unsaved_texts).await?;
            let bytes = move || texts.into_iter().map(|(path, text)| (path, utf8(&text))).collect();
            let unsaved = tokio::task::spawn_blocking(bytes).await.map_err(|_| EnvError::Cancelled)?;
            self.inner.search(SearchSpec { unsaved, ..spec }, sink, cancel).await
        }
        .boxed()
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
