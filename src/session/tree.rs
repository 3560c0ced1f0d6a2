//! The tree of a session: who follows whom, and which entry is the leaf.
//!
//! Must not know what entries say, nor files. Indices are places in the file's order. Nothing here
//! but a walk through all entries costs more than the branch that it is about.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use compact_str::CompactString;
use hashbrown::HashTable;

use super::entry::Entry;

/// Stands for no entry, in lists of places that hold one for each entry.
const NOBODY: u32 = u32::MAX;

/// The shape of a session.
#[derive(Debug, Default)]
pub struct Tree {
    entries: Vec<Entry>,
    /// Places by ids. The ids themselves are in the entries only; of each a part of its hash is kept, so that
    /// the table grows without reading them.
    by_id: HashTable<(u32, u32)>,
    hasher: RandomState,
    leaf: Option<u32>,
    /// For each entry the one before it, so that a walk need not look for ids.
    parent: Vec<u32>,
    /// For each entry the first that follows it.
    first: Vec<u32>,
    /// For each entry the next that follows the same one.
    next: Vec<u32>,
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
        let sum = self.hasher.hash_one(id) as u32;
        let is_it = |(other, at): &(u32, u32)| *other == sum && self.entries[*at as usize].id() == id;
        self.by_id.find(spread(sum), is_it).map(|(_, at)| *at)
    }

    /// Where in [`Tree::entries`] an entry is.
    pub fn index_of(&self, id: &str) -> Option<u32> {
        self.place(id)
    }

    /// Where the one before it is.
    pub fn parent_index(&self, at: u32) -> Option<u32> {
        somebody(*self.parent.get(at as usize)?)
    }

    /// How many entries nothing follows.
    pub fn ends(&self) -> usize {
        self.first.iter().filter(|first| **first == NOBODY).count()
    }

    /// Whether the id is taken.
    pub fn contains(&self, id: &str) -> bool {
        self.place(id).is_some()
    }

    /// The entry after which the next one goes; `None` before the first.
    pub fn leaf(&self) -> Option<&Entry> {
        self.leaf.map(|at| &self.entries[at as usize])
    }

    /// Where that one is.
    pub fn leaf_index(&self) -> Option<u32> {
        self.leaf
    }

    /// Adds an entry and makes it the leaf. Fails with the id when that is taken.
    pub fn push(&mut self, entry: Entry) -> Result<(), String> {
        let id = &entry.place().id;
        let at = u32::try_from(self.entries.len()).ok().filter(|at| *at != NOBODY);
        let Some(at) = at else { return Err(id.to_string()) };
        let sum = self.hasher.hash_one(id.as_str()) as u32;
        let Self { by_id, entries, .. } = self;
        let is_it = |(other, at): &(u32, u32)| *other == sum && entries[*at as usize].id() == id;
        let free = by_id.entry(spread(sum), is_it, |(sum, _)| spread(*sum));
        match free {
            hashbrown::hash_table::Entry::Occupied(_) => return Err(id.to_string()),
            hashbrown::hash_table::Entry::Vacant(free) => drop(free.insert((sum, at))),
        }
        // Children that came before their parent: only a file that somebody else wrote has them.
        let early = if self.waiting.is_empty() { None } else { self.waiting.remove(id) };
        let parent_id = entry.place().parent_id.clone();
        self.entries.push(entry);
        self.parent.push(NOBODY);
        self.first.push(NOBODY);
        self.next.push(NOBODY);
        for child in early.into_iter().flatten() {
            self.follow(at, child);
        }
        match parent_id {
            None => self.roots.push(at),
            Some(parent) => match self.parent_of(at, &parent) {
                Some(parent) => self.follow(parent, at),
                None => self.waiting.entry(parent).or_default().push(at),
            },
        }
        self.leaf = Some(at);
        Ok(())
    }

    /// Where the parent of a new entry is: nearly always right before it.
    fn parent_of(&self, at: u32, parent: &str) -> Option<u32> {
        let before = at.checked_sub(1).filter(|before| self.entries[*before as usize].id() == parent);
        before.or_else(|| self.place(parent))
    }

    /// Whether there are entries whose parent has not been seen yet.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Makes room for so many more entries.
    pub(super) fn reserve(&mut self, entries: usize) {
        self.by_id.reserve(entries, |(sum, _)| spread(*sum));
        self.entries.reserve(entries);
        self.parent.reserve(entries);
        self.first.reserve(entries);
        self.next.reserve(entries);
    }

    /// Puts a child behind those that its parent has. Later ones are found faster: the list is
    /// kept with the latest first.
    fn follow(&mut self, parent: u32, child: u32) {
        self.parent[child as usize] = parent;
        self.next[child as usize] = std::mem::replace(&mut self.first[parent as usize], child);
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

    /// The places from `leaf` back to the root. Ends early at a parent that is missing, and at one that
    /// would close a circle.
    pub fn way_back(&self, leaf: Option<u32>) -> impl Iterator<Item = u32> {
        let next = |at: &u32| somebody(self.parent[*at as usize]);
        std::iter::successors(leaf, next).take(self.entries.len())
    }

    /// The entries from the root to `leaf`, as far as [`Self::way_back`] goes.
    pub fn path_to(&self, leaf: &str) -> Vec<&Entry> {
        self.path_from(self.place(leaf))
    }

    fn path_from(&self, leaf: Option<u32>) -> Vec<&Entry> {
        let mut path: Vec<&Entry> = self.way_back(leaf).map(|at| &self.entries[at as usize]).collect();
        path.reverse();
        path
    }

    /// The entries from the root to the leaf.
    pub fn path(&self) -> Vec<&Entry> {
        self.path_from(self.leaf)
    }

    /// The entries that follow `id` directly, in the order of the file. For `None` the roots: those
    /// that follow nobody, and those whose parent is missing.
    pub fn children(&self, id: Option<&str>) -> Vec<&Entry> {
        let mut found: Vec<u32> = match id {
            None => self.roots.iter().chain(self.waiting.values().flatten()).copied().collect(),
            Some(id) => {
                let first = self.place(id).and_then(|at| somebody(self.first[at as usize]));
                std::iter::successors(first, |at| somebody(self.next[*at as usize])).collect()
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

/// A hash of as many bits as a table looks at, at both of its ends.
fn spread(sum: u32) -> u64 {
    u64::from(sum) << 32 | u64::from(sum)
}

/// The place, where it is one.
fn somebody(place: u32) -> Option<u32> {
    (place != NOBODY).then_some(place)
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
