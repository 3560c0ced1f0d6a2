//! A shell in its own pseudo-terminal: bytes, window size, end.
//!
//! Must not know the meaning of the bytes. The shell leads a session, so that everything started from it can
//! be found and ended, in any process group.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};

use futures::future::BoxFuture;
use pty_process::{Command, OwnedReadPty, OwnedWritePty, Size};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use rustix::termios::{Winsize, tcgetpgrp, tcsetwinsize};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::Child;

use crate::exec::commands::process::keyboard_signals;

/// The value of `TERM`: the terminal pane supports everything that programs infer from it.
const TERM: &str = "xterm-256color";
/// Variables about the terminal outside, which would lead programs inside astray.
const OUTER_TERMINAL_VARS: [&str; 8] = [
    "COLUMNS",
    "LINES",
    "TERMCAP",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TMUX",
    "VTE_VERSION",
    "WINDOWID",
];

/// Parameters of a terminal.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TerminalSpec {
    /// The shell's start folder.
    pub cwd: PathBuf,
    /// Columns of the window, at least 1.
    pub cols: u16,
    /// Rows of the window, at least 1.
    pub rows: u16,
}

/// A shell that runs.
pub struct Terminal {
    /// The shell's name, for display.
    pub name: String,
    /// Its output, until its end. A read error reported by the system counts as the end, too.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// Its input.
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    /// Other operations. Dropping it before the shell's end kills everything in the terminal; after it,
    /// leftover processes keep running.
    pub control: Box<dyn TerminalControl>,
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Operations on a terminal other than reading and writing.
pub trait TerminalControl: Send + Sync {
    /// Sets the window size for the programs inside.
    fn resize(&self, cols: u16, rows: u16) -> io::Result<()>;

    /// The program that runs in front of the shell, by name.
    fn foreground_program(&self) -> Option<String>;

    /// Waits for the shell's end; returns its exit code, 128 + signal number when a signal ended it.
    /// Cancel-safe and repeatable.
    fn wait(&mut self) -> BoxFuture<'_, i32>;

    /// Sends a hang-up to everything inside.
    fn hang_up(&self);

    /// Kills everything left inside.
    fn kill(&self);
}

/// Starts the user's shell. `vars` are all the variables that it gets, in addition to its own.
pub(in crate::exec) fn start(vars: &[(OsString, OsString)], spec: &TerminalSpec) -> io::Result<Terminal> {
    let shell = shell(vars);
    let name = shell.file_name().map_or_else(|| "sh".into(), |name| name.to_string_lossy().into_owned());
    let inside = |(name, _): &&(OsString, OsString)| !OUTER_TERMINAL_VARS.iter().any(|known| name == known);
    let command = Command::new(&shell)
        .current_dir(&spec.cwd)
        .env_clear()
        .envs(vars.iter().filter(inside).map(|(name, value)| (name, value)))
        .env("TERM", TERM)
        .env("COLORTERM", "truecolor")
        .env("SHELL", &shell);
    let (output, input, control) = open(command, spec.cols, spec.rows)?;
    Ok(Terminal { name, output: Box::new(output), input: Box::new(input), control: Box::new(control) })
}

/// Starts a program as the leader of a session in a terminal of that size.
pub(in crate::exec) fn open(
    command: Command,
    cols: u16,
    rows: u16,
) -> io::Result<(OwnedReadPty, OwnedWritePty, Control)> {
    keyboard_signals::unignore_for_children();
    let (pty, pts) = pty_process::open().map_err(io_error)?;
    pty.resize(Size::new(rows.max(1), cols.max(1))).map_err(io_error)?;
    let master = pty.as_fd().try_clone_to_owned()?;
    let child = command.kill_on_drop(true).spawn(pts).map_err(io_error)?;
    let session = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let (output, input) = pty.into_split();
    Ok((output, input, Control { child, master, session, ended: false }))
}

/// Converts the library's error, which is the system's in all possible cases.
fn io_error(error: pty_process::Error) -> io::Error {
    match error {
        pty_process::Error::Io(error) => error,
        pty_process::Error::Rustix(error) => error.into(),
        other => io::Error::other(other),
    }
}

/// Returns the shell of terminals: the user's, if it exists, else sh.
pub(crate) fn shell(vars: &[(OsString, OsString)]) -> PathBuf {
    let own = vars.iter().find(|(name, _)| name == "SHELL").map(|(_, value)| PathBuf::from(value));
    own.filter(|shell| shell.is_absolute() && shell.is_file()).unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

/// Control of everything that runs in a terminal.
pub(in crate::exec) struct Control {
    child: Child,
    /// The master side of the terminal, for window size and foreground.
    master: OwnedFd,
    session: Option<Pid>,
    ended: bool,
}

impl TerminalControl for Control {
    fn resize(&self, cols: u16, rows: u16) -> io::Result<()> {
        let size = Winsize { ws_row: rows.max(1), ws_col: cols.max(1), ws_xpixel: 0, ws_ypixel: 0 };
        Ok(tcsetwinsize(self.master.as_fd(), size)?)
    }

    fn foreground_program(&self) -> Option<String> {
        let front = tcgetpgrp(self.master.as_fd()).ok()?;
        if self.ended || Some(front) == self.session {
            return None;
        }
        let name = std::fs::read_to_string(format!("/proc/{}/comm", front.as_raw_nonzero()));
        Some(name.map_or_else(|_| "a program".to_string(), |name| name.trim().to_string()))
    }

    fn wait(&mut self) -> BoxFuture<'_, i32> {
        Box::pin(async {
            let status = self.child.wait().await;
            self.ended = true;
            match status {
                Ok(status) => {
                    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot wait for a shell");
                    -1
                }
            }
        })
    }

    fn hang_up(&self) {
        self.signal(Signal::HUP);
        // A stopped process must continue to receive it.
        self.signal(Signal::CONT);
    }

    fn kill(&self) {
        self.signal(Signal::KILL);
    }
}

impl Control {
    /// Returns the session id, which is its leader's process id.
    pub(in crate::exec) fn session(&self) -> Option<Pid> {
        self.session
    }

    /// Returns the processes still running inside, as far as the system lists them.
    pub(in crate::exec) fn live_pids(&self) -> Vec<Pid> {
        self.session.and_then(|session| members(Path::new("/proc"), session)).unwrap_or_default()
    }

    /// Marks the session as ended.
    pub(in crate::exec) fn release(&mut self) {
        self.session = None;
    }

    /// Signals every process of the session; if the system does not list them, the shell's group and the
    /// foreground group.
    pub(in crate::exec) fn signal(&self, signal: Signal) {
        let Some(session) = self.session else { return };
        if let Some(members) = members(Path::new("/proc"), session) {
            for member in members {
                log_error(kill_process(member, signal));
            }
            return;
        }
        if !self.ended {
            log_error(kill_process_group(session, signal));
        }
        if let Ok(front) = tcgetpgrp(self.master.as_fd())
            && front != session
        {
            log_error(kill_process_group(front, signal));
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        // Processes left by a shell that ended by itself were meant to keep running.
        if !self.ended {
            self.kill();
        }
    }
}

/// A process that is already gone is no error.
fn log_error(result: rustix::io::Result<()>) {
    if let Err(error) = result
        && error != rustix::io::Errno::SRCH
    {
        tracing::warn!(%error, "cannot signal a terminal's program");
    }
}

/// Returns the processes of a session; `None` if the system has no list of processes.
fn members(processes: &Path, session: Pid) -> Option<Vec<Pid>> {
    let mut found = Vec::new();
    let mut was_listed = false;
    for process in std::fs::read_dir(processes).ok()?.flatten() {
        let Ok(text) = std::fs::read_to_string(process.path().join("stat")) else { continue };
        was_listed = true;
        // `pid (name) state parent group session …`; a name may hold spaces and parentheses.
        let fields = text.rsplit(") ").next().unwrap_or("");
        if fields.starts_with(['Z', 'X']) {
            continue;
        }
        let of = fields.split(' ').nth(3).and_then(|session| session.parse().ok());
        let pid = process.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        if of == Some(session.as_raw_nonzero().get()) {
            found.extend(pid);
        }
    }
    was_listed.then_some(found)
}

#[cfg(test)]
mod tests;
