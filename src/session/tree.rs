//! The tree of a session: who follows whom, and which entry is the leaf.
//!
//! Must not know what entries say, nor files. Places are those in the file's order. An entry is made when it is
//! looked at; of all others there is no more than a row, and of those that an index remembers not even that is in
//! memory. Nothing here but a walk through all entries costs more than the branch that it is about.

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
use self::id_hash::{IdSums, spread};
use self::kinds::Kinds;
use self::rows::{Links, Row, Widths, somebody};
use self::slots::Slots;
use super::format::entry::{Entry, Lines, Place};
use super::format::role::Role;

/// The shape of a session.
pub struct Tree {
    /// The first rows, where an index has them.
    base: Option<Arc<Base>>,
    /// What of those is different since.
    touched: HashMap<u32, Links>,
    /// The rows behind them, and of each its id and its time stamp. Together they would be wide enough to be moved
    /// by a string instruction, which waits for everything before it.
    rows: Vec<Row>,
    texts: Vec<(CompactString, CompactString)>,
    /// Places of those by their ids. The ids themselves are in the rows only; of each a part of its hash is kept,
    /// so that the table grows without reading them.
    by_id: HashTable<(u32, u32)>,
    sums: IdSums,
    /// How wide their texts are; `None` once one was too long for rows of an index.
    widths: Option<Widths>,
    kinds: Kinds,
    slots: Slots,
    /// Where lines are read.
    lines: Option<Arc<dyn Lines>>,
    leaf: Option<u32>,
    /// The latest that follows nobody.
    root: Option<u32>,
    /// How many entries nothing follows.
    ends: u32,
    /// Those whose parent has not been seen yet, by its id.
    waiting: HashMap<CompactString, Vec<u32>>,
    /// The same parents, by the places of those that wait.
    lost: HashMap<u32, CompactString>,
    /// Whether an entry stands before its parent, or follows itself.
    unordered: bool,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            base: None,
            touched: HashMap::new(),
            rows: Vec::new(),
            texts: Vec::new(),
            by_id: HashTable::new(),
            sums: IdSums::default(),
            widths: Some(Widths::default()),
            kinds: Kinds::default(),
            slots: Slots::default(),
            lines: None,
            leaf: None,
            root: None,
            ends: 0,
            waiting: HashMap::new(),
            lost: HashMap::new(),
            unordered: false,
        }
    }
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tree").field("entries", &self.len()).field("leaf", &self.leaf).finish_non_exhaustive()
    }
}

/// Entries of a tree in the order of its file.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    tree: &'a Tree,
    places: std::ops::Range<u32>,
}

impl<'a> Entries<'a> {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The one at a place, counted from the first.
    pub fn get(&self, at: usize) -> Option<&'a Entry> {
        self.places.clone().nth(at).map(|at| self.tree.entry(at))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = &'a Entry;

    fn next(&mut self) -> Option<&'a Entry> {
        self.places.next().map(|at| self.tree.entry(at))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<&'a Entry> {
        self.places.nth(n).map(|at| self.tree.entry(at))
    }
}

impl DoubleEndedIterator for Entries<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.places.next_back().map(|at| self.tree.entry(at))
    }
}

impl ExactSizeIterator for Entries<'_> {}

impl Tree {
    /// The tree as it stands, to be looked at elsewhere while this one grows. Costs what a copy of its rows costs
    /// that no index has: entries are made again there, when they are looked at.
    pub(super) fn beside(&self) -> Self {
        Self {
            base: self.base.clone(),
            touched: self.touched.clone(),
            rows: self.rows.clone(),
            texts: self.texts.clone(),
            by_id: self.by_id.clone(),
            sums: self.sums.clone(),
            widths: self.widths,
            kinds: self.kinds.clone(),
            slots: self.slots.copy(Entry::here),
            lines: self.lines.clone(),
            leaf: self.leaf,
            root: self.root,
            ends: self.ends,
            waiting: self.waiting.clone(),
            lost: self.lost.clone(),
            unordered: self.unordered,
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.based() as usize + self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All entries in the order of the file. Each is made when it is come to: where a kind, or who speaks, is
    /// enough to know that one is not wanted, [`Self::of_kind`] and [`Self::role`] do not make it.
    pub fn entries(&self) -> Entries<'_> {
        Entries { tree: self, places: 0..self.len() as u32 }
    }

    /// The entries of a kind on all branches, the latest in the file first. Passes over nothing else.
    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Entry> {
        let latest = self.kinds.named(kind).and_then(|kind| somebody(kind.latest));
        std::iter::successors(latest, |at| somebody(self.links(*at).same)).map(|at| self.entry(at))
    }

    /// The entry of that id.
    pub fn get(&self, id: &str) -> Option<&Entry> {
        self.index_of(id).map(|at| self.entry(at))
    }

    /// The entry at a place that there is.
    pub fn entry(&self, at: u32) -> &Entry {
        self.slots.get_or(at, || self.make(at))
    }

    /// Who speaks in the entry at a place that there is.
    pub fn role(&self, at: u32) -> Role {
        self.row(at).role
    }

    /// The kind of the entry at a place that there is.
    pub fn kind(&self, at: u32) -> &str {
        self.kind_and_role(at).0
    }

    /// Both at once.
    pub fn kind_and_role(&self, at: u32) -> (&str, Role) {
        let row = self.row(at);
        (self.kinds.get(row.kind).map_or("", |kind| &kind.name), row.role)
    }

    /// Bytes of the line of the entry at a place that there is.
    pub(super) fn line_bytes(&self, at: u32) -> u32 {
        self.row(at).length
    }

    fn make(&self, at: u32) -> Entry {
        let row = self.row(at);
        let (id, timestamp) = self.texts(at);
        let parent_id = match somebody(row.links.parent) {
            Some(parent) => Some(self.texts(parent).0),
            None => self.lost.get(&at).cloned(),
        };
        let kind = self.kinds.get(row.kind).map(|kind| kind.name.clone()).unwrap_or_default();
        let place = Place { id, parent_id, timestamp, kind, role: row.role };
        Entry::there(place, self.lines.clone().unwrap_or_else(|| Arc::new(Nowhere)), row.from, row.length)
    }

    /// How many entries were made.
    #[cfg(test)]
    pub(crate) fn made(&self) -> usize {
        self.slots.count()
    }

    /// Where in [`Tree::entries`] an entry is.
    pub fn index_of(&self, id: &str) -> Option<u32> {
        let sum = self.sums.of(id);
        let is_it = |(other, at): &(u32, u32)| *other == sum && self.is(*at, id);
        let behind = self.by_id.find(spread(sum), is_it).map(|(_, at)| *at);
        behind.or_else(|| self.base.as_ref()?.place(id))
    }

    /// Where the one before it is.
    pub fn parent_index(&self, at: u32) -> Option<u32> {
        if (at as usize) < self.len() { somebody(self.links(at).parent) } else { None }
    }

    /// How many entries nothing follows.
    pub fn ends(&self) -> usize {
        self.ends as usize
    }

    /// Whether the id is taken.
    pub fn contains(&self, id: &str) -> bool {
        self.index_of(id).is_some()
    }

    /// The entry after which the next one goes; `None` before the first.
    pub fn leaf(&self) -> Option<&Entry> {
        self.leaf.map(|at| self.entry(at))
    }

    /// Where that one is.
    pub fn leaf_index(&self) -> Option<u32> {
        self.leaf
    }

    /// Whether there are entries whose parent has not been seen yet.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether every entry stands behind the one that it follows.
    pub(super) fn is_ordered(&self) -> bool {
        !self.unordered
    }

    /// Moves the leaf: the next entry follows `id`, or starts a new root with `None`. False
    /// when there is no such entry.
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

    /// The places from `leaf` back to the root. Ends early at a parent that is missing, and at one that
    /// would close a circle.
    pub fn way_back(&self, leaf: Option<u32>) -> impl Iterator<Item = u32> {
        let way = std::iter::successors(leaf, |at| somebody(self.links(*at).parent));
        // Where every entry stands behind the one that it follows there are no circles.
        let mut seen = self.unordered.then(HashSet::new);
        way.take_while(move |at| seen.as_mut().is_none_or(|seen| seen.insert(*at)))
    }

    /// The places on the way from `at` back to the root whose entries steer what a model is told, `at` not among
    /// them. Only where the tree [is ordered](Self::is_ordered).
    pub(super) fn steering(&self, at: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(somebody(self.links(at).steering), |at| somebody(self.links(*at).steering))
    }

    /// The entries from the root to `leaf`, as far as [`Self::way_back`] goes.
    pub fn path_to(&self, leaf: &str) -> Vec<&Entry> {
        self.path_from(self.index_of(leaf))
    }

    fn path_from(&self, leaf: Option<u32>) -> Vec<&Entry> {
        let mut path: Vec<&Entry> = self.way_back(leaf).map(|at| self.entry(at)).collect();
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
        let first = match id {
            None => self.root,
            Some(id) => self.index_of(id).and_then(|at| somebody(self.links(at).first)),
        };
        let mut found: Vec<u32> = std::iter::successors(first, |at| somebody(self.links(*at).next)).collect();
        if id.is_none() {
            found.extend(self.lost.keys());
        }
        found.sort_unstable();
        found.into_iter().map(|at| self.entry(at)).collect()
    }

    /// The last entry that two branches share; `None` when they have nothing in common.
    pub fn common_ancestor(&self, one: &str, other: &str) -> Option<&Entry> {
        let (one, other) = (self.path_to(one), self.path_to(other));
        let shared = one.iter().zip(&other).take_while(|(one, other)| one.id() == other.id());
        shared.last().map(|(one, _)| *one)
    }
}

/// For lines that nobody can read: a tree of entries in memory has all of them.
struct Nowhere;

impl Lines for Nowhere {
    fn read(&self, _: u64, _: u32) -> std::io::Result<String> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

#[cfg(test)]
mod tests;
