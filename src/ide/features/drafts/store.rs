//! Storage of unsent messages, in tasks. Must not know the state.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::exec::CacheFolder;
use crate::exec::storage::cache::Limits;
use crate::ide::features::recovery::journal::key_of;
use crate::ide::model::draft::{Draft, FilledDraft};
use crate::llm::model::Part;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Version of the stored form.
const VERSION: u32 = 1;
/// Maximum bytes of a stored draft.
pub const DRAFT_BYTES: u64 = 8 << 20;
/// Limits of all stored drafts.
const LIMITS: Limits = Limits { bytes: 64 << 20, age: Duration::from_hours(90 * 24) };
/// Between the folder and the time in the name of a stashed message.
const STASH: &str = "-stash-";
/// Maximum number of stored drafts.
const FILES_MAX: usize = 1_000;

/// The storage of a folder's drafts.
#[derive(Debug)]
pub struct DraftStore {
    files: CacheFolder,
    workspace: String,
    /// Number of the last write of each file; `None` before the first.
    written: Mutex<Option<BTreeMap<String, u64>>>,
}

/// The stored form.
#[derive(Serialize, Deserialize)]
struct StoredDraft {
    version: u32,
    text: String,
    /// Start and end in bytes of each folded paste.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pastes: Vec<(usize, usize)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attached: Vec<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    filled: Option<FilledDraft>,
}

impl DraftStore {
    /// The drafts of a folder, in the program's folder of state.
    pub fn new(state: &Path, workspace: &Path) -> Self {
        Self {
            files: CacheFolder::new(state.join("drafts")),
            workspace: key_of(workspace),
            written: Mutex::default(),
        }
    }

    /// Returns the name under which the draft of a session is stored; `None` is a session that is not stored
    /// yet, of which a folder has one.
    pub fn name_of(&self, session: Option<&str>) -> String {
        // An id comes from a file, and may be anything.
        let session = session.map_or_else(|| "new".to_string(), |id| key_of(Path::new(id)));
        format!("{}-{session}.draft", self.workspace)
    }

    /// Returns a name for a message that is stashed now. Names of one program sort by
    /// time and number.
    pub fn stash_name(&self, now_ms: u64, number: u64) -> String {
        // Two programs may stash in the same millisecond.
        let unique = fastrand::u32(..);
        format!("{}{STASH}{now_ms:016}-{number:06}-{unique:08x}.draft", self.workspace)
    }

    /// Returns the names of the stashed messages with the time of each in milliseconds, the newest first. Blocking.
    pub fn stashes(&self) -> io::Result<Vec<(String, u64)>> {
        let prefix = format!("{}{STASH}", self.workspace);
        let time = |name: &str| name.strip_prefix(&prefix)?.split('-').next()?.parse().ok();
        let files = self.files.list()?.into_iter();
        let mut names: Vec<(String, u64)> =
            files.filter_map(|item| time(&item.name).map(|time| (item.name, time))).collect();
        names.sort_unstable_by(|a, b| b.cmp(a));
        Ok(names)
    }

    /// Returns a stored draft. Fails if it is too long or damaged. Blocking.
    pub fn get(&self, name: &str) -> io::Result<Option<Draft>> {
        let Some(bytes) = self.files.get_or_fail(name, DRAFT_BYTES)? else { return Ok(None) };
        let damaged = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
        let stored: StoredDraft =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if stored.version != VERSION {
            return Err(damaged(format!("version {} is not supported", stored.version)));
        }
        let pastes = stored.pastes.into_iter().map(|(start, end)| Byte(start)..Byte(end)).collect();
        let (attached, filled) = (stored.attached, stored.filled);
        Ok(Some(Draft { text: Text::from(&*stored.text), pastes, attached, filled }))
    }

    /// Stores a draft, or removes an empty one, unless a write with a higher number came first. Blocking.
    pub fn put(&self, name: &str, draft: Draft, number: u64) -> io::Result<()> {
        let mut written = self.written.lock();
        let is_first = written.is_none();
        let numbers = written.get_or_insert_default();
        if numbers.get(name).is_some_and(|newer| *newer > number) {
            return Ok(());
        }
        numbers.insert(name.to_string(), number);
        if draft.is_empty() {
            return self.files.remove(name);
        }
        let pastes = draft.pastes.iter().map(|range| (range.start.0, range.end.0)).collect();
        let (text, attached, filled) = (draft.text.to_string(), draft.attached, draft.filled);
        let stored = StoredDraft { version: VERSION, text, pastes, attached, filled };
        let bytes = serde_json::to_vec(&stored)?;
        if bytes.len() as u64 > DRAFT_BYTES {
            // An older version of the text would be worse than none.
            self.files.remove(name)?;
            let limit = DRAFT_BYTES >> 20;
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("longer than {limit} MB")));
        }
        self.files.put(name, &bytes)?;
        if is_first { self.clean() } else { Ok(()) }
    }

    fn clean(&self) -> io::Result<()> {
        self.files.clean(LIMITS)?;
        let files = self.files.list()?;
        let oldest = &files[..files.len().saturating_sub(FILES_MAX)];
        oldest.iter().try_for_each(|item| self.files.remove(&item.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, DraftStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = DraftStore::new(folder.path(), Path::new("/w"));
        (folder, store)
    }

    fn draft(text: &str) -> Draft {
        Draft { text: Text::from(text), ..Draft::default() }
    }

    #[test]
    fn draft_store_late_write_does_not_replace_newer() {
        let (_folder, store) = store();
        let name = store.name_of(Some("../../x"));
        assert!(!name.contains('/'), "{name}");
        assert!(store.get(&name).unwrap().is_none());
        store.put(&name, draft("newer"), 2).unwrap();
        store.put(&name, draft("older"), 1).unwrap();
        assert_eq!(store.get(&name).unwrap().unwrap().text.to_string(), "newer");
        store.put(&name, draft(" \n"), 3).unwrap();
        assert!(store.get(&name).unwrap().is_none(), "an empty draft is removed");
    }

    #[test]
    fn draft_store_is_bounded_in_size_and_number() {
        let (folder, store) = store();
        let name = store.name_of(None);
        let folder = CacheFolder::new(folder.path().join("drafts"));
        for n in 0..FILES_MAX + 5 {
            folder.put(&format!("{n}.draft"), b"{}").unwrap();
        }
        store.put(&name, draft("kept"), 1).unwrap();
        assert_eq!(folder.list().unwrap().len(), FILES_MAX);
        assert_eq!(store.get(&name).unwrap().unwrap().text.to_string(), "kept");
        let long = draft(&"x".repeat(DRAFT_BYTES as usize));
        assert_eq!(store.put(&name, long, 2).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(store.get(&name).unwrap().is_none(), "no older text in its place");
    }

    #[test]
    fn draft_store_damaged_or_huge_file_is_an_error() {
        let (folder, store) = store();
        let name = store.name_of(None);
        let folder = CacheFolder::new(folder.path().join("drafts"));
        for bad in ["", "{", "[]", "{\"version\":9,\"text\":\"x\"}", "\u{0}\u{1}"] {
            folder.put(&name, bad.as_bytes()).unwrap();
            assert_eq!(store.get(&name).unwrap_err().kind(), io::ErrorKind::InvalidData, "{bad:?}");
        }
        folder.put(&name, &vec![b' '; DRAFT_BYTES as usize + 1]).unwrap();
        assert_eq!(store.get(&name).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
