//! Asks a program of this machine for one text, within a time limit. Must not know what is asked.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

/// Why a program gave no text.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// It cannot be run.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It failed.
    #[error("it ended with {0}")]
    Failed(ExitStatus),
    /// It took too long, and was ended.
    #[error("it did not answer in time")]
    TimedOut,
    /// Its text has an unknown form.
    #[error("its answer has an unknown form")]
    Unknown,
}

/// Returns what a program prints on standard output. It runs in the root folder, so that no file of the working
/// folder has a say, and is killed when `limit` is over or the future is dropped. Invalid UTF-8 is replaced.
///
/// # Errors
/// Fails if the program cannot be run, fails, or does not end in time.
pub async fn output(program: &Path, args: &[&str], limit: Duration) -> Result<String, QueryError> {
    let mut command = tokio::process::Command::new(program);
    command.args(args).current_dir("/").stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(limit, command.output()).await.map_err(|_| QueryError::TimedOut)??;
    if !output.status.success() {
        return Err(QueryError::Failed(output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    #[tokio::test]
    async fn query_returns_text_or_says_why_not() {
        let sh = Path::new("/bin/sh");
        assert_eq!(output(sh, &["-c", "pwd"], LIMIT).await.unwrap(), "/\n");
        assert!(matches!(output(sh, &["-c", "exit 3"], LIMIT).await, Err(QueryError::Failed(_))));
        assert!(matches!(output(Path::new("/nowhere/x"), &[], LIMIT).await, Err(QueryError::Io(_))));
        let endless = output(sh, &["-c", "while :; do :; done"], Duration::from_millis(20)).await;
        assert!(matches!(endless, Err(QueryError::TimedOut)), "{endless:?}");
    }
}
