//! One command at work: a task reads what it prints and sees to its end, whichever call listens.
//!
//! Must not know any tool's words. Memory is bounded however much is printed and however seldom
//! anybody listens. Dropped, it takes the command and everything that it started along.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::exec::{Running, RunningControl};
use crate::tools::output::artifacts::Artifacts;
use crate::tools::output::command_output::{Collector, Output};

/// Read size: a pipe's capacity on Linux.
const CHUNK: usize = 64 * 1024;
/// After the shell's end, silence of this length ends the wait for what is still to be read, since a
/// process in the background may hold the pipe for ever.
const QUIET: Duration = Duration::from_millis(100);
/// The same wait in all.
const QUIET_MAX: Duration = Duration::from_secs(2);
/// Between two looks whether what the shell left behind still runs.
const LEFT_EVERY: Duration = Duration::from_secs(5);
/// Longest wait for a command to take what it is fed.
const FEED_MAX: Duration = Duration::from_secs(5);

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code (128 + signal number when a signal ended it).
    Code(i32),
    /// We stopped it.
    Stopped,
}

/// A command at work, or one that has ended.
#[derive(Debug)]
pub struct Live {
    inner: Arc<Inner>,
    ended: watch::Receiver<Option<End>>,
    /// The number of the shell's process.
    pub id: Option<u32>,
    /// Whether it has a terminal.
    pub is_terminal: bool,
    task: AbortHandle,
}

struct Inner {
    output: Mutex<Heard>,
    arrived: Notify,
    stop: CancellationToken,
    input: tokio::sync::Mutex<Option<Box<dyn AsyncWrite + Send + Sync + Unpin>>>,
    artifacts: Arc<Artifacts>,
    tool: &'static str,
    /// Processes that the shell left behind.
    left: Mutex<Vec<u32>>,
    /// Where the shell stood at its end, if it was asked.
    folder: Mutex<Option<PathBuf>>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("tool", &self.tool).finish_non_exhaustive()
    }
}

struct Heard {
    collector: Collector,
    /// When something came last.
    last: Instant,
    started: Instant,
    /// When it ended.
    over: Option<Instant>,
}

impl Live {
    /// Takes a command over. To be called where tasks run.
    pub(super) fn new(
        mut running: Running,
        artifacts: Arc<Artifacts>,
        tool: &'static str,
        is_terminal: bool,
    ) -> Self {
        let (tell, ended) = watch::channel(None);
        let now = Instant::now();
        let collector = Collector::new(artifacts.begin(tool));
        let inner = Arc::new(Inner {
            output: Mutex::new(Heard { collector, last: now, started: now, over: None }),
            arrived: Notify::new(),
            stop: CancellationToken::new(),
            input: tokio::sync::Mutex::new(running.input.take()),
            artifacts,
            tool,
            left: Mutex::default(),
            folder: Mutex::default(),
        });
        let id = running.control.id();
        let task = tokio::spawn(run(running, Arc::clone(&inner), tell)).abort_handle();
        Self { inner, ended, id, is_terminal, task }
    }

    /// How it ended; `None` while it runs.
    pub fn end(&self) -> Option<End> {
        *self.ended.borrow()
    }

    /// Waits for its end.
    pub async fn ended(&self) -> End {
        let mut ended = self.ended.clone();
        // A task that is gone without a word was ended with its runtime.
        ended.wait_for(Option::is_some).await.map_or(End::Stopped, |end| (*end).unwrap_or(End::Stopped))
    }

    /// Waits until something was printed since the last such wait.
    pub async fn arrived(&self) {
        self.inner.arrived.notified().await;
    }

    /// What was printed and not yet taken.
    pub fn take(&self) -> Output {
        let writing = self.inner.artifacts.begin(self.inner.tool);
        let ended = self.end().is_some();
        self.inner.output().collector.take(writing, ended)
    }

    /// The end of what was printed and not yet taken, for the user.
    pub fn tail(&self) -> String {
        self.inner.output().collector.tail_text()
    }

    /// What was printed behind so many bytes of what was not yet taken, as far as it is in memory, and how many
    /// bytes there are by now.
    pub fn since(&self, from: usize) -> (String, usize) {
        self.inner.output().collector.since(from)
    }

    /// How long it has been silent.
    pub fn silent(&self) -> Duration {
        self.inner.output().last.elapsed()
    }

    /// How long it runs, or ran.
    pub fn took(&self) -> Duration {
        let heard = self.inner.output();
        heard.over.unwrap_or_else(Instant::now).duration_since(heard.started)
    }

    /// Processes that the shell left behind when it ended.
    pub fn left(&self) -> Vec<u32> {
        self.inner.left.lock().clone()
    }

    /// Where the shell stood when it ended by itself, if it was asked and could say it.
    pub fn folder(&self) -> Option<PathBuf> {
        self.inner.folder.lock().clone()
    }

    /// Feeds it. An error when it reads nothing, has ended, or takes nothing for 5 s.
    pub async fn feed(&self, text: &str) -> io::Result<()> {
        let mut input = self.inner.input.lock().await;
        let closed = || io::Error::new(io::ErrorKind::BrokenPipe, "its standard input is closed");
        let pipe = input.as_mut().ok_or_else(closed)?;
        let fed = timeout(FEED_MAX, async {
            pipe.write_all(text.as_bytes()).await?;
            pipe.flush().await
        });
        fed.await
            .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "it does not read its input")))
    }

    /// Whether nothing of it runs any more.
    pub fn is_over(&self) -> bool {
        self.task.is_finished()
    }

    /// Stops it and what it left behind, and waits until nothing of it runs any more.
    pub async fn stop_all(&self) {
        self.stop().await;
        // Who listens hears of the end of the task, which holds the other end.
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }

    /// Stops it: SIGTERM, after 2 s SIGKILL. Waits for the end.
    pub async fn stop(&self) -> End {
        self.inner.stop.cancel();
        self.ended().await
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Inner {
    fn output(&self) -> MutexGuard<'_, Heard> {
        self.output.lock()
    }

    /// Takes what was read; false at the end.
    fn heard(&self, read: &io::Result<usize>, buffer: &[u8]) -> bool {
        // The end of a terminal is an error to the system.
        let Ok(length @ 1..) = *read else { return false };
        let mut heard = self.output();
        heard.collector.push(&buffer[..length]);
        heard.last = Instant::now();
        drop(heard);
        self.arrived.notify_one();
        true
    }
}

type Out = Box<dyn AsyncRead + Send + Unpin>;

/// Reads until nothing comes any more or `until` is done, whichever is first; gives what that gave.
async fn read<T>(out: &mut Out, open: &mut bool, inner: &Inner, until: impl Future<Output = T>) -> T {
    let mut buffer = vec![0; CHUNK];
    tokio::pin!(until);
    loop {
        tokio::select! {
            biased;
            done = &mut until => return done,
            read = out.read(&mut buffer), if *open => *open = inner.heard(&read, &buffer),
        }
    }
}

/// The life of a command.
async fn run(running: Running, inner: Arc<Inner>, tell: watch::Sender<Option<End>>) {
    let Running { mut output, mut control, .. } = running;
    let mut open = true;
    let stopped = read(&mut output, &mut open, &inner, async {
        tokio::select! {
            biased;
            () = inner.stop.cancelled() => None,
            code = control.wait() => Some(code),
        }
    })
    .await;
    let end = if let Some(code) = stopped {
        End::Code(code)
    } else {
        read(&mut output, &mut open, &inner, control.stop()).await;
        End::Stopped
    };
    drain(&mut output, &mut open, &inner).await;
    if let End::Code(_) = end {
        let folder = control.folder().await;
        *inner.folder.lock() = folder;
    }
    let left = control.left();
    inner.left.lock().clone_from(&left);
    inner.input.lock().await.take();
    inner.output().over = Some(Instant::now());
    if tell.send(Some(end)).is_err() {
        tracing::debug!("nobody waits for the end of a command");
    }
    inner.arrived.notify_one();
    if !left.is_empty() {
        keep(&mut output, &mut open, &inner, &mut *control).await;
    }
    control.forget();
    drop(tell);
}

/// What is still in the pipe after the shell's end.
async fn drain(output: &mut Out, open: &mut bool, inner: &Inner) {
    let latest = Instant::now() + QUIET_MAX;
    let mut buffer = vec![0; CHUNK];
    while *open && Instant::now() < latest {
        let Ok(read) = timeout(QUIET, output.read(&mut buffer)).await else { return };
        *open = inner.heard(&read, &buffer);
    }
}

/// Goes on reading what those print whom the shell left behind, until they are gone or stopped.
async fn keep(output: &mut Out, open: &mut bool, inner: &Inner, control: &mut dyn RunningControl) {
    loop {
        let stopped = async {
            tokio::select! {
                () = inner.stop.cancelled() => true,
                () = tokio::time::sleep(LEFT_EVERY) => false,
            }
        };
        if read(output, open, inner, stopped).await {
            read(output, open, inner, control.stop()).await;
            return;
        }
        if control.left().is_empty() {
            return;
        }
    }
}
