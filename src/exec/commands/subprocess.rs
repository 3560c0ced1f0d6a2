//! Work of this program in an isolated subprocess, so that a panic, stack overflow, or use of memory or time
//! does not affect this process.
//!
//! Must not know the work. The subprocess gets bytes on its standard input and answers on its output.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::timeout;

/// The program to run, and its limits.
#[derive(Debug, Clone, Copy)]
pub struct Subprocess<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub args: &'a [String],
    /// Timeout, after which it is killed.
    pub timeout: Duration,
    /// Maximum bytes of the answer.
    pub output_max: u64,
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum SubprocessError {
    /// It could not be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// It was killed on timeout.
    #[error("it took longer than {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// Its answer exceeded the limit.
    #[error("its answer is longer than {0} bytes")]
    TooLong(u64),
    /// It ended without an answer.
    #[error("it has died ({0})")]
    Died(String),
    /// Its pipes failed.
    #[error("its answer cannot be read: {0}")]
    Pipe(io::Error),
}

/// Runs it; the process ends with this call at the latest, even if the future is dropped. It gets no
/// environment variables, and its standard error is discarded.
pub async fn run(subprocess: Subprocess<'_>, input: &[u8]) -> Result<Vec<u8>, SubprocessError> {
    let mut command = Command::new(subprocess.program);
    command.args(subprocess.args).env_clear().kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let started = command.spawn();
    let mut child = started.map_err(|source| {
        let program = subprocess.program.display().to_string();
        SubprocessError::Start { program, source }
    })?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let give = async {
        if let Some(mut stdin) = stdin {
            // It need not read all of it; its exit code shows whether it succeeded.
            stdin.write_all(input).await.ok();
        }
    };
    let take = async {
        let mut answer = Vec::new();
        if let Some(stdout) = stdout {
            stdout.take(subprocess.output_max + 1).read_to_end(&mut answer).await?;
        }
        Ok::<_, io::Error>(answer)
    };
    let work = async {
        let ((), answer) = tokio::join!(give, take);
        let answer = answer.map_err(SubprocessError::Pipe)?;
        if answer.len() as u64 > subprocess.output_max {
            return Err(SubprocessError::TooLong(subprocess.output_max));
        }
        let status = child.wait().await.map_err(SubprocessError::Pipe)?;
        if status.success() { Ok(answer) } else { Err(SubprocessError::Died(status.to_string())) }
    };
    timeout(subprocess.timeout, work).await.unwrap_or(Err(SubprocessError::TimedOut(subprocess.timeout)))
}

/// In the subprocess: sets limits that it cannot raise. `memory` is address space in bytes; `seconds` are CPU
/// time. Disables core files.
pub fn set_limits(memory: u64, seconds: u64) -> io::Result<()> {
    for (what, most) in [(Resource::As, memory), (Resource::Cpu, seconds), (Resource::Core, 0)] {
        setrlimit(what, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}

/// Returns the id of this process.
pub fn own_process_id() -> u32 {
    std::process::id()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn sh(script: &str, input: &[u8], time: Duration) -> Result<Vec<u8>, SubprocessError> {
        let args = ["-c".to_string(), script.to_string()];
        let subprocess =
            Subprocess { program: Path::new("/bin/sh"), args: &args, timeout: time, output_max: 1 << 20 };
        run(subprocess, input).await
    }

    const LONG: Duration = Duration::from_mins(10);

    #[tokio::test]
    async fn subprocess_passes_stdin_and_stdout_only() {
        let input = vec![b'x'; 1 << 20];
        assert_eq!(sh("cat", &input, LONG).await.unwrap(), input);
        assert_eq!(sh("echo done", &input, LONG).await.unwrap(), b"done\n", "it need not read");
        assert_eq!(sh("echo \"[$HOME]\"", b"", LONG).await.unwrap(), b"[]\n", "and knows nothing");
    }

    #[tokio::test]
    async fn subprocess_failures_timeout_and_limits_are_errors() {
        let said = |result: Result<Vec<u8>, SubprocessError>| result.unwrap_err().to_string();
        assert_eq!(said(sh("exit 3", b"", LONG).await), "it has died (exit status: 3)");
        assert!(said(sh("kill -9 $$", b"", LONG).await).contains("signal: 9"));
        assert_eq!(
            said(sh("cat; echo x", &vec![b'x'; 1 << 20], LONG).await),
            "its answer is longer than 1048576 bytes"
        );
        assert!(said(sh("exec cat /dev/zero", b"", LONG).await).contains("longer"));
        assert!(matches!(
            sh("exec sleep 600", b"", Duration::from_millis(1)).await,
            Err(SubprocessError::TimedOut(_))
        ));
        let subprocess = Subprocess { program: Path::new("/none"), args: &[], timeout: LONG, output_max: 1 };
        assert!(said(run(subprocess, b"").await).starts_with("cannot start /none: "));
    }

    #[tokio::test]
    async fn subprocess_dropped_call_kills_process() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        let script = format!("exec 3>'{}'; echo up >&3; exec sleep 600", pipe.display());
        let call = tokio::spawn(async move { sh(&script, b"", LONG).await });
        let mut heard = tokio::fs::File::open(&pipe).await.unwrap();
        let mut up = [0; 3];
        heard.read_exact(&mut up).await.unwrap();
        call.abort();
        // The pipe ends when the process that holds its other end is gone.
        assert_eq!(heard.read(&mut up).await.unwrap(), 0);
    }
}
