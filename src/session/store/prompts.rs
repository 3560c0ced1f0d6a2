//! History of prompts: one line each in a file that all processes share.
//!
//! Must not know who displays it. A line is added in one write under the system's file lock. A file that has
//! become long is compacted: repeated prompts are kept once, of the rest the latest. Secrets are never
//! written.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::secrets;

/// File name in the data folder.
const NAME: &str = "prompts.jsonl";
/// File size that triggers compaction.
const FILE_MAX: u64 = 4 << 20;
/// Number of prompts kept by compaction.
const PROMPTS_KEPT: usize = 2000;
/// Bytes kept by compaction.
const PROMPT_BYTES_KEPT: usize = 2 << 20;
/// Maximum length of a prompt, in bytes: longer ones were pasted.
const TEXT_MAX: usize = 64 << 10;
/// Attempts to lock the file while other processes replace it.
const LOCK_TRIES: usize = 10;

/// A stored prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPrompt {
    /// Time of its last use, in milliseconds since the epoch.
    #[serde(rename = "at")]
    pub at_ms: u64,
    /// Its folder.
    pub cwd: String,
    /// The text, without secrets.
    pub text: String,
}

/// Stores a prompt. Ignores blank and overlong texts.
pub fn store_prompt(data: &Path, cwd: &Path, text: &str, now_ms: u64) -> io::Result<()> {
    let text = secrets::redact(text.trim());
    if text.is_empty() || text.len() > TEXT_MAX {
        return Ok(());
    }
    let prompt =
        StoredPrompt { at_ms: now_ms, cwd: cwd.to_string_lossy().into_owned(), text: text.into_owned() };
    let line = format!("{}\n", serde_json::to_string(&prompt)?);
    DirBuilder::new().recursive(true).mode(0o700).create(data)?;
    let path = data.join(NAME);
    let mut file = open_locked(&path)?;
    // Ends a partial line of another process.
    let size = file.metadata()?.len();
    let torn = size > 0 && !ends_with_newline(&file, size)?;
    file.write_all(if torn { format!("\n{line}") } else { line }.as_bytes())?;
    if size > FILE_MAX { compact_file(&path) } else { Ok(()) }
}

/// Returns the prompts, oldest first, each at its last use: of one folder, or of all.
pub fn load_prompts(data: &Path, cwd: Option<&Path>) -> Vec<StoredPrompt> {
    let Ok(bytes) = fs::read(data.join(NAME)) else { return Vec::new() };
    let cwd = cwd.map(|cwd| cwd.to_string_lossy().into_owned());
    let all =
        parse_prompts(&bytes).into_iter().filter(|prompt| cwd.as_ref().is_none_or(|cwd| prompt.cwd == *cwd));
    deduplicate(all.collect(), false)
}

fn parse_prompts(bytes: &[u8]) -> Vec<StoredPrompt> {
    bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Removes duplicates; the last use is kept. Optionally per folder.
fn deduplicate(all: Vec<StoredPrompt>, by_folder: bool) -> Vec<StoredPrompt> {
    let mut seen = HashSet::new();
    let mut last: Vec<StoredPrompt> = all
        .into_iter()
        .rev()
        .filter(|prompt| {
            seen.insert((if by_folder { prompt.cwd.clone() } else { String::new() }, prompt.text.clone()))
        })
        .collect();
    last.reverse();
    last
}

/// Opens and locks the file. One that was replaced before the lock is opened again.
fn open_locked(path: &Path) -> io::Result<File> {
    for _ in 0..LOCK_TRIES {
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        // On a file system without locks writes are at least atomic.
        if let Err(error) = file.lock() {
            tracing::debug!(path = %path.display(), %error, "cannot lock the history of prompts");
            return Ok(file);
        }
        if fs::metadata(path).is_ok_and(|now| file.metadata().is_ok_and(|ours| ours.ino() == now.ino())) {
            return Ok(file);
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

fn ends_with_newline(file: &File, size: u64) -> io::Result<bool> {
    let mut last = [0];
    std::os::unix::fs::FileExt::read_exact_at(file, &mut last, size - 1)?;
    Ok(last == *b"\n")
}

/// Compacts the file, which the caller has locked, atomically, so that no reader sees a partial file.
fn compact_file(path: &Path) -> io::Result<()> {
    let all = deduplicate(parse_prompts(&fs::read(path)?), true);
    let mut bytes = 0;
    let kept = all.iter().rev().take(PROMPTS_KEPT).take_while(|prompt| {
        bytes += prompt.text.len();
        bytes <= PROMPT_BYTES_KEPT
    });
    let lines: Result<Vec<String>, _> = kept.map(serde_json::to_string).collect();
    let mut lines = lines?;
    lines.reverse();
    let folder: PathBuf = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(lines.join("\n").as_bytes())?;
    new.write_all(b"\n")?;
    new.persist(path).map(drop).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[StoredPrompt]) -> Vec<&str> {
        all.iter().map(|said| said.text.as_str()).collect()
    }

    #[test]
    fn prompt_history_is_stored_by_folder_with_redaction() {
        let data = tempfile::tempdir().unwrap();
        let (one, two) = (Path::new("/w/one"), Path::new("/w/two"));
        let say = |cwd: &Path, text: &str, at: u64| store_prompt(data.path(), cwd, text, at).unwrap();
        assert!(load_prompts(data.path(), None).is_empty());
        say(one, "first", 1);
        say(two, "second\nline", 2);
        say(one, "  third ", 3);
        say(one, "first", 4);
        say(one, " \n", 5);
        say(two, &"x".repeat(TEXT_MAX + 1), 6);
        say(one, "use sk-ant-api03-abcdefghijklmnop", 7);
        assert_eq!(texts(&load_prompts(data.path(), Some(one))), ["third", "first", "use [secret]"]);
        assert_eq!(
            texts(&load_prompts(data.path(), None)),
            ["second\nline", "third", "first", "use [secret]"]
        );
        assert_eq!(load_prompts(data.path(), Some(two))[0].at_ms, 2);
        assert_eq!(fs::metadata(data.path().join(NAME)).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn prompt_history_torn_line_is_skipped() {
        let data = tempfile::tempdir().unwrap();
        fs::write(data.path().join(NAME), "{\"at\":1,\"cwd\":\"/\",\"text\":\"whole\"}\n{\"at\":2,\"cw")
            .unwrap();
        store_prompt(data.path(), Path::new("/"), "after", 3).unwrap();
        assert_eq!(texts(&load_prompts(data.path(), None)), ["whole", "after"]);
    }

    #[test]
    fn prompt_history_is_trimmed_and_safe_for_concurrency() {
        let data = tempfile::tempdir().unwrap();
        let long = "y".repeat(TEXT_MAX - 20);
        for n in 0..(FILE_MAX as usize / TEXT_MAX + 3) {
            store_prompt(data.path(), Path::new("/w"), &format!("{n} {long}"), n as u64).unwrap();
        }
        let size = fs::metadata(data.path().join(NAME)).unwrap().len();
        assert!(size < 3 << 20, "{size}");
        let newest = load_prompts(data.path(), None).pop().unwrap();
        assert!(newest.text.starts_with(&format!("{} y", FILE_MAX as usize / TEXT_MAX + 2)));
        // Others append while one puts the file in order.
        std::thread::scope(|scope| {
            for program in 0..4 {
                let data = data.path();
                scope.spawn(move || {
                    for n in 0..20 {
                        let pad = &"z".repeat(TEXT_MAX / 2)[..];
                        let text = if n % 5 == 0 {
                            format!("{program} {n} {pad}")
                        } else {
                            format!("{program} {n}")
                        };
                        store_prompt(data, Path::new("/w"), &text, n).unwrap();
                    }
                });
            }
        });
        let all = load_prompts(data.path(), None);
        let short = all.iter().filter(|said| said.text.len() < 10).count();
        assert_eq!(short, 4 * 16);
    }
}
