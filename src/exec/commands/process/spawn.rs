//! Spawns a command of this machine in its own process group or terminal, and returns a handle.
//!
//! Must not know its purpose.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use futures::future::BoxFuture;
use rustix::process::{Pid, Signal};
use tempfile::TempPath;
use tokio::net::unix::pipe::Receiver;
use tokio::process::Child;
use tokio::time::{sleep, timeout};

use super::folder_report::FolderReport;
use super::{
    GRACE, GROUP_POLL, exit_code, is_group_alive, members, script, shell, shell_command, signal, usage,
};
use crate::exec::commands::running::{Input, Running, RunningControl, SpawnSpec, Usage};
use crate::exec::commands::terminal::{self, TerminalControl};
use crate::exec::disk::files;
use crate::exec::environment::CommandSpec;
use crate::exec::error::EnvError;

/// Starts a command. `vars` are all the variables that it gets, in addition to its own.
pub(in crate::exec) fn start(vars: &[(OsString, OsString)], spec: &SpawnSpec) -> Result<Running, EnvError> {
    if !spec.cwd.is_dir() {
        return Err(EnvError::NoWorkingFolder(spec.cwd.clone()));
    }
    let shell = shell(vars);
    let started = match spec.input {
        Input::Terminal(cols, rows) => start_in_terminal(&shell, vars, spec, (cols, rows)),
        Input::Closed | Input::Piped | Input::Separate => start_in_group(&shell, vars, spec),
    };
    started.map_err(|source| files::error_at(&shell, source))
}

fn start_in_group(shell: &Path, vars: &[(OsString, OsString)], spec: &SpawnSpec) -> io::Result<Running> {
    let (output, writer) = output_pipe()?;
    let (errors, error_writer) = match spec.input {
        Input::Separate => {
            let (errors, writer) = output_pipe()?;
            (Some(Box::new(errors) as Box<_>), writer)
        }
        _ => (None, writer.try_clone()?),
    };
    let mut command = command_spec(spec);
    let folder_report = if spec.reports_folder { wrap_for_folder_report(&mut command) } else { None };
    let (mut builder, script) = shell_command(shell, vars, &command, spec.login)?;
    let stdin = if spec.input == Input::Closed { Stdio::null() } else { Stdio::piped() };
    // The builder owns the write ends and drops them, so that the pipe ends when the last process that holds
    // it does.
    let mut child = builder.stdin(stdin).stdout(writer).stderr(error_writer).spawn()?;
    drop(builder);
    let input = child.stdin.take().map(|input| Box::new(input) as Box<_>);
    let leader = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let control = Box::new(Group { child, leader, folder_report, _script: script });
    Ok(Running { output: Box::new(output), errors, input, control })
}

/// Returns a pipe for output, and the end that a command writes to.
fn output_pipe() -> io::Result<(Receiver, io::PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    Ok((Receiver::from_owned_fd(OwnedFd::from(reader))?, writer))
}

/// Makes the shell report its folder at its end. If that is not possible the command runs without.
fn wrap_for_folder_report(command: &mut CommandSpec) -> Option<FolderReport> {
    match FolderReport::new() {
        Ok(folder_report) => {
            command.script = folder_report.wrap_script(&command.script)?;
            Some(folder_report)
        }
        Err(error) => {
            tracing::warn!(%error, "where a command ends will not be known");
            None
        }
    }
}

/// Converts it for the functions of the parent module, which ignore the timeout here.
fn command_spec(spec: &SpawnSpec) -> CommandSpec {
    let SpawnSpec { script, cwd, env, .. } = spec.clone();
    CommandSpec { script, cwd, timeout: None, env }
}

fn start_in_terminal(
    shell: &Path,
    vars: &[(OsString, OsString)],
    spec: &SpawnSpec,
    (cols, rows): (u16, u16),
) -> io::Result<Running> {
    let (given, script) = script::script_argument(&spec.script)?;
    let mut command = pty_process::Command::new(shell);
    if spec.login {
        command = command.arg("-l");
    }
    let command = command
        .arg("-c")
        .arg(&*given)
        .current_dir(&spec.cwd)
        .env_clear()
        .envs(vars.iter().map(|(name, value)| (name, value)))
        .envs(&spec.env);
    let (output, input, control) = terminal::open(command, cols, rows)?;
    let control = Box::new(TerminalGroup { control, _script: script });
    Ok(Running { output: Box::new(output), errors: None, input: Some(Box::new(input)), control })
}

/// A process group.
struct Group {
    child: Child,
    /// Its process id is the group's; `None` when no process of it is running any more.
    leader: Option<Pid>,
    /// `None` when it is not requested.
    folder_report: Option<FolderReport>,
    /// Deleted with the group.
    _script: Option<TempPath>,
}

impl RunningControl for Group {
    fn id(&self) -> Option<u32> {
        self.leader.map(pid_number)
    }

    fn wait(&mut self) -> BoxFuture<'_, i32> {
        Box::pin(async {
            match self.child.wait().await {
                Ok(status) => exit_code(status),
                Err(error) => {
                    tracing::warn!(%error, "cannot wait for a command");
                    -1
                }
            }
        })
    }

    fn folder(&mut self) -> BoxFuture<'_, Option<PathBuf>> {
        Box::pin(std::future::ready(self.folder_report.as_mut().and_then(FolderReport::folder)))
    }

    fn live_pids(&self) -> Vec<u32> {
        let members = self.leader.and_then(members).unwrap_or_default();
        members.into_iter().map(pid_number).collect()
    }

    fn usage(&self) -> BoxFuture<'static, Option<Usage>> {
        let pids = self.live_pids();
        let measured = tokio::task::spawn_blocking(move || usage::of(&pids));
        Box::pin(async { measured.await.ok().flatten() })
    }

    fn stop(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let Some(group) = self.leader else { return };
            signal(group, Signal::TERM);
            let ended = timeout(GRACE, async {
                self.wait().await;
                while is_group_alive(group) {
                    sleep(GROUP_POLL).await;
                }
            });
            if ended.await.is_err() {
                signal(group, Signal::KILL);
                self.wait().await;
            }
            self.leader = None;
        })
    }

    fn release(&mut self) {
        self.leader = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.leader {
            signal(group, Signal::KILL);
        }
    }
}

/// All processes in a terminal.
struct TerminalGroup {
    control: terminal::Control,
    /// Deleted with the terminal.
    _script: Option<TempPath>,
}

impl RunningControl for TerminalGroup {
    fn id(&self) -> Option<u32> {
        self.control.session().map(pid_number)
    }

    fn wait(&mut self) -> BoxFuture<'_, i32> {
        self.control.wait()
    }

    fn live_pids(&self) -> Vec<u32> {
        self.control.live_pids().into_iter().map(pid_number).collect()
    }

    fn stop(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            // A shell that waits for its terminal reacts only to SIGHUP.
            self.control.hang_up();
            self.control.signal(Signal::TERM);
            let ended = timeout(GRACE, async {
                self.control.wait().await;
                while !self.control.live_pids().is_empty() {
                    sleep(GROUP_POLL).await;
                }
            });
            if ended.await.is_err() {
                self.control.kill();
                self.control.wait().await;
            }
            self.control.release();
        })
    }

    fn release(&mut self) {
        self.control.release();
    }
}

impl Drop for TerminalGroup {
    fn drop(&mut self) {
        // Unlike for the terminal pane, leftover processes are killed, too.
        self.control.kill();
    }
}

fn pid_number(pid: Pid) -> u32 {
    pid.as_raw_nonzero().get().cast_unsigned()
}
