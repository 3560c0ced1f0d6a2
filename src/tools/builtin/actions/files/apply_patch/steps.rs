//! Applies one section of a patch to the files of an environment.
//!
//! Must not know the patch's other sections. If a file changes between reading and writing, it is read again
//! and the section is applied to the new content.

use std::path::{Path, PathBuf};

use crate::exec::{EnvError, Environment, FileData, Stamp};
use crate::patch::diff;
use crate::patch::v4a::{self, Chunk, Section};
use crate::tools::contract::tool::Invocation;
use crate::tools::files::changes::ChangedFile;
use crate::tools::files::paths;
use crate::tools::files::state::ReadState;

/// Attempts when another process changes the file concurrently.
const TRIES: usize = 5;

/// The result of a section.
fn applied(title: String, path: &str, before: &str, after: &str) -> ChangedFile {
    ChangedFile { title, path: path.to_string(), diff: diff::lines(before, after) }
}

/// Why a try did not succeed.
enum ApplyError {
    /// Another process changed a file meanwhile.
    Stale,
    /// For the model, without a full stop.
    Failed(String),
}

/// Applies a section; the error is a sentence without its full stop. The session's other calls cannot change
/// the files meanwhile.
pub(super) async fn apply(call: &Invocation, section: &Section) -> Result<ChangedFile, String> {
    let env = &*call.env;
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in section.paths() {
        let path = paths::resolve(env, path);
        paths.push(env.resolve(&path).await.unwrap_or(path));
    }
    // Locked in a fixed order: two patches that move files in both directions could deadlock otherwise.
    paths.sort();
    paths.dedup();
    let mut turns = Vec::with_capacity(paths.len());
    for path in &paths {
        let turn = call.shared.files.lock_file(env, path, &call.cancel).await;
        turns.push(turn.ok_or_else(|| "Interrupted".to_string())?);
    }
    let files = &call.shared.files;
    // A partly edited file that another process has changed stays marked as changed for the model, which has
    // not seen all of the present content.
    let mut unseen = Vec::new();
    for path in paths.iter().filter(|_| matches!(section, Section::Update { .. })) {
        let data = env.read(path).await;
        unseen.push(data.is_ok_and(|data| files.read_state(path, &data.stamp) == ReadState::Changed));
    }
    let done = apply_with_retries(env, section).await;
    if done.is_ok() {
        for (at, turn) in turns.iter().enumerate() {
            match env.read(&turn.real).await {
                Ok(_) if unseen.get(at) == Some(&true) => {}
                Ok(data) => files.note_seen_real(turn.real.clone(), data.stamp),
                Err(_) => files.forget(&turn.real),
            }
        }
    }
    done
}

async fn apply_with_retries(env: &dyn Environment, section: &Section) -> Result<ChangedFile, String> {
    for _ in 0..TRIES {
        let step = match section {
            Section::Add { path, text } => add(env, path, text).await,
            Section::Delete { path } => delete(env, path).await,
            Section::Update { path, to: None, chunks } => update(env, path, chunks).await,
            Section::Update { path, to: Some(to), chunks } => rename(env, (path, to), chunks).await,
        };
        match step {
            Ok(done) => return Ok(done),
            Err(ApplyError::Stale) => {}
            Err(ApplyError::Failed(error)) => return Err(error),
        }
    }
    Err(format!("{} keeps being changed by somebody else; try again", section.path()))
}

fn apply_error(action: &str, error: EnvError) -> ApplyError {
    match error {
        EnvError::Stale(_) => ApplyError::Stale,
        other => ApplyError::Failed(format!("Cannot {action} {other}")),
    }
}

async fn add(env: &dyn Environment, shown: &str, text: &str) -> Result<ChangedFile, ApplyError> {
    let before = replace(env, &paths::resolve(env, shown), text).await?;
    Ok(applied(format!("A {shown}"), shown, &before, text))
}

/// Creates or overwrites a file; returns its old content.
async fn replace(env: &dyn Environment, path: &Path, text: &str) -> Result<String, ApplyError> {
    let before = match env.read(path).await {
        Ok(data) => Some(data),
        Err(EnvError::NotFound(_)) => None,
        Err(error) => return Err(apply_error("write", error)),
    };
    let stamp = before.as_ref().map_or_else(Stamp::missing, |data| data.stamp.clone());
    env.write(path, text.as_bytes().to_vec(), Some(stamp))
        .await
        .map_err(|error| apply_error("write", error))?;
    // The old content is only for the diff.
    Ok(before.map(|data| String::from_utf8_lossy(&data.bytes).into_owned()).unwrap_or_default())
}

async fn delete(env: &dyn Environment, shown: &str) -> Result<ChangedFile, ApplyError> {
    let path = paths::resolve(env, shown);
    let data = env.read(&path).await.map_err(|error| apply_error("delete", error))?;
    env.remove(&path, Some(data.stamp)).await.map_err(|error| apply_error("delete", error))?;
    Ok(applied(format!("D {shown}"), shown, &String::from_utf8_lossy(&data.bytes), ""))
}

/// Returns the content of a file and the result of applying the chunks.
async fn changed_content(
    env: &dyn Environment,
    shown: &str,
    chunks: &[Chunk],
) -> Result<(String, String, Stamp), ApplyError> {
    let path = paths::resolve(env, shown);
    let FileData { bytes, stamp } = env.read(&path).await.map_err(|error| apply_error("update", error))?;
    let before = String::from_utf8(bytes).map_err(|_| {
        ApplyError::Failed(format!("Cannot update {shown}: it is not UTF-8 text. Use bash to change it"))
    })?;
    let after = v4a::update::update(&before, chunks)
        .map_err(|error| ApplyError::Failed(format!("Cannot update {shown}: {error}")))?;
    Ok((before, after, stamp))
}

async fn update(env: &dyn Environment, shown: &str, chunks: &[Chunk]) -> Result<ChangedFile, ApplyError> {
    let (before, after, stamp) = changed_content(env, shown, chunks).await?;
    let path = paths::resolve(env, shown);
    let bytes = after.clone().into_bytes();
    env.write(&path, bytes, Some(stamp)).await.map_err(|error| apply_error("update", error))?;
    Ok(applied(format!("M {shown}"), shown, &before, &after))
}

/// Writes the new content at the new path, then removes the old file. A move of a file onto itself is an
/// update: codex removes the file, but no intent of a patch justifies losing a file.
async fn rename(
    env: &dyn Environment,
    (shown, to): (&str, &str),
    chunks: &[Chunk],
) -> Result<ChangedFile, ApplyError> {
    let (old, new) = (paths::resolve(env, shown), paths::resolve(env, to));
    let real = async |path| env.resolve(path).await.map_err(|error| apply_error("move", error));
    if real(&old).await? == real(&new).await? {
        return update(env, shown, chunks).await;
    }
    let (before, after, stamp) = changed_content(env, shown, chunks).await?;
    replace(env, &new, &after).await?;
    match env.remove(&old, Some(stamp)).await {
        Ok(()) => Ok(applied(format!("M {shown} -> {to}"), to, &before, &after)),
        Err(error) => Err(ApplyError::Failed(format!("{to} is written, but the old file stays: {error}"))),
    }
}
