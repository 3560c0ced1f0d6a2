//! File lists of the workspace from the last walks, one with ignored files and one without, for the next pickers. Must not
//! know who walks.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

/// How long a list is valid. Other programs may create files in the meantime without notification.
const FRESH_FOR: Duration = Duration::from_mins(1);
/// Maximum size of a kept list in bytes.
const BYTES_MAX: usize = 32 << 20;

/// The lists, shared with the walks that create them.
#[derive(Debug, Clone, Default)]
pub struct FileList(Arc<Mutex<ListState>>);

#[derive(Debug, Default)]
struct ListState {
    /// Start of the walk, and its paths, each followed by a NUL: without ignored files, and with them.
    found: [Option<(Duration, Arc<str>)>; 2],
    /// Number of changes to the files: a walk during which it changes is incomplete.
    changes: u64,
}

impl FileList {
    /// Returns the paths, with ignored files or without, while they are valid.
    pub fn fresh(&self, with_ignored: bool, now: Duration) -> Option<Arc<str>> {
        let mut state = self.0.lock();
        for found in &mut state.found {
            found.take_if(|(began, _)| now.saturating_sub(*began) >= FRESH_FOR);
        }
        state.found[usize::from(with_ignored)].as_ref().map(|(_, paths)| Arc::clone(paths))
    }

    /// Records that files were created, moved or removed.
    pub fn invalidate(&self) {
        let mut state = self.0.lock();
        state.found = [None, None];
        state.changes += 1;
    }

    /// Starts a walk, with ignored files or without; returns its list, to be filled with paths.
    pub fn begin_walk(&self, with_ignored: bool, now: Duration) -> FileWalk {
        let changes = self.0.lock().changes;
        FileWalk { list: self.clone(), with_ignored, began: now, changes, paths: String::new() }
    }
}

/// The list of a walk in progress.
pub struct FileWalk {
    list: FileList,
    with_ignored: bool,
    began: Duration,
    changes: u64,
    paths: String,
}

impl FileWalk {
    /// Adds a found path.
    pub fn push(&mut self, path: &str) {
        if self.paths.len() <= BYTES_MAX {
            self.paths.push_str(path);
            self.paths.push('\0');
        }
    }

    /// The walk is complete; returns its paths, which are not kept if they are too many.
    pub fn end(self) -> Arc<str> {
        let mut state = self.list.0.lock();
        let is_complete = state.changes == self.changes && self.paths.len() <= BYTES_MAX;
        let paths: Arc<str> = self.paths.into();
        if is_complete {
            state.found[usize::from(self.with_ignored)] = Some((self.began, Arc::clone(&paths)));
        }
        paths
    }
}

/// Divides a list into that many parts of about the same length, or fewer.
pub fn parts(mut list: &str, count: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    for left in (2..=count).rev() {
        let middle = list.floor_char_boundary(list.len() / left);
        let Some(end) = list[middle..].find('\0') else { break };
        let (part, rest) = list.split_at(middle + end + 1);
        parts.push(part);
        list = rest;
    }
    parts.push(list);
    parts
}

/// The paths of a list.
pub fn paths(list: &str) -> impl Iterator<Item = &str> {
    list.split_terminator('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(list: &FileList, at: u64) -> Vec<String> {
        let found = list.fresh(false, Duration::from_secs(at));
        found.map_or(Vec::new(), |found| paths(&found).map(String::from).collect())
    }

    #[test]
    fn file_list_parts_hold_every_path_once() {
        let list = (0..100).map(|n| format!("é/{n}\0")).collect::<Vec<_>>().concat();
        for count in 1..6 {
            let divided = parts(&list, count);
            assert_eq!((divided.len(), divided.concat()), (count, list.clone()));
            assert!(divided.iter().all(|part| part.ends_with('\0')));
        }
        assert_eq!(parts("a\0", 3).concat(), "a\0");
        assert_eq!(parts("", 3), [""]);
    }

    #[test]
    fn file_list_keeps_ignored_files_apart() {
        let list = FileList::default();
        let now = Duration::from_secs(1);
        let (mut some, mut all) = (list.begin_walk(false, now), list.begin_walk(true, now));
        some.push("a");
        all.push("a");
        all.push("target/b");
        all.end();
        assert_eq!((list.fresh(false, now), list.fresh(true, now).as_deref()), (None, Some("a\0target/b\0")));
        some.end();
        assert_eq!(list.fresh(false, now).as_deref(), Some("a\0"));
        assert_eq!(list.fresh(true, now).as_deref(), Some("a\0target/b\0"));
        list.invalidate();
        assert_eq!((list.fresh(false, now), list.fresh(true, now)), (None, None));
    }

    #[test]
    fn file_list_expires_after_minute_or_change() {
        let list = FileList::default();
        let walk = |at: u64| {
            let mut listing = list.begin_walk(false, Duration::from_secs(at));
            listing.push("a/b.rs");
            listing.push("c\nd");
            listing
        };
        assert!(listed(&list, 0).is_empty());
        walk(100).end();
        assert_eq!(listed(&list, 159), ["a/b.rs", "c\nd"]);
        assert!(listed(&list, 160).is_empty(), "it is too old");
        assert!(listed(&list, 159).is_empty(), "and its memory was given back");
        walk(200).end();
        list.invalidate();
        assert!(listed(&list, 201).is_empty());
        let under_way = walk(300);
        list.invalidate();
        under_way.end();
        assert!(listed(&list, 301).is_empty(), "the walk may have missed the change");
    }
}
