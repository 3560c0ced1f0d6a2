//! The recovery journal: writes, finds and removes saved texts, in tasks. Must not know the state.
//!
//! A journal file is one line of JSON about the text, then the text, then a line for each later change (see
//! `text::trail`).

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::exec::{RunFiles, Stamp};
use crate::ide::model::buffers::BufferId;
use crate::text::file_format::format::Format;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::undo::change_journal::{self, JournalSteps};

/// Prefix of the keys of texts without a file.
pub const UNTITLED: &str = "nameless-";

/// Metadata of a saved text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalHeader {
    /// Its file, links resolved; `None` for a text without a file.
    pub path: Option<PathBuf>,
    /// State of the file on which the text is based; `None` if there was no file.
    pub stamp: Option<Stamp>,
    /// Its format.
    pub format: Format,
    /// When it was saved, in milliseconds since the epoch.
    pub now_ms: u64,
    /// The version of the text, as long as the file is open.
    pub version: u64,
}

/// A text to save.
pub struct JournalWrite {
    /// Its buffer.
    pub buffer: BufferId,
    /// Under which key.
    pub key: String,
    /// What is known about it.
    pub head: JournalHeader,
    /// The text.
    pub text: Text,
    /// The steps from the already saved text, if appending them suffices.
    pub steps: Option<JournalSteps>,
    /// Files that it makes obsolete.
    pub replaces: Vec<String>,
}

/// A text that was found.
pub struct JournalEntry {
    /// Name of the journal file.
    pub name: String,
    /// What is known about it.
    pub head: JournalHeader,
    /// The text.
    pub text: Arc<str>,
}

/// Saves a text; blocking. Returns the name of its journal file.
pub fn write_entry(files: &RunFiles, write: JournalWrite) -> io::Result<String> {
    let JournalWrite { key, head, text, steps, replaces, .. } = write;
    let added = steps.map(|steps| steps.to_line(head.now_ms));
    let added = added.and_then(|line| files.append(&key, line.as_bytes(), &replaces).ok());
    // A file that cannot be appended to, for any reason, is written anew.
    added.map_or_else(|| rewrite(files, &key, &head, &text, &replaces), Ok)
}

/// Removes journal files; blocking.
pub fn remove(files: &RunFiles, names: &[String]) -> io::Result<()> {
    names.iter().try_for_each(|name| files.remove(name))
}

/// Returns the key of a file, the same in every run. FNV-1a, because hashes of the standard library may
/// change with the compiler.
pub fn key_of(path: &Path) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in path.as_os_str().as_bytes() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

fn rewrite(
    files: &RunFiles,
    key: &str,
    head: &JournalHeader,
    text: &Text,
    replaces: &[String],
) -> io::Result<String> {
    let head = head.to_line(text.end().0);
    let pieces = text.chunks_from(Byte(0)).map(str::as_bytes);
    files.write(key, std::iter::once(head.as_bytes()).chain(pieces), replaces)
}

/// Returns the newest saved text of a file that differs from `text`. An equal one is useless; older ones are
/// offered the next time. Blocking.
pub fn find(files: &RunFiles, path: &Path, text: &Text) -> io::Result<Option<JournalEntry>> {
    let mut newest: Option<JournalEntry> = None;
    for leftover in files.leftovers(Some(&key_of(path)))? {
        let Some(found) = read(files, leftover.name) else { continue };
        if found.head.path.as_deref() != Some(path) {
            continue;
        }
        if text.to_string() == *found.text {
            files.remove(&found.name)?;
        } else if newest.as_ref().is_none_or(|newest| newest.head.now_ms < found.head.now_ms) {
            newest = Some(found);
        }
    }
    Ok(newest)
}

/// Returns texts without a file, and the files with unsaved text apart from the open ones. Blocking.
pub fn find_others(files: &RunFiles, open: &[PathBuf]) -> io::Result<(Vec<JournalEntry>, Vec<PathBuf>)> {
    let (mut nameless, mut paths) = (Vec::new(), Vec::new());
    for leftover in files.leftovers(None)? {
        let Some(found) = read(files, leftover.name) else { continue };
        match &found.head.path {
            None => nameless.push(found),
            Some(path) if !open.contains(path) && !paths.contains(path) => paths.push(path.clone()),
            Some(_) => {}
        }
    }
    Ok((nameless, paths))
}

/// Reads a journal file. An invalid one is kept and reported in the log.
fn read(files: &RunFiles, name: String) -> Option<JournalEntry> {
    let bytes = match files.read(&name) {
        Ok(bytes) => bytes,
        Err(error) => {
            tracing::warn!(%error, name, "a recovery file cannot be read");
            return None;
        }
    };
    let parsed = JournalHeader::parse(&bytes);
    if parsed.is_none() {
        tracing::warn!(name, "a recovery file is damaged; it is left where it is");
    }
    let (mut head, base, lines) = parsed?;
    if lines.is_empty() {
        return Some(JournalEntry { name, head, text: base.into() });
    }
    let mut text = Text::from(base);
    head.now_ms = change_journal::replay(&mut text, head.version, lines).unwrap_or(head.now_ms);
    Some(JournalEntry { name, head, text: text.to_string().into() })
}

/// The first line, as stored in the file.
#[derive(Serialize, Deserialize)]
struct Line {
    bowline: u32,
    path: Option<String>,
    /// Bytes of the path in base64, if it is invalid UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    stamp: Option<String>,
    format: Format,
    time_ms: u64,
    /// The text's length in bytes.
    length: usize,
    #[serde(default)]
    version: u64,
}

impl JournalHeader {
    fn to_line(&self, length: usize) -> String {
        let bytes = |path: &PathBuf| STANDARD.encode(path.as_os_str().as_bytes());
        let line = Line {
            bowline: 1,
            path: self.path.as_ref().map(|path| path.to_string_lossy().into_owned()),
            path_bytes: self.path.as_ref().filter(|path| path.to_str().is_none()).map(bytes),
            stamp: self.stamp.as_ref().map(|stamp| stamp.0.clone()),
            format: self.format,
            time_ms: self.now_ms,
            length,
            version: self.version,
        };
        let json = serde_json::to_string(&line).expect("plain strings and numbers are always JSON");
        json + "\n"
    }

    /// Returns the metadata, the text, and the lines after it.
    fn parse(bytes: &[u8]) -> Option<(Self, &str, &[u8])> {
        let end = memchr::memchr(b'\n', bytes)?;
        let line: Line = serde_json::from_slice(&bytes[..end]).ok()?;
        let (text, lines) = bytes[end + 1..].split_at_checked(line.length)?;
        let text = std::str::from_utf8(text).ok()?;
        if line.bowline != 1 {
            return None;
        }
        let path = match line.path_bytes {
            Some(bytes) => Some(PathBuf::from(OsString::from_vec(STANDARD.decode(bytes).ok()?))),
            None => line.path.map(PathBuf::from),
        };
        let stamp = line.stamp.map(Stamp);
        let Line { format, time_ms: now_ms, version, .. } = line;
        Some((Self { path, stamp, format, now_ms, version }, text, lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journal_header_roundtrips_and_truncated_is_rejected() {
        let odd = PathBuf::from(OsString::from_vec(b"/a/\xff\n.txt".to_vec()));
        for path in [None, Some(PathBuf::from("/a/é.txt")), Some(odd)] {
            let format = Format { bom: true, ..Format::default() };
            let head = JournalHeader { path, stamp: Some(Stamp::of(b"x")), format, now_ms: 7, version: 3 };
            let text = "é\r\n{\n\u{10FF80}";
            let file = head.to_line(text.len()) + text;
            let added = format!("{file}more");
            assert_eq!(JournalHeader::parse(file.as_bytes()), Some((head.clone(), text, &b""[..])));
            assert_eq!(JournalHeader::parse(added.as_bytes()), Some((head, text, &b"more"[..])));
            assert_eq!(JournalHeader::parse(&file.as_bytes()[..file.len() - 4]), None);
        }
        assert_eq!(JournalHeader::parse(b""), None);
        assert_eq!(JournalHeader::parse(b"{}\n"), None);
    }
}
