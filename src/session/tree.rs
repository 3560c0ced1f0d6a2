//! The tree of a session: who follows whom, and which entry is the leaf.
//!
//! Must not know what entries say, nor files. Indices are places in the file's order. Nothing here
//! but a walk through all entries costs more than the branch that it is about.

use std::collections::HashMap;

use compact_str::CompactString;

use super::entry::Entry;

/// The shape of a session.
#[derive(Debug, Default)]
pub struct Tree {
    entries: Vec<Entry>,
    by_id: HashMap<CompactString, u32>,
    leaf: Option<u32>,
    /// For each entry the first that follows it.
    first: Vec<Option<u32>>,
    /// For each entry the next that follows the same one.
    next: Vec<Option<u32>>,
    /// Those that follow nobody, in order.
    roots: Vec<u32>,
    /// Those whose parent has not been seen yet, by its id.
    waiting: HashMap<CompactString, Vec<u32>>,
}

impl Tree {
    /// All entries in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of that id.
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.place(id).map(|at| &self.entries[at as usize])
    }

    fn place(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    /// Where in [`Tree::entries`] an entry is.
    pub fn index_of(&self, id: &str) -> Option<u32> {
        self.place(id)
    }

    /// Where the one before it is.
    pub fn parent_index(&self, at: u32) -> Option<u32> {
        self.entries.get(at as usize)?.parent_id().and_then(|id| self.place(id))
    }

    /// How many entries nothing follows.
    pub fn ends(&self) -> usize {
        self.first.iter().filter(|first| first.is_none()).count()
    }

    /// Whether the id is taken.
    pub fn contains(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// The entry after which the next one goes; `None` before the first.
    pub fn leaf(&self) -> Option<&Entry> {
        self.leaf.map(|at| &self.entries[at as usize])
    }

    /// Adds an entry and makes it the leaf. Fails with the id when that is taken.
    pub fn push(&mut self, entry: Entry) -> Result<(), String> {
        let id = &entry.place().id;
        let at = u32::try_from(self.entries.len()).map_err(|_| id.to_string())?;
        if self.by_id.contains_key(id) {
            return Err(id.to_string());
        }
        self.by_id.insert(id.clone(), at);
        // Children that came before their parent: only a file that somebody else wrote has them.
        let early = if self.waiting.is_empty() { None } else { self.waiting.remove(id) };
        self.first.push(None);
        self.next.push(None);
        for child in early.into_iter().flatten() {
            self.follow(at, child);
        }
        match &entry.place().parent_id {
            None => self.roots.push(at),
            Some(parent) => match self.place(parent) {
                Some(parent) => self.follow(parent, at),
                None => self.waiting.entry(parent.clone()).or_default().push(at),
            },
        }
        self.leaf = Some(at);
        self.entries.push(entry);
        Ok(())
    }

    /// Makes room for so many more entries.
    pub(super) fn reserve(&mut self, entries: usize) {
        self.entries.reserve(entries);
        self.by_id.reserve(entries);
        self.first.reserve(entries);
        self.next.reserve(entries);
    }

    /// Puts a child behind those that its parent has. Later ones are found faster: the list is
    /// kept with the latest first.
    fn follow(&mut self, parent: u32, child: u32) {
        self.next[child as usize] = self.first[parent as usize].replace(child);
    }

    /// Tells every entry that is only in memory where its line is now.
    pub(super) fn settle(&mut self, mut with: impl FnMut(&mut Entry)) {
        self.entries.iter_mut().for_each(&mut with);
    }

    /// The same for the last one.
    pub(super) fn settle_last(&mut self, with: impl FnOnce(&mut Entry)) {
        self.entries.last_mut().map(with);
    }

    /// Moves the leaf: the next entry follows `id`, or starts a new root with `None`. False
    /// when there is no such entry.
    pub fn branch(&mut self, id: Option<&str>) -> bool {
        let target = id.map(|id| self.place(id));
        match target {
            Some(None) => false,
            Some(at) => {
                self.leaf = at;
                true
            }
            None => {
                self.leaf = None;
                true
            }
        }
    }

    /// The entries from the root to `leaf`. Ends early at a parent that is missing, and at one
    /// that would close a circle.
    pub fn path_to(&self, leaf: &str) -> Vec<&Entry> {
        let mut path = Vec::new();
        let mut next = self.place(leaf);
        while let Some(at) = next {
            let entry = &self.entries[at as usize];
            path.push(entry);
            if path.len() == self.entries.len() {
                break;
            }
            next = entry.parent_id().and_then(|id| self.place(id));
        }
        path.reverse();
        path
    }

    /// The entries from the root to the leaf.
    pub fn path(&self) -> Vec<&Entry> {
        self.leaf().map_or_else(Vec::new, |leaf| self.path_to(leaf.id()))
    }

    /// The entries that follow `id` directly, in the order of the file. For `None` the roots: those
    /// that follow nobody, and those whose parent is missing.
    pub fn children(&self, id: Option<&str>) -> Vec<&Entry> {
        let mut found: Vec<u32> = match id {
            None => self.roots.iter().chain(self.waiting.values().flatten()).copied().collect(),
            Some(id) => {
                let first = self.place(id).and_then(|at| self.first[at as usize]);
                std::iter::successors(first, |at| self.next[*at as usize]).collect()
            }
        };
        found.sort_unstable();
        found.into_iter().map(|at| &self.entries[at as usize]).collect()
    }

    /// The last entry that two branches share; `None` when they have nothing in common.
    pub fn common_ancestor(&self, one: &str, other: &str) -> Option<&Entry> {
        let (one, other) = (self.path_to(one), self.path_to(other));
        let shared = one.iter().zip(&other).take_while(|(one, other)| one.id() == other.id());
        shared.last().map(|(one, _)| *one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(rows: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (id, parent) in rows {
            let parent = if parent.is_empty() { "null".to_string() } else { format!("\"{parent}\"") };
            let line = format!(r#"{{"type":"custom","id":"{id}","parentId":{parent}}}"#);
            tree.push(Entry::parse(&line).unwrap()).unwrap();
        }
        tree
    }

    fn ids(path: &[&Entry]) -> String {
        path.iter().map(|entry| entry.id()).collect()
    }

    #[test]
    fn branches_share_their_root() {
        let mut tree = tree(&[("a", ""), ("b", "a"), ("c", "b"), ("d", "b")]);
        assert_eq!(ids(&tree.path()), "abd");
        assert_eq!(ids(&tree.path_to("c")), "abc");
        assert_eq!(
            (ids(&tree.children(Some("b"))), ids(&tree.children(Some("d")))),
            ("cd".into(), String::new())
        );
        assert_eq!(ids(&tree.children(None)), "a");
        assert_eq!(tree.common_ancestor("c", "d").map(Entry::id), Some("b"));
        assert!(tree.branch(Some("a")));
        assert_eq!(ids(&tree.path()), "a");
        assert!(!tree.branch(Some("nobody")));
        assert_eq!(ids(&tree.path()), "a");
        assert!(tree.branch(None));
        assert!(tree.path().is_empty());
    }

    #[test]
    fn circles_and_missing_parents_end_a_path() {
        assert_eq!(ids(&tree(&[("a", "b"), ("b", "a")]).path()), "ab");
        assert_eq!(ids(&tree(&[("a", "a")]).path()), "a");
        let lost = tree(&[("a", ""), ("b", "gone"), ("c", "b"), ("d", "late"), ("late", "a")]);
        assert_eq!((ids(&lost.path_to("c")), ids(&lost.children(None))), ("bc".into(), "ab".into()));
        assert_eq!(
            (ids(&lost.children(Some("late"))), ids(&lost.path_to("d"))),
            ("d".into(), "alated".into())
        );
        assert!(lost.common_ancestor("a", "c").is_none());
    }

    #[test]
    fn a_taken_id_is_refused() {
        let mut tree = tree(&[("a", "")]);
        assert!(tree.push(Entry::parse(r#"{"type":"custom","id":"a"}"#).unwrap()).is_err());
        assert_eq!(tree.entries().len(), 1);
    }
}
