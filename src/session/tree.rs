//! Tree of a session: parents and children of entries, and the leaf.
//!
//! Must not know the content of entries, nor files. Indices follow the order of the file. An entry is created
//! on first access; of all others only a row exists, and rows in an index are not even in memory. Except for
//! traversals of all entries, no operation costs more than the length of its branch.

pub(super) mod append;
pub(super) mod base;
pub(super) mod id_hash;
pub(super) mod kinds;
pub(super) mod rows;
mod slots;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use compact_str::CompactString;
use hashbrown::HashTable;

use self::base::Base;
use self::id_hash::{IdHasher, spread};
use self::kinds::Kinds;
use self::rows::{Links, Row, Widths, some_index};
use self::slots::Slots;
use super::format::entry::{Entry, EntryHead, LineSource};
use super::format::role::Role;

/// The tree.
pub struct Tree {
    /// The first rows, if an index has them.
    base: Option<Arc<Base>>,
    /// Changes to those rows.
    changed_links: HashMap<u32, Links>,
    /// The rows after them, and separately their ids and timestamps. In one struct they would be moved with a
    /// string instruction, which stalls the pipeline.
    rows: Vec<Row>,
    texts: Vec<(CompactString, CompactString)>,
    /// Indices of those rows by id. The ids are only in the rows; each entry has a part of its hash, so that
    /// the table grows without reading them.
    by_id: HashTable<(u32, u32)>,
    id_hasher: IdHasher,
    /// Widths of the texts; `None` once one was too long for the rows of an index.
    widths: Option<Widths>,
    kinds: Kinds,
    slots: Slots,
    /// Source of lines.
    lines: Option<Arc<dyn LineSource>>,
    leaf: Option<u32>,
    /// The latest root.
    root: Option<u32>,
    /// How many entries nothing follows.
    leaf_count: u32,
    /// Entries whose parent has not been read yet, by the parent's id.
    orphans: HashMap<CompactString, Vec<u32>>,
    /// The same parents, by the indices of the waiting entries.
    missing_parents: HashMap<u32, CompactString>,
    /// Whether an entry precedes its parent, or is its own parent.
    unordered: bool,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            base: None,
            changed_links: HashMap::new(),
            rows: Vec::new(),
            texts: Vec::new(),
            by_id: HashTable::new(),
            id_hasher: IdHasher::default(),
            widths: Some(Widths::default()),
            kinds: Kinds::default(),
            slots: Slots::default(),
            lines: None,
            leaf: None,
            root: None,
            leaf_count: 0,
            orphans: HashMap::new(),
            missing_parents: HashMap::new(),
            unordered: false,
        }
    }
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tree").field("entries", &self.len()).field("leaf", &self.leaf).finish_non_exhaustive()
    }
}

/// The entries of a tree in the order of its file.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    tree: &'a Tree,
    range: std::ops::Range<u32>,
}

impl<'a> Entries<'a> {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// Returns the entry at an index.
    pub fn get(&self, at: usize) -> Option<&'a Entry> {
        self.range.clone().nth(at).map(|at| self.tree.entry(at))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = &'a Entry;

    fn next(&mut self) -> Option<&'a Entry> {
        self.range.next().map(|at| self.tree.entry(at))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<&'a Entry> {
        self.range.nth(n).map(|at| self.tree.entry(at))
    }
}

impl DoubleEndedIterator for Entries<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.range.next_back().map(|at| self.tree.entry(at))
    }
}

impl ExactSizeIterator for Entries<'_> {}

impl Tree {
    /// Returns a copy for another thread while this tree grows. Copies only rows that no index has: entries
    /// are created again on access.
    pub(super) fn read_only_copy(&self) -> Self {
        Self {
            base: self.base.clone(),
            changed_links: self.changed_links.clone(),
            rows: self.rows.clone(),
            texts: self.texts.clone(),
            by_id: self.by_id.clone(),
            id_hasher: self.id_hasher.clone(),
            widths: self.widths,
            kinds: self.kinds.clone(),
            slots: self.slots.copy(Entry::copy_in_memory),
            lines: self.lines.clone(),
            leaf: self.leaf,
            root: self.root,
            leaf_count: self.leaf_count,
            orphans: self.orphans.clone(),
            missing_parents: self.missing_parents.clone(),
            unordered: self.unordered,
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.base_len() as usize + self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all entries in the order of the file. Each is created when it is reached; if type or role
    /// suffices to skip entries, use [`Self::of_kind`] or [`Self::role`], which do not create them.
    pub fn entries(&self) -> Entries<'_> {
        Entries { tree: self, range: 0..self.len() as u32 }
    }

    /// Returns the entries of a type on all branches, latest in the file first. Skips other entries without
    /// reading them.
    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Entry> {
        let latest = self.kinds.find(kind).and_then(|kind| some_index(kind.latest));
        std::iter::successors(latest, |at| some_index(self.links(*at).previous_same_kind))
            .map(|at| self.entry(at))
    }

    /// Returns the entry with an id.
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.index_of(id).map(|at| self.entry(at))
    }

    /// Returns the entry at a valid index.
    pub fn entry(&self, at: u32) -> &Entry {
        self.slots.get_or(at, || self.create_entry(at))
    }

    /// Returns the role of the entry at a valid index.
    pub fn role(&self, at: u32) -> Role {
        self.row(at).role
    }

    /// Returns the type of the entry at a valid index.
    pub fn kind(&self, at: u32) -> &str {
        self.kind_and_role(at).0
    }

    /// Returns type and role.
    pub fn kind_and_role(&self, at: u32) -> (&str, Role) {
        let row = self.row(at);
        (self.kinds.get(row.kind).map_or("", |kind| &kind.name), row.role)
    }

    /// Returns the line length in bytes of the entry at a valid index.
    pub(super) fn line_bytes(&self, at: u32) -> u32 {
        self.row(at).length
    }

    fn create_entry(&self, at: u32) -> Entry {
        let row = self.row(at);
        let (id, timestamp) = self.texts(at);
        let parent_id = match some_index(row.links.parent) {
            Some(parent) => Some(self.texts(parent).0),
            None => self.missing_parents.get(&at).cloned(),
        };
        let kind = self.kinds.get(row.kind).map(|kind| kind.name.clone()).unwrap_or_default();
        let head = EntryHead { id, parent_id, timestamp, kind, role: row.role };
        Entry::in_file(head, self.lines.clone().unwrap_or_else(|| Arc::new(NoLines)), row.from, row.length)
    }

    /// The number of entries that were created.
    #[cfg(test)]
    pub(crate) fn created_count(&self) -> usize {
        self.slots.count()
    }

    /// Returns the index of an entry in [`Tree::entries`].
    pub fn index_of(&self, id: &str) -> Option<u32> {
        let sum = self.id_hasher.hash(id);
        let is_it = |(other, at): &(u32, u32)| *other == sum && self.has_id(*at, id);
        let behind = self.by_id.find(spread(sum), is_it).map(|(_, at)| *at);
        behind.or_else(|| self.base.as_ref()?.index_of(id))
    }

    /// Returns the index of the parent.
    pub fn parent_index(&self, at: u32) -> Option<u32> {
        if (at as usize) < self.len() { some_index(self.links(at).parent) } else { None }
    }

    /// How many entries nothing follows.
    pub fn leaf_count(&self) -> usize {
        self.leaf_count as usize
    }

    /// Whether an entry has the id.
    pub fn contains(&self, id: &str) -> bool {
        self.index_of(id).is_some()
    }

    /// Returns the entry that the next one follows; `None` before the first.
    pub fn leaf(&self) -> Option<&Entry> {
        self.leaf.map(|at| self.entry(at))
    }

    /// Returns the index of the leaf.
    pub fn leaf_index(&self) -> Option<u32> {
        self.leaf
    }

    /// Whether there are entries whose parent has not been read yet.
    pub(super) fn has_orphans(&self) -> bool {
        !self.orphans.is_empty()
    }

    /// Whether every entry follows its parent in the file.
    pub(super) fn is_ordered(&self) -> bool {
        !self.unordered
    }

    /// Moves the leaf: the next entry follows `id`, or starts a new root with `None`. Returns false when
    /// there is no such entry.
    pub fn branch(&mut self, id: Option<&str>) -> bool {
        let target = id.map(|id| self.index_of(id));
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

    /// Returns the indices from `leaf` back to the root. Stops early at a missing parent, and where the path
    /// would form a cycle.
    pub fn ancestors(&self, leaf: Option<u32>) -> impl Iterator<Item = u32> {
        let indices = std::iter::successors(leaf, |at| some_index(self.links(*at).parent));
        // An ordered tree has no cycles.
        let mut seen = self.unordered.then(HashSet::new);
        indices.take_while(move |at| seen.as_mut().is_none_or(|seen| seen.insert(*at)))
    }

    /// Returns the indices of the steering entries between `at` (exclusive) and the root, backward. Only if
    /// the tree [is ordered](Self::is_ordered).
    pub(super) fn context_ancestors(&self, at: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(some_index(self.links(at).context_ancestor), |at| {
            some_index(self.links(*at).context_ancestor)
        })
    }

    /// Returns the entries from the root to `leaf`, as far as [`Self::way_back`] goes.
    pub fn path_to(&self, leaf: &str) -> Vec<&Entry> {
        self.path_from(self.index_of(leaf))
    }

    fn path_from(&self, leaf: Option<u32>) -> Vec<&Entry> {
        let mut path: Vec<&Entry> = self.ancestors(leaf).map(|at| self.entry(at)).collect();
        path.reverse();
        path
    }

    /// Returns the entries from the root to the leaf.
    pub fn path(&self) -> Vec<&Entry> {
        self.path_from(self.leaf)
    }

    /// Returns the children of `id`, in the order of the file. For `None` the roots: entries without a parent
    /// or with a missing one.
    pub fn children(&self, id: Option<&str>) -> Vec<&Entry> {
        let first = match id {
            None => self.root,
            Some(id) => self.index_of(id).and_then(|at| some_index(self.links(at).last_child)),
        };
        let mut found: Vec<u32> =
            std::iter::successors(first, |at| some_index(self.links(*at).previous_sibling)).collect();
        if id.is_none() {
            found.extend(self.missing_parents.keys());
        }
        found.sort_unstable();
        found.into_iter().map(|at| self.entry(at)).collect()
    }

    /// Returns the last common entry of two branches; `None` when they have nothing in common.
    pub fn common_ancestor(&self, one: &str, other: &str) -> Option<&Entry> {
        let (one, other) = (self.path_to(one), self.path_to(other));
        let shared = one.iter().zip(&other).take_while(|(one, other)| one.id() == other.id());
        shared.last().map(|(one, _)| *one)
    }
}

/// Source of lines of a tree whose entries are all in memory.
struct NoLines;

impl LineSource for NoLines {
    fn read(&self, _: u64, _: u32) -> std::io::Result<String> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

#[cfg(test)]
mod tests;
