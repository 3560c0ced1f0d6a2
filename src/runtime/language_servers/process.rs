//! The process of a language server, with its streams connected.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::sync::mpsc;

use crate::exec::commands::process::script::exec_script;
use crate::exec::{EnvError, Environment, Input, RunningControl, SpawnSpec};
use crate::lsp::client::StartOptions;
use crate::lsp::wire::connection::{Connection, Incoming, Work};
use crate::runtime::agent_setup::trust_requests::ProgramTrust;

/// Bytes of a line of standard error that are kept.
const LINE_MAX: usize = 1 << 10;

/// How a server is started.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// Its name.
    pub name: String,
    /// Program and arguments. The program is absolute or found by the environment.
    pub command: Vec<String>,
    /// Variables that are set in addition to those of the environment.
    pub env: BTreeMap<String, String>,
    /// Bytes of memory that it and its children may use. The user may change it at any time.
    pub memory_max: Arc<AtomicU64>,
    /// What the user has said about programs of the project, of which it may be one.
    pub trust: ProgramTrust,
    /// What it gets with its start.
    pub options: StartOptions,
}

/// Why a process is not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The user has not trusted the folder, or this program of it, as it is now.
    #[error("{UNTRUSTED}")]
    Untrusted,
    /// The environment.
    #[error(transparent)]
    Environment(#[from] EnvError),
}

/// What is said of a server whose folder or program is not trusted.
pub const UNTRUSTED: &str = "it is not trusted as it is now";

impl ServerSpec {
    /// Returns its command line as it is shown.
    pub fn command_line(&self) -> String {
        self.command.join(" ")
    }

    /// Returns why it does not run and what to do, for a model; without a full stop.
    pub fn not_running(&self, reason: &str) -> String {
        let (name, command) = (&self.name, self.command_line());
        format!("{name} does not run: {reason}. Its command is {command}; reload starts it again")
    }
}

/// A process that runs.
pub struct Process {
    /// Speaks with it.
    pub connection: Connection,
    /// Reads and writes.
    pub work: Work,
    /// What it sends.
    pub incoming: mpsc::Receiver<Incoming>,
    /// Its standard error.
    pub errors: Option<Box<dyn AsyncRead + Send + Unpin>>,
    /// Waits for it and ends it.
    pub control: Box<dyn RunningControl>,
}

/// Starts the process of a server in its root.
///
/// # Errors
///
/// See [`StartError`].
pub async fn spawn(env: &dyn Environment, spec: &ServerSpec) -> Result<Process, StartError> {
    let (trust, program) = (spec.trust.clone(), spec.command.first().cloned().unwrap_or_default());
    let may_start = tokio::task::spawn_blocking(move || trust.may_start(&program)).await;
    if !may_start.unwrap_or_default() {
        return Err(StartError::Untrusted);
    }
    let running = env
        .spawn(SpawnSpec {
            script: exec_script(&spec.command),
            cwd: spec.options.root.clone(),
            env: spec.env.clone(),
            input: Input::Separate,
            login: false,
            reports_folder: false,
        })
        .await?;
    let Some(input) = running.input else {
        return Err(EnvError::unsupported(&PathBuf::from(&spec.name)).into());
    };
    let (connection, work, incoming) = Connection::new(running.output, input);
    Ok(Process { connection, work, incoming, errors: running.errors, control: running.control })
}

/// Passes on the lines of standard error until its end. Lines that are no text are shown as well as possible; long
/// ones are cut.
pub async fn read_lines(errors: Box<dyn AsyncRead + Send + Unpin>, mut sink: impl AsyncFnMut(String)) {
    let mut reader = BufReader::new(errors);
    let mut line = Vec::new();
    loop {
        let (used, is_end) = match reader.fill_buf().await {
            Ok([]) | Err(_) => break,
            Ok(bytes) => {
                let end = memchr::memchr(b'\n', bytes);
                let content = &bytes[..end.unwrap_or(bytes.len())];
                line.extend_from_slice(&content[..content.len().min(LINE_MAX.saturating_sub(line.len()))]);
                (end.map_or(bytes.len(), |at| at + 1), end.is_some())
            }
        };
        reader.consume(used);
        if is_end {
            sink(String::from_utf8_lossy(&line).into_owned()).await;
            line.clear();
        }
    }
    if !line.is_empty() {
        sink(String::from_utf8_lossy(&line).into_owned()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn server_error_lines_are_cut_and_the_last_needs_no_end() {
        let text = format!("one\n{}\ntwo\u{e9}", "x".repeat(3 * LINE_MAX));
        let mut lines = Vec::new();
        read_lines(Box::new(std::io::Cursor::new(text.into_bytes())), async |line| lines.push(line)).await;
        assert_eq!((lines[0].as_str(), lines[1].len(), lines[2].as_str()), ("one", LINE_MAX, "two\u{e9}"));
    }
}
