//! The process around everything: what it was given, its exit codes, its standard streams, its log.
//!
//! Must not know what is done with it.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Duration;

use futures::FutureExt;

use super::setup::Process;
use crate::base::error::Report;
use crate::base::log;
use crate::modes::print::interruption;
use crate::modes::visible::Visible;
use crate::runtime::Handle;
use crate::tools::{Approval, Ask, Decision};

/// Done.
pub const OK: i32 = 0;
/// The work failed.
pub const FAILED: i32 = 1;
/// Wrong usage.
pub const USAGE: i32 = 2;

/// What the process was given; its standard input is read unless a user sits there.
pub fn process(interactive: bool) -> Result<Process, Report> {
    let cwd = std::env::current_dir()
        .map_err(|error| Report::caused("no current folder", &error).hint("cd to a folder that exists"))?;
    // A variable that is no UTF-8 is none of ours; commands get it all the same.
    let vars = std::env::vars_os()
        .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
        .collect();
    let piped = if interactive || std::io::stdin().is_terminal() { None } else { Some(read_stdin()?) };
    Ok(Process { vars, cwd, interactive, piped })
}

/// Standard output for nobody but who is given it: whatever else is written there, by a library or by a process
/// that is started, goes to standard error from then on.
pub fn own_stdout() -> Result<File, Report> {
    let failed =
        |error: rustix::io::Errno| Report::caused("cannot use standard output", &std::io::Error::from(error));
    let own = rustix::io::fcntl_dupfd_cloexec(std::io::stdout(), 3).map_err(failed)?;
    rustix::stdio::dup2_stdout(std::io::stderr()).map_err(failed)?;
    Ok(File::from(own))
}

/// All of what is piped in.
pub fn read_stdin() -> Result<String, Report> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| Report::caused("cannot read standard input", &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Without a user nobody can be asked.
pub struct Nobody;

impl Approval for Nobody {
    fn decide(&self, ask: Ask) -> futures::future::BoxFuture<'static, Decision> {
        let why =
            format!("nobody is there to allow it (rule: {}); --approval full runs it unasked", ask.rule);
        tell(&Report::new(format!("{} did not run: {why}", ask.tool)));
        futures::future::ready(Decision::Deny(why)).boxed()
    }
}

/// Standard output. A pipe gets the bytes as they are; a terminal would obey some of them.
pub fn stdout() -> Box<dyn Write + Send> {
    let stdout = std::io::stdout();
    if stdout.is_terminal() { Box::new(Visible::new(stdout)) } else { Box::new(stdout) }
}

/// Keeps a log in the folder of state.
pub fn keep_log(state: &Path, process: &Process) {
    if let Err(error) = log::start(state, process.vars.get("BOWLINE_LOG").map(String::as_str)) {
        tell(&Report::caused(format!("cannot write a log to {}", state.display()), &error));
    }
}

/// How long a session may take to end: the last look at what a command has changed is given half a minute.
const GOODBYE: Duration = Duration::from_secs(40);

/// The same once a signal has come: commands that want to stay are ended by then.
const HASTE: Duration = Duration::from_secs(3);

/// Ends a session, but for one that cannot end: then the program goes without that.
pub async fn end(handle: &Handle) {
    let hasty = async {
        interruption().await;
        tokio::time::sleep(HASTE).await;
    };
    tokio::select! {
        () = handle.shutdown() => {}
        () = hasty => tracing::error!("the session did not end in time behind a signal"),
        () = tokio::time::sleep(GOODBYE) => tracing::error!("the session did not end in time"),
    }
}

/// Says what failed on standard error. When even that is gone there is nobody to tell.
pub fn tell(report: &Report) {
    let mut text = format!("bowline: {}\n", report.message);
    if let Some(hint) = &report.hint {
        text.push_str(&format!("         {hint}\n"));
    }
    std::io::stderr().write_all(crate::base::width::visible_lines(&text).as_bytes()).ok();
}

/// Writes a result to standard output. A reader that leaves has seen enough; anything else, such as a full disk, is
/// a failure.
pub fn write_out(text: &str, stdout: &mut dyn Write) -> Result<(), (i32, Report)> {
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err((FAILED, Report::caused("cannot write the result", &error)))
        }
        _ => Ok(()),
    }
}
