//! Changes one file: locks it, checks what the model has read, reads, writes, and retries if another process
//! changed it concurrently.
//!
//! Must not know the change.

use std::path::PathBuf;

use crate::exec::{EnvError, Stamp};
use crate::tools::contract::tool::Invocation;
use crate::tools::files::paths;
use crate::tools::files::state::ReadState;

/// Attempts when another process changes the file concurrently.
const TRIES: usize = 5;

/// The file to change.
#[derive(Debug, Clone)]
pub struct ChangeTarget {
    /// Its path as the model wrote it.
    pub shown: String,
    /// The verb for error messages, as in `Cannot edit`.
    pub verb: &'static str,
    /// Whether models of the family must have read it first, unless a setting overrides it.
    pub read_first: bool,
}

/// The old content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// There was no file.
    Missing,
    /// UTF-8.
    Text(String),
    /// Any other content.
    Bytes(Vec<u8>),
}

/// The state of the file when the change is computed.
#[derive(Debug)]
pub struct FileState {
    /// The present content.
    pub before: FileContent,
    /// The version that the model has read.
    pub known: ReadState,
}

/// Makes a change: `make` returns the new content and a value for the caller, or the error. It may be called
/// more than once. The error is for the model.
pub async fn change<T>(
    call: &Invocation,
    target: &ChangeTarget,
    make: impl Fn(&FileState) -> Result<(Vec<u8>, T), String>,
) -> Result<T, String> {
    let interrupted = || "Interrupted; nothing was written.".to_string();
    let path: PathBuf = paths::resolve(&*call.env, &target.shown);
    let files = &call.shared.files;
    let Some(turn) = files.lock_file(&*call.env, &path, &call.cancel).await else {
        return Err(interrupted());
    };
    let cannot = |error: EnvError| format!("Cannot {} {error}.", target.verb);
    for _ in 0..TRIES {
        let (found, stamp) = match call.env.read(&path).await {
            Ok(data) => {
                let known = files.read_state(&turn.real, &data.stamp);
                let before = String::from_utf8(data.bytes)
                    .map_or_else(|error| FileContent::Bytes(error.into_bytes()), FileContent::Text);
                (FileState { before, known }, data.stamp)
            }
            Err(EnvError::NotFound(_)) => {
                (FileState { before: FileContent::Missing, known: ReadState::Unchanged }, Stamp::missing())
            }
            Err(error) => return Err(cannot(error)),
        };
        if found.known == ReadState::Unread && files.read_first().is_required(target.read_first) {
            return Err(format!(
                "{} was not read yet. Read it before you {} it, so that nothing in it is lost.",
                target.shown, target.verb
            ));
        }
        let (bytes, message) = make(&found)?;
        if call.cancel.is_cancelled() {
            return Err(interrupted());
        }
        match call.env.write(&path, bytes, Some(stamp)).await {
            Ok(stamp) => {
                // The model has not seen another process's change: the file stays marked as changed.
                if found.known != ReadState::Changed {
                    files.note_seen_real(turn.real.clone(), stamp);
                }
                return Ok(message);
            }
            Err(EnvError::Stale(_)) => {}
            Err(error) => return Err(cannot(error)),
        }
    }
    Err(format!("{} keeps being changed by somebody else; nothing was written. Try again.", target.shown))
}
