//! Process environment: inputs, exit codes, standard streams, log.
//!
//! Must not know how they are used.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Duration;

use futures::FutureExt;

use super::setup::Process;
use crate::base::error::Report;
use crate::base::log;
use crate::modes::print::interruption;
use crate::modes::visible::VisibleWriter;
use crate::runtime::Handle;
use crate::tools::{Approval, Ask, Decision};

/// Exit code for success.
pub const OK: i32 = 0;
/// Exit code for a failure.
pub const FAILED: i32 = 1;
/// Exit code for wrong usage.
pub const USAGE: i32 = 2;

/// Returns the inputs of the process; reads standard input unless it is a terminal.
pub fn read_process(interactive: bool) -> Result<Process, Report> {
    let cwd = std::env::current_dir()
        .map_err(|error| Report::caused("no current folder", &error).hint("cd to a folder that exists"))?;
    // A variable that is not UTF-8 is not used by bowline; commands still get it.
    let vars = std::env::vars_os()
        .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
        .collect();
    let piped = if interactive || std::io::stdin().is_terminal() { None } else { Some(read_stdin()?) };
    Ok(Process { vars, cwd, interactive, piped })
}

/// Reserves standard output for the caller: from then on, anything else that a library or child process
/// writes there goes to standard error.
pub fn take_stdout() -> Result<File, Report> {
    let failed =
        |error: rustix::io::Errno| Report::caused("cannot use standard output", &std::io::Error::from(error));
    let own = rustix::io::fcntl_dupfd_cloexec(std::io::stdout(), 3).map_err(failed)?;
    rustix::stdio::dup2_stdout(std::io::stderr()).map_err(failed)?;
    Ok(File::from(own))
}

/// Reads all piped input.
pub fn read_stdin() -> Result<String, Report> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| Report::caused("cannot read standard input", &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// An approval without a user: refuses.
pub struct NonInteractive;

impl Approval for NonInteractive {
    fn decide(&self, ask: Ask) -> futures::future::BoxFuture<'static, Decision> {
        let reason =
            format!("nobody is there to allow it (rule: {}); --approval full runs it unasked", ask.rule);
        print_error(&Report::new(format!("{} did not run: {reason}", ask.tool)));
        futures::future::ready(Decision::Deny(reason)).boxed()
    }
}

/// Returns standard output: unfiltered for a pipe, sanitized for a terminal.
pub fn stdout() -> Box<dyn Write + Send> {
    let stdout = std::io::stdout();
    if stdout.is_terminal() { Box::new(VisibleWriter::new(stdout)) } else { Box::new(stdout) }
}

/// Starts logging to the state folder.
pub fn start_log(state: &Path, process: &Process) {
    if let Err(error) = log::start(state, process.vars.get("BOWLINE_LOG").map(String::as_str)) {
        print_error(&Report::caused(format!("cannot write a log to {}", state.display()), &error));
    }
}

/// Timeout for ending a session: the last scan after a command may take half a minute.
const END_TIMEOUT: Duration = Duration::from_secs(40);

/// The same after a signal: commands that ignore it are killed by then.
const END_TIMEOUT_AFTER_SIGNAL: Duration = Duration::from_secs(3);

/// Ends a session; if it does not end in time, the program exits anyway.
pub async fn end_session(handle: &Handle) {
    let hasty = async {
        interruption().await;
        tokio::time::sleep(END_TIMEOUT_AFTER_SIGNAL).await;
    };
    tokio::select! {
        () = handle.shutdown() => {}
        () = hasty => tracing::error!("the session did not end in time behind a signal"),
        () = tokio::time::sleep(END_TIMEOUT) => tracing::error!("the session did not end in time"),
    }
}

/// Prints an error to standard error. If that is closed it is lost.
pub fn print_error(report: &Report) {
    let mut text = format!("bowline: {}\n", report.message);
    if let Some(hint) = &report.hint {
        text.push_str(&format!("         {hint}\n"));
    }
    std::io::stderr().write_all(crate::base::width::visible_lines(&text).as_bytes()).ok();
}

/// Writes a result to standard output. A closed pipe is no error; anything else, such as a full disk, is.
pub fn write_out(text: &str, stdout: &mut dyn Write) -> Result<(), (i32, Report)> {
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err((FAILED, Report::caused("cannot write the result", &error)))
        }
        _ => Ok(()),
    }
}
