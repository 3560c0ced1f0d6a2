//! A command that runs, as a value: it can be heard, fed, waited for and ended.
//!
//! Must not know why it runs.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use futures::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite};

/// What a command begins with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SpawnSpec {
    /// Text for the shell (`bash -c`).
    pub script: String,
    /// Working folder.
    pub cwd: PathBuf,
    /// Set in addition to the filtered variables of the environment.
    pub env: BTreeMap<String, String>,
    /// What it reads.
    pub input: Input,
    /// Whether the shell reads the user's start files. Secrets that these name are not the command's.
    pub login: bool,
    /// Whether [`RunningControl::folder`] is to be asked at its end. Not for those in a terminal.
    pub reports_folder: bool,
}

/// What a command reads, and where it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Nothing; both output streams are one pipe.
    Closed,
    /// What it is fed; both output streams are one pipe.
    Piped,
    /// A terminal of its own of so many columns and rows.
    Terminal(u16, u16),
}

/// A command that runs. Dropped, it takes everything along that it started.
pub struct Running {
    /// What it prints, until its end. An end that the system calls an error is one, too.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// What it reads, unless that is closed. Dropped, it is at its end.
    pub input: Option<Box<dyn AsyncWrite + Send + Sync + Unpin>>,
    /// The rest.
    pub control: Box<dyn RunningControl>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("id", &self.control.id()).finish_non_exhaustive()
    }
}

/// What can be done to a command beside reading and writing.
pub trait RunningControl: Send + Sync {
    /// The number of the shell's process where that means something.
    fn id(&self) -> Option<u32>;

    /// Waits for the shell's end; its code, 128 + signal number when a signal ended it. Safe to drop
    /// and call again.
    fn wait(&mut self) -> BoxFuture<'_, i32>;

    /// Where the shell stood when it ended by itself, links followed. `None` unless
    /// [`SpawnSpec::tells_folder`] was set, where the shell did not get to say it, as one that another
    /// program has replaced, and in an environment that cannot tell.
    fn folder(&mut self) -> BoxFuture<'_, Option<PathBuf>> {
        Box::pin(std::future::ready(None))
    }

    /// The processes that it started and that still run, itself included.
    fn live_pids(&self) -> Vec<u32>;

    /// Ends everything that it started: SIGTERM, after 2 s SIGKILL. Who waits for it must go on
    /// reading the output.
    fn stop(&mut self) -> BoxFuture<'_, ()>;

    /// Lets go: nothing of it runs any more, so that its numbers may be another process's.
    fn release(&mut self);
}
