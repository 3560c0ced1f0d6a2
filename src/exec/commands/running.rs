//! Handle of a running command: output, input, wait, stop.
//!
//! Must not know its purpose.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite};

/// Parameters of a command.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SpawnSpec {
    /// Text for the shell (`bash -c`).
    pub script: String,
    /// Working folder.
    pub cwd: PathBuf,
    /// Set in addition to the filtered variables of the environment.
    pub env: BTreeMap<String, String>,
    /// Its input.
    pub input: Input,
    /// Whether the shell reads the user's start files. Secrets that these name are not the command's.
    pub login: bool,
    /// Whether [`RunningControl::folder`] will be called at its end. Not for commands in a terminal.
    pub reports_folder: bool,
}

/// Input and output of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// No input; both output streams share one pipe.
    Closed,
    /// A pipe as input; both output streams share one pipe.
    Piped,
    /// A pipe for each of the three streams, for programs that speak a protocol on two of them.
    Separate,
    /// Its own terminal with this many columns and rows.
    Terminal(u16, u16),
}

/// A running command. Dropping it kills everything that it started.
pub struct Running {
    /// Its output, until its end. A read error reported by the system counts as the end, too.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// Its standard error, where that has a pipe of its own. It must be read: a full pipe blocks the command.
    pub errors: Option<Box<dyn AsyncRead + Send + Unpin>>,
    /// Its input, unless closed. Dropping it closes it.
    pub input: Option<Box<dyn AsyncWrite + Send + Sync + Unpin>>,
    /// The rest.
    pub control: Box<dyn RunningControl>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("id", &self.control.id()).finish_non_exhaustive()
    }
}

/// What a command and everything that it started use of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Bytes of memory that are resident; what processes share counts for each.
    pub memory: u64,
    /// Time of processors since their start.
    pub cpu: Duration,
}

/// Operations on a command other than reading and writing.
pub trait RunningControl: Send + Sync {
    /// Returns the process id of the shell, if it is meaningful.
    fn id(&self) -> Option<u32>;

    /// Waits for the shell's end; returns its exit code, 128 + signal number when a signal ended it.
    /// Cancel-safe and repeatable.
    fn wait(&mut self) -> BoxFuture<'_, i32>;

    /// Returns the shell's folder when it ended by itself, with links resolved. `None` unless
    /// [`SpawnSpec::tells_folder`] was set, if the shell could not report it, as when another program has
    /// replaced it, and in an environment without support.
    fn folder(&mut self) -> BoxFuture<'_, Option<PathBuf>> {
        Box::pin(std::future::ready(None))
    }

    /// Returns the processes that it started and that are still running, itself included.
    fn live_pids(&self) -> Vec<u32>;

    /// Returns what these processes use; `None` where it is not known.
    fn usage(&self) -> BoxFuture<'static, Option<Usage>> {
        Box::pin(std::future::ready(None))
    }

    /// Ends everything that it started: SIGTERM, after 2 s SIGKILL. The caller must keep reading the output
    /// meanwhile.
    fn stop(&mut self) -> BoxFuture<'_, ()>;

    /// Releases the process ids: no process of it is running any more, so they may be reused.
    fn release(&mut self);
}
