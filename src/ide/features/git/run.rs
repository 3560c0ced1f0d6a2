//! Runs git for lists and the switch of branches, with the rules of `workspace::git`. Must not know who shows what.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::base::width::visible;
use crate::exec::{CommandSpec, Environment, Exit};
use crate::workspace::git;

/// The message outside of repositories.
pub const NO_REPOSITORY: &str = "Not in a git repository";

/// Time limit for git.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Maximum bytes of an answer.
const ANSWER_MAX: usize = 4 << 20;
/// Maximum characters of an error of git.
const ERROR_MAX: usize = 300;

/// Runs a script in a folder of a repository with one variable, `BOWLINE_NAME`; returns its output, without what exceeds
/// `most` bytes. The error is git's own message on one line.
pub async fn run(env: &dyn Environment, body: &str, name: &str, most: usize) -> Result<String, String> {
    if git::root_of(env.root()).is_none() {
        return Err(NO_REPOSITORY.to_string());
    }
    let bytes: Arc<Mutex<Vec<u8>>> = Arc::default();
    let sink = bytes.clone();
    let output = Box::new(move |piece: &[u8]| {
        let mut bytes = sink.lock();
        let room = (ANSWER_MAX.max(most)).saturating_sub(bytes.len());
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
    });
    let exit = env.run(spec(env.root(), body, name), output, CancellationToken::new()).await;
    let mut bytes = std::mem::take(&mut *bytes.lock());
    match exit {
        Ok(Exit::Code(0)) => {
            bytes.truncate(most);
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        Ok(Exit::Code(_)) => Err(message(&String::from_utf8_lossy(&bytes))),
        Ok(Exit::TimedOut) => Err("git takes too long".to_string()),
        Ok(Exit::Cancelled) => Err("git was canceled".to_string()),
        Err(error) => Err(format!("Cannot run git: {error}")),
    }
}

/// Runs a script and passes each line of its output to `on_line`, until `cancel`.
pub async fn run_lines(
    env: &dyn Environment,
    body: &str,
    cancel: CancellationToken,
    mut on_line: impl FnMut(&str) + Send + 'static,
) -> Result<(), String> {
    if git::root_of(env.root()).is_none() {
        return Err(NO_REPOSITORY.to_string());
    }
    let mut rest: Vec<u8> = Vec::new();
    let last: Arc<Mutex<String>> = Arc::default();
    let said = last.clone();
    let output = Box::new(move |piece: &[u8]| {
        rest.extend_from_slice(piece);
        let Some(end) = memchr::memrchr(b'\n', &rest) else { return };
        let lines: Vec<u8> = rest.drain(..=end).collect();
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let line = String::from_utf8_lossy(line);
            on_line(&line);
            *said.lock() = line.into_owned();
        }
    });
    let exit = env.run(spec(env.root(), body, ""), output, cancel).await;
    match exit {
        Ok(Exit::Code(0) | Exit::Cancelled) => Ok(()),
        Ok(Exit::Code(_)) => Err(message(&last.lock())),
        Ok(Exit::TimedOut) => Err("git takes too long".to_string()),
        Err(error) => Err(format!("Cannot run git: {error}")),
    }
}

fn spec(folder: &Path, body: &str, name: &str) -> CommandSpec {
    CommandSpec {
        script: git::script(body),
        cwd: folder.to_path_buf(),
        timeout: Some(TIMEOUT),
        env: [("BOWLINE_NAME".to_string(), name.to_string())].into(),
    }
}

/// Returns what git said as one line without control characters.
fn message(said: &str) -> String {
    let words: Vec<&str> = said.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(ERROR_MAX).collect();
    if line.is_empty() { "git failed".to_string() } else { visible(&line).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_message_is_one_bounded_line_without_controls() {
        assert_eq!(message("error: no\n\ta.txt\u{1b}[2J\n"), "error: no a.txt␛[2J");
        assert_eq!(message(" \n"), "git failed");
        assert_eq!(message(&"é".repeat(2 * ERROR_MAX)).chars().count(), ERROR_MAX);
    }
}
