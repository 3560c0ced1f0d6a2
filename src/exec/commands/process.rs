//! Runs one shell command of this machine: process group, output, end.
//!
//! Must not know its purpose. Both output streams share one pipe, so that their order is kept, unless the
//! command is a filter.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tempfile::TempPath;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::exec::disk::files;
use crate::exec::environment::{CommandSpec, Exit, OutputSink};
use crate::exec::error::EnvError;

mod folder_report;
pub(in crate::exec) mod keyboard_signals;
pub mod script;
pub(in crate::exec) mod spawn;
mod usage;

/// Between SIGTERM and SIGKILL.
pub(in crate::exec) const GRACE: Duration = Duration::from_secs(2);
/// How often to check whether a terminated group is gone.
pub(in crate::exec) const GROUP_POLL: Duration = Duration::from_millis(10);
/// After the shell's end, silence of this length ends the wait for a background process that
/// still holds the pipe.
const DRAIN_QUIET: Duration = Duration::from_millis(100);
/// Maximum total wait for such a process.
const DRAIN_MAX: Duration = Duration::from_secs(2);
/// Both waits after a kill, when late output is not needed.
const DRAIN_KILLED: Duration = Duration::from_millis(20);
/// Read size for short output.
const STDERR_CHUNK: usize = 4 * 1024;
/// Read size: a pipe's capacity on Linux.
const CHUNK: usize = 64 * 1024;

/// Runs a command to its end. `vars` are all the variables it gets, in addition to its own.
pub(in crate::exec) async fn run(
    vars: &[(OsString, OsString)],
    command: CommandSpec,
    mut output: OutputSink,
    cancel: CancellationToken,
) -> Result<Exit, EnvError> {
    if cancel.is_cancelled() {
        return Ok(Exit::Cancelled);
    }
    if !command.cwd.is_dir() {
        return Err(EnvError::NoWorkingFolder(command.cwd));
    }
    let deadline = command.timeout.and_then(|limit| Instant::now().checked_add(limit));
    let shell = shell(vars);
    let started = spawn(&shell, vars, &command).map_err(|source| files::error_at(&shell, source));
    let (child, pipe, script) = started?;
    let mut job = Job::new(child, pipe, script, command.cwd);
    tokio::select! {
        biased;
        () = cancel.cancelled() => {
            job.stop(&mut output).await;
            Ok(Exit::Cancelled)
        }
        () = sleep_until_deadline(deadline) => {
            job.stop(&mut output).await;
            Ok(Exit::TimedOut)
        }
        status = job.finish(&mut output) => status.map(|status| Exit::Code(exit_code(status))),
    }
}

/// Runs a command with `input`, and with separate sinks for output and errors.
pub(in crate::exec) async fn filter(
    vars: &[(OsString, OsString)],
    command: CommandSpec,
    input: Vec<u8>,
    (mut output, mut errors): (OutputSink, OutputSink),
    cancel: CancellationToken,
) -> Result<Exit, EnvError> {
    if cancel.is_cancelled() {
        return Ok(Exit::Cancelled);
    }
    if !command.cwd.is_dir() {
        return Err(EnvError::NoWorkingFolder(command.cwd));
    }
    let deadline = command.timeout.and_then(|limit| Instant::now().checked_add(limit));
    let shell = shell(vars);
    let started = spawn_with_pipes(&shell, vars, &command).map_err(|source| files::error_at(&shell, source));
    let (mut child, pipe, complaints, script) = started?;
    let stdin = child.stdin.take();
    let mut job = Job::new(child, pipe, script, command.cwd);
    tokio::select! {
        biased;
        () = cancel.cancelled() => {
            job.stop(&mut output).await;
            Ok(Exit::Cancelled)
        }
        () = sleep_until_deadline(deadline) => {
            job.stop(&mut output).await;
            Ok(Exit::TimedOut)
        }
        status = wait_with_io(&mut job, &mut output, feed(stdin, &input), forward_errors(complaints, &mut errors)) => {
            status.map(|status| Exit::Code(exit_code(status)))
        }
    }
}

/// Waits for a command's end while passing its input and output. Input not read by then is dropped.
async fn wait_with_io(
    job: &mut Job,
    output: &mut OutputSink,
    feed: impl Future<Output = ()>,
    listen: impl Future<Output = ()>,
) -> Result<ExitStatus, EnvError> {
    tokio::pin!(feed, listen);
    let (mut is_fed, mut is_heard) = (false, false);
    let finish = job.finish(output);
    tokio::pin!(finish);
    let status = loop {
        tokio::select! {
            status = &mut finish => break status,
            () = &mut feed, if !is_fed => is_fed = true,
            () = &mut listen, if !is_heard => is_heard = true,
        }
    };
    // A process that outlived the shell may hold the pipe open forever.
    if !is_heard && timeout(DRAIN_QUIET, listen).await.is_err() {
        tracing::debug!("a command's errors were not heard to their end");
    }
    status
}

/// Writes a command's input; a command that does not read all of it is no error.
async fn feed(stdin: Option<ChildStdin>, input: &[u8]) {
    let Some(mut stdin) = stdin else { return };
    if let Err(error) = stdin.write_all(input).await {
        tracing::debug!(%error, "a command did not read its whole input");
    }
}

/// Passes on a command's standard error to its end.
async fn forward_errors(mut pipe: Receiver, errors: &mut OutputSink) {
    let mut buffer = vec![0; STDERR_CHUNK];
    loop {
        let read = pipe.read(&mut buffer).await;
        if !forward_output(&buffer, read, errors) {
            return;
        }
    }
}

/// Waits until a deadline; forever without one.
async fn sleep_until_deadline(deadline: Option<Instant>) {
    match deadline {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Returns the exit code; 128 + signal number when a signal ended it, as in shells.
pub(in crate::exec) fn exit_code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

/// Returns the shell of commands: bash if it exists, else sh.
pub(crate) fn shell(vars: &[(OsString, OsString)]) -> PathBuf {
    let path = vars.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let folders = ["/bin", "/usr/bin"].map(PathBuf::from).into_iter();
    let path = path.unwrap_or_default();
    let searched = path.as_bytes().split(|byte| *byte == b':').filter(|folder| !folder.is_empty());
    folders
        .chain(searched.map(|folder| PathBuf::from(OsStr::from_bytes(folder))))
        .map(|folder| folder.join("bash"))
        .find(|file| file.is_file())
        .unwrap_or_else(|| PathBuf::from("/bin/sh"))
}

fn spawn(
    shell: &Path,
    vars: &[(OsString, OsString)],
    command: &CommandSpec,
) -> io::Result<(Child, Receiver, Option<TempPath>)> {
    let (reader, writer) = io::pipe()?;
    let pipe = Receiver::from_owned_fd(OwnedFd::from(reader))?;
    let (mut builder, script) = shell_command(shell, vars, command, false)?;
    // The builder owns the write ends and drops them at the end of this function, so that the
    // pipe ends when the last process that holds it does.
    let child = builder.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer).spawn()?;
    Ok((child, pipe, script))
}

/// The same with a pipe for standard input, and separate pipes for output and errors.
fn spawn_with_pipes(
    shell: &Path,
    vars: &[(OsString, OsString)],
    command: &CommandSpec,
) -> io::Result<(Child, Receiver, Receiver, Option<TempPath>)> {
    let ((output, stdout), (errors, stderr)) = (io::pipe()?, io::pipe()?);
    let output = Receiver::from_owned_fd(OwnedFd::from(output))?;
    let errors = Receiver::from_owned_fd(OwnedFd::from(errors))?;
    let (mut builder, script) = shell_command(shell, vars, command, false)?;
    let child = builder.stdin(Stdio::piped()).stdout(stdout).stderr(stderr).spawn()?;
    Ok((child, output, errors, script))
}

/// Returns a shell in its own process group, not started yet; and a file with its script if that is long.
pub(in crate::exec) fn shell_command(
    shell: &Path,
    vars: &[(OsString, OsString)],
    command: &CommandSpec,
    login: bool,
) -> io::Result<(Command, Option<TempPath>)> {
    keyboard_signals::unignore_for_children();
    let (given, script) = script::script_argument(&command.script)?;
    let mut builder = Command::new(shell);
    if login {
        builder.arg("-l");
    }
    builder
        .arg("-c")
        .arg(&*given)
        .current_dir(&command.cwd)
        .env_clear()
        .envs(vars.iter().map(|(name, value)| (name, value)))
        .envs(&command.env)
        .process_group(0)
        .kill_on_drop(true);
    Ok((builder, script))
}

/// A running command. Dropping it early kills its whole group.
struct Job {
    child: Child,
    group: Option<Pid>,
    pipe: Receiver,
    buffer: Vec<u8>,
    open: bool,
    cwd: PathBuf,
    /// Deleted with the job.
    _script: Option<TempPath>,
}

impl Job {
    fn new(child: Child, pipe: Receiver, script: Option<TempPath>, cwd: PathBuf) -> Self {
        let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        Self { child, group, pipe, buffer: vec![0; CHUNK], open: true, cwd, _script: script }
    }

    /// Passes output on until the shell has ended, then what is still in the pipe. Processes that the shell
    /// left in the background keep running.
    async fn finish(&mut self, output: &mut OutputSink) -> Result<ExitStatus, EnvError> {
        let status = loop {
            tokio::select! {
                status = self.child.wait() => break status,
                read = self.pipe.read(&mut self.buffer), if self.open => {
                    self.open = forward_output(&self.buffer, read, output);
                }
            }
        };
        self.drain(DRAIN_QUIET, DRAIN_MAX, output).await;
        self.group = None;
        status.map_err(|source| EnvError::Io { path: self.cwd.clone(), source })
    }

    /// Passes on the rest of the pipe: to its end, or until a process that outlived the shell has been silent
    /// for a while.
    async fn drain(&mut self, quiet: Duration, most: Duration, output: &mut OutputSink) {
        let latest = Instant::now() + most;
        while self.open {
            let silent = latest.min(Instant::now() + quiet);
            let Ok(read) = timeout_at(silent, self.pipe.read(&mut self.buffer)).await else { return };
            self.open = forward_output(&self.buffer, read, output);
            if Instant::now() >= latest {
                return;
            }
        }
    }

    /// Ends the whole group: SIGTERM, then SIGKILL after the grace period.
    async fn stop(&mut self, output: &mut OutputSink) {
        let Some(group) = self.group else { return };
        signal(group, Signal::TERM);
        let ended = timeout(GRACE, async {
            loop {
                tokio::select! {
                    _status = self.child.wait() => break,
                    read = self.pipe.read(&mut self.buffer), if self.open => {
                        self.open = forward_output(&self.buffer, read, output);
                    }
                }
            }
            while is_group_alive(group) {
                sleep(GROUP_POLL).await;
            }
        });
        if ended.await.is_err() {
            signal(group, Signal::KILL);
            if let Err(error) = self.child.wait().await {
                tracing::warn!(%error, "cannot wait for a killed command");
            }
        }
        self.group = None;
        self.drain(DRAIN_KILLED, DRAIN_KILLED, output).await;
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            signal(group, Signal::KILL);
        }
    }
}

/// Passes on a chunk; false at the end of the pipe.
fn forward_output(buffer: &[u8], read: io::Result<usize>, output: &mut OutputSink) -> bool {
    match read {
        Ok(0) => false,
        Ok(n) => {
            output(&buffer[..n]);
            true
        }
        Err(error) => {
            tracing::warn!(%error, "cannot read a command's output");
            false
        }
    }
}

/// Whether a process of the group still runs.
pub(in crate::exec) fn is_group_alive(group: Pid) -> bool {
    match members(group) {
        Some(members) => !members.is_empty(),
        None => test_kill_process_group(group).is_ok(),
    }
}

/// Returns the running processes of a group; `None` if the system has no list of processes. Zombies are
/// excluded: a process counts as a member until its parent has reaped it, which in a container whose first
/// process never does so is forever.
pub(in crate::exec) fn members(group: Pid) -> Option<Vec<Pid>> {
    if test_kill_process_group(group).is_err() {
        return Some(Vec::new());
    }
    let mut was_listed = false;
    let mut found = Vec::new();
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let Ok(text) = std::fs::read_to_string(process.path().join("stat")) else { continue };
        was_listed = true;
        // `pid (name) state parent group …`; a name may hold spaces and parentheses.
        let mut fields = text.rsplit(") ").next().unwrap_or("").split(' ');
        let (state, _parent, of) = (fields.next(), fields.next(), fields.next());
        let same = of.and_then(|of| of.parse().ok()) == Some(group.as_raw_nonzero().get());
        if same && !matches!(state, Some("Z" | "X")) {
            let pid = process.file_name().to_str().and_then(|name| name.parse().ok());
            found.extend(pid.and_then(Pid::from_raw));
        }
    }
    was_listed.then_some(found)
}

/// Signals a group; one that is already gone is no error.
pub(in crate::exec) fn signal(group: Pid, signal: Signal) {
    if let Err(error) = kill_process_group(group, signal)
        && error != rustix::io::Errno::SRCH
    {
        tracing::warn!(%error, "cannot signal a command's process group");
    }
}
