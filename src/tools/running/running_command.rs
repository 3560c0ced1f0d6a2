//! A running command: a task reads its output and handles its end, whether or not a call is waiting.
//!
//! Must not know any tool's texts. Memory is bounded for any amount of unread output. Dropping it kills the
//! command and everything that it started.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::output_ring::OutputRing;
use super::watched_job::{CommandEnd, Times, WatchedJob};
use crate::exec::{Running, RunningControl};
use crate::tools::output::artifacts::Artifacts;
use crate::tools::output::command_output::{Output, OutputCollector};

/// Read size: a pipe's capacity on Linux.
const CHUNK: usize = 64 * 1024;
/// After the shell's end, silence of this length ends the wait for remaining output, since a background
/// process may hold the pipe open forever.
const QUIET: Duration = Duration::from_millis(100);
/// Maximum total wait for remaining output.
const QUIET_MAX: Duration = Duration::from_secs(2);
/// Interval between two checks whether leftover processes are running.
const LEFTOVER_POLL: Duration = Duration::from_secs(5);
/// Maximum wait for a command to accept input.
const FEED_MAX: Duration = Duration::from_secs(5);

/// A command that is running or has ended.
#[derive(Debug)]
pub struct RunningCommand {
    inner: Arc<Inner>,
    ended: watch::Receiver<Option<CommandEnd>>,
    /// The number of the shell's process.
    pub id: Option<u32>,
    /// Whether it has a terminal.
    pub is_terminal: bool,
    /// The folder where it was started.
    start_folder: PathBuf,
    task: AbortHandle,
}

struct Inner {
    output: Mutex<OutputState>,
    /// The latest output again, for those who watch.
    ring: Arc<OutputRing>,
    times: Arc<Times>,
    output_arrived: Notify,
    stop: CancellationToken,
    input: tokio::sync::Mutex<Option<Box<dyn AsyncWrite + Send + Sync + Unpin>>>,
    artifacts: Arc<Artifacts>,
    tool: &'static str,
    /// Processes that the shell left running.
    leftovers: Mutex<Vec<u32>>,
    /// The shell's folder at its end, if requested.
    folder: Mutex<Option<PathBuf>>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("tool", &self.tool).finish_non_exhaustive()
    }
}

struct OutputState {
    collector: OutputCollector,
    /// Time of the last output.
    last_output: Instant,
}

impl RunningCommand {
    /// Takes over a started command. Must be called within a runtime.
    pub(super) fn new(
        mut running: Running,
        artifacts: Arc<Artifacts>,
        tool: &'static str,
        is_terminal: bool,
        start_folder: PathBuf,
    ) -> Self {
        let (end_sender, ended) = watch::channel(None);
        let now = Instant::now();
        let collector = OutputCollector::new(artifacts.start_writing(tool));
        let inner = Arc::new(Inner {
            output: Mutex::new(OutputState { collector, last_output: now }),
            ring: Arc::default(),
            times: Arc::new(Times { started: now, ended: OnceLock::new() }),
            output_arrived: Notify::new(),
            stop: CancellationToken::new(),
            input: tokio::sync::Mutex::new(running.input.take()),
            artifacts,
            tool,
            leftovers: Mutex::default(),
            folder: Mutex::default(),
        });
        let id = running.control.id();
        let task = tokio::spawn(run(running, Arc::clone(&inner), end_sender)).abort_handle();
        Self { inner, ended, id, is_terminal, start_folder, task }
    }

    /// Returns how it ended; `None` while it runs.
    pub fn end(&self) -> Option<CommandEnd> {
        *self.ended.borrow()
    }

    /// Waits for its end.
    pub async fn wait_for_end(&self) -> CommandEnd {
        let mut ended = self.ended.clone();
        // A task that vanished was ended with its runtime.
        ended
            .wait_for(Option::is_some)
            .await
            .map_or(CommandEnd::Stopped, |end| (*end).unwrap_or(CommandEnd::Stopped))
    }

    /// Waits for output that arrives after the last such wait.
    pub async fn wait_for_output(&self) {
        self.inner.output_arrived.notified().await;
    }

    /// Takes the output since the last call.
    pub fn take_output(&self) -> Output {
        let writing = self.inner.artifacts.start_writing(self.inner.tool);
        let ended = self.end().is_some();
        self.inner.output().collector.take(writing, ended)
    }

    /// Returns the end of the output that was not taken, for the user.
    pub fn tail(&self) -> String {
        self.inner.output().collector.tail_text()
    }

    /// Returns the untaken output after this many bytes, as far as it is in memory, and its total number of
    /// bytes.
    pub fn output_from(&self, from: usize) -> (String, usize) {
        self.inner.output().collector.read_from(from)
    }

    /// Returns the time since the last output.
    pub fn silent_for(&self) -> Duration {
        self.inner.output().last_output.elapsed()
    }

    /// Returns how long it has been or was running.
    pub fn elapsed(&self) -> Duration {
        let times = &self.inner.times;
        times.ended.get().copied().unwrap_or_else(Instant::now).duration_since(times.started)
    }

    /// Returns it for those who only watch it, as the background command of this number; the list gives it
    /// its key.
    pub(super) fn watched(&self, number: u64, command: &str) -> WatchedJob {
        WatchedJob {
            key: 0,
            number,
            command: command.to_string(),
            folder: self.start_folder.clone(),
            ring: Arc::clone(&self.inner.ring),
            ended: self.ended.clone(),
            stop: self.inner.stop.clone(),
            times: Arc::clone(&self.inner.times),
        }
    }

    /// Returns the processes that the shell left running when it ended.
    pub fn leftovers(&self) -> Vec<u32> {
        self.inner.leftovers.lock().clone()
    }

    /// Returns the shell's folder when it ended by itself, if requested and known.
    pub fn folder(&self) -> Option<PathBuf> {
        self.inner.folder.lock().clone()
    }

    /// Writes input. Fails when it reads nothing, has ended, or accepts nothing for 5 s.
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

    /// Whether no process of it is running any more.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }

    /// Stops it and leftover processes, and waits until all are gone.
    pub async fn stop_all(&self) {
        self.stop().await;
        // Its sender lives in the task, so this resolves when the task ends.
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }

    /// Stops it: SIGTERM, after 2 s SIGKILL. Waits for the end.
    pub async fn stop(&self) -> CommandEnd {
        self.inner.stop.cancel();
        self.wait_for_end().await
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Inner {
    fn output(&self) -> MutexGuard<'_, OutputState> {
        self.output.lock()
    }

    /// Adds output that was read; returns false at the end.
    fn take_read(&self, read: &io::Result<usize>, buffer: &[u8]) -> bool {
        // The end of a terminal is an error to the system.
        let Ok(length @ 1..) = *read else { return false };
        let mut output_state = self.output();
        output_state.collector.push(&buffer[..length]);
        output_state.last_output = Instant::now();
        drop(output_state);
        self.ring.push(&buffer[..length]);
        self.output_arrived.notify_one();
        true
    }
}

type OutputStream = Box<dyn AsyncRead + Send + Unpin>;

/// Reads until the end of the output or until `until` resolves; returns the latter's result.
async fn read<T>(
    out: &mut OutputStream,
    open: &mut bool,
    inner: &Inner,
    until: impl Future<Output = T>,
) -> T {
    let mut buffer = vec![0; CHUNK];
    tokio::pin!(until);
    loop {
        tokio::select! {
            biased;
            done = &mut until => return done,
            read = out.read(&mut buffer), if *open => *open = inner.take_read(&read, &buffer),
        }
    }
}

/// The life of a command.
async fn run(running: Running, inner: Arc<Inner>, end_sender: watch::Sender<Option<CommandEnd>>) {
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
        CommandEnd::Code(code)
    } else {
        read(&mut output, &mut open, &inner, control.stop()).await;
        CommandEnd::Stopped
    };
    drain(&mut output, &mut open, &inner).await;
    if let CommandEnd::Code(_) = end {
        let folder = control.folder().await;
        *inner.folder.lock() = folder;
    }
    let leftovers = control.live_pids();
    inner.leftovers.lock().clone_from(&leftovers);
    inner.input.lock().await.take();
    // This is the only place that sets it.
    inner.times.ended.get_or_init(Instant::now);
    if end_sender.send(Some(end)).is_err() {
        tracing::debug!("nobody waits for the end of a command");
    }
    inner.output_arrived.notify_one();
    if !leftovers.is_empty() {
        drain_leftovers(&mut output, &mut open, &inner, &mut *control).await;
    }
    control.release();
    drop(end_sender);
}

/// Reads what is still in the pipe after the shell's end.
async fn drain(output: &mut OutputStream, open: &mut bool, inner: &Inner) {
    let latest = Instant::now() + QUIET_MAX;
    let mut buffer = vec![0; CHUNK];
    while *open && Instant::now() < latest {
        let Ok(read) = timeout(QUIET, output.read(&mut buffer)).await else { return };
        *open = inner.take_read(&read, &buffer);
    }
}

/// Keeps reading the output of leftover processes, until they are gone or stopped.
async fn drain_leftovers(
    output: &mut OutputStream,
    open: &mut bool,
    inner: &Inner,
    control: &mut dyn RunningControl,
) {
    loop {
        let stopped = async {
            tokio::select! {
                () = inner.stop.cancelled() => true,
                () = tokio::time::sleep(LEFTOVER_POLL) => false,
            }
        };
        if read(output, open, inner, stopped).await {
            read(output, open, inner, control.stop()).await;
            return;
        }
        if control.live_pids().is_empty() {
            return;
        }
    }
}
