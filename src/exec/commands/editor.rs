//! The user's own editor, which edits a text on this terminal. Must not know where the text comes from, nor which
//! editor it is.

use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use tempfile::TempDir;
use thiserror::Error;
use tokio::process::Command;
use tokio::task::spawn_blocking;

/// Maximum bytes of an edited text.
const TEXT_MAX: u64 = 16 << 20;
/// Exit code of a shell that has not found the program.
const NOT_FOUND: i32 = 127;

/// Why a text was not edited.
#[derive(Debug, Error)]
pub enum EditorError {
    /// The text could not be passed to the editor.
    #[error("cannot write a temporary file: {0}")]
    Write(io::Error),
    /// No program could be started.
    #[error("cannot start the editor: {source}: `{command}`")]
    Start {
        /// The editor's command line.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// The shell has not found the editor.
    #[error("editor not found: `{0}`")]
    NotFound(String),
    /// It reported a failure, or was killed.
    #[error("editor failed ({status}): `{command}`{}", kept_note(.kept.as_deref()))]
    Failed {
        /// The editor's command line.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// The file with the changed text, which is kept.
        kept: Option<PathBuf>,
    },
    /// The edited text cannot be used.
    #[error("cannot read the text of the editor: {source}: `{command}`")]
    Read {
        /// The editor's command line.
        command: String,
        /// Why.
        source: io::Error,
    },
}

/// Edits a text in a program, which gets the standard streams of this process, and a private file that is removed
/// afterwards. `command` is a command line of the shell, as in `$EDITOR`. The terminal must be in the state in which
/// the program expects it. Dropping the future kills the program.
pub async fn edit(command: &str, text: String) -> Result<String, EditorError> {
    let before = text.clone();
    let written = spawn_blocking(move || write(&text)).await;
    let (folder, path) =
        written.unwrap_or_else(|error| Err(io::Error::other(error))).map_err(EditorError::Write)?;
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(format!("{command} \"$@\"")).arg(command).arg(&path).kill_on_drop(true);
    let command = command.to_string();
    let status = match shell.status().await {
        Ok(status) => status,
        Err(source) => return Err(EditorError::Start { command, source }),
    };
    if status.code() == Some(NOT_FOUND) {
        return Err(EditorError::NotFound(command));
    }
    if !status.success() {
        let kept = spawn_blocking(move || keep_changed(folder, &path, &before)).await.unwrap_or_default();
        return Err(EditorError::Failed { command, status, kept });
    }
    let read = spawn_blocking(move || {
        let text = read(&path);
        // Here, where it may block.
        drop(folder);
        text
    });
    let read = read.await.unwrap_or_else(|error| Err(io::Error::other(error)));
    read.map_err(|source| EditorError::Read { command, source })
}

fn kept_note(kept: Option<&Path>) -> String {
    kept.map_or_else(String::new, |path| format!(". What was written is in {}", path.display()))
}

/// Keeps the file if the editor has changed it, and returns its path.
fn keep_changed(folder: TempDir, path: &Path, before: &str) -> Option<PathBuf> {
    let is_changed = std::fs::read(path).is_ok_and(|now| now != before.as_bytes());
    is_changed.then(|| folder.keep().join(path.file_name().unwrap_or_default()))
}

/// Writes a text to a file in a folder of its own, where the editor may put others.
fn write(text: &str) -> io::Result<(TempDir, PathBuf)> {
    let folder = tempfile::Builder::new().prefix("bowline-").tempdir()?;
    let path = folder.path().join("prompt.md");
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    file.write_all(text.as_bytes())?;
    Ok((folder, path))
}

fn read(path: &Path) -> io::Result<String> {
    let facts = std::fs::metadata(path)?;
    if !facts.is_file() || facts.len() > TEXT_MAX {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("longer than {} MB", TEXT_MAX >> 20),
        ));
    }
    std::fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn run(command: &str) -> Result<String, EditorError> {
        edit(command, "before\n".into()).await
    }

    #[tokio::test]
    async fn editor_edits_private_file_that_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let seen = folder.path().join("seen");
        let script = format!(
            "f() {{ stat -c '%a %n' \"$1\" > '{0}'; cat \"$1\" >> '{0}'; printf 'after é' > \"$1\"; }}; f",
            seen.display()
        );
        assert_eq!(run(&script).await.unwrap(), "after é");
        let seen = std::fs::read_to_string(seen).unwrap();
        let (first, rest) = seen.split_once('\n').unwrap();
        let (mode, path) = first.split_once(' ').unwrap();
        assert_eq!((mode, rest), ("600", "before\n"));
        assert!(!Path::new(path).exists() && !Path::new(path).parent().unwrap().exists());
    }

    #[tokio::test]
    async fn editor_failure_names_command() {
        let message = async |command: &str| run(command).await.unwrap_err().to_string();
        assert_eq!(message("no-such-editor --wait").await, "editor not found: `no-such-editor --wait`");
        assert_eq!(message("false").await, "editor failed (exit status: 1): `false`");
        let killed = message("f() { kill -9 $$; }; f").await;
        assert!(killed.contains("kill -9") && killed.contains("signal: 9"), "{killed}");
        assert!(message("f() { printf '\\377' > \"$1\"; }; f").await.starts_with("cannot read the text"));
        assert!(message("rm").await.ends_with("`rm`"));
    }
}
