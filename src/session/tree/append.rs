//! Appends entries to a tree, and converts it to and from an index.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Tree;
use super::base::{self, Base};
use super::id_hash::{IdHasher, spread};
use super::kinds::Kinds;
use super::rows::{Links, NO_ENTRY, Row, Widths};
use crate::session::format::entry::{Entry, EntryHead, LineSource};

/// The part of a tree that an index stores, without the rows.
pub(in crate::session) struct TreeMetadata {
    /// Names of types, with the indices of their latest entries.
    pub(in crate::session) kinds: Vec<(String, u32)>,
    pub(in crate::session) root: Option<u32>,
    pub(in crate::session) leaf_count: u32,
    /// Entries whose parents are missing, with the parents' ids.
    pub(in crate::session) missing_parents: Vec<(u32, String)>,
}

impl Tree {
    /// Creates a tree from an index; its leaf is the last entry.
    pub(in crate::session) fn from_index(
        base: Base,
        remembered: TreeMetadata,
        lines: Arc<dyn LineSource>,
    ) -> Self {
        let count = base.count;
        let there = |at: &u32| *at < count;
        let mut tree = Self {
            kinds: Kinds::from_index(remembered.kinds, count),
            root: remembered.root.filter(there),
            leaf_count: remembered.leaf_count,
            leaf: count.checked_sub(1),
            widths: Some(base.widths),
            lines: Some(lines),
            base: Some(Arc::new(base)),
            ..Self::default()
        };
        tree.slots.grow(count as usize);
        for (at, parent) in remembered.missing_parents.into_iter().filter(|(at, _)| there(at)) {
            tree.add_orphan(at, &parent);
        }
        tree
    }

    /// The number of rows in the index.
    pub(super) fn base_len(&self) -> u32 {
        self.base.as_ref().map_or(0, |base| base.count)
    }

    /// Returns the position of an index after the base, or the base.
    fn position_after_base(&self, at: u32) -> Result<usize, &Base> {
        match &self.base {
            Some(base) if at < base.count => Err(base),
            base => Ok((at - base.as_ref().map_or(0, |base| base.count)) as usize),
        }
    }

    pub(super) fn row(&self, at: u32) -> Row {
        match self.position_after_base(at) {
            Ok(behind) => self.rows[behind],
            Err(base) => {
                let mut row = base.row(at);
                if let Some(links) = self.changed_links.get(&at) {
                    row.links = *links;
                }
                row
            }
        }
    }

    pub(super) fn links(&self, at: u32) -> Links {
        self.row(at).links
    }

    fn links_mut(&mut self, at: u32) -> &mut Links {
        match self.position_after_base(at) {
            Ok(behind) => &mut self.rows[behind].links,
            Err(base) => {
                let links = base.row(at).links;
                self.changed_links.entry(at).or_insert(links)
            }
        }
    }

    /// Returns id and timestamp.
    pub(in crate::session) fn texts(
        &self,
        at: u32,
    ) -> (compact_str::CompactString, compact_str::CompactString) {
        match self.position_after_base(at) {
            Ok(behind) => self.texts[behind].clone(),
            Err(base) => base.texts(at),
        }
    }

    /// Whether the entry at an index has that id.
    pub(super) fn has_id(&self, at: u32, id: &str) -> bool {
        match self.position_after_base(at) {
            Ok(behind) => self.texts[behind].0 == id,
            Err(base) => base.has_id(at, id),
        }
    }

    /// Returns the hasher of ids.
    pub(in crate::session) fn id_hasher(&self) -> &IdHasher {
        &self.id_hasher
    }

    /// Adds an entry and makes it the leaf. Fails with the id if that is taken.
    pub fn push(&mut self, entry: Entry) -> Result<(), String> {
        let span = entry.span().unwrap_or((0, u32::try_from(entry.length()).unwrap_or(u32::MAX)));
        let is_taken = self.base.as_ref().is_some_and(|base| base.index_of(entry.id()).is_some());
        let at = self.add(entry.head().clone(), self.id_hasher.hash(entry.id()), span, is_taken)?;
        self.slots.get_or(at, || entry);
        Ok(())
    }

    /// Adds an entry whose line is at that offset, with that length, in the file of [`Tree::read_from`],
    /// without creating it. The caller passes the hash of its id, and whether that is [taken](Self::taken) in
    /// the index.
    pub(in crate::session) fn push_in_file(
        &mut self,
        head: EntryHead,
        sum: u32,
        span: (u64, u32),
        is_taken: bool,
    ) -> Result<(), String> {
        self.add(head, sum, span, is_taken).map(drop)
    }

    /// Prefetches the table slots of these hashes. Callers do this before they add many entries: the slots
    /// are spread over a table that exceeds the CPU caches, and prefetches do not wait for each other as
    /// insertions do.
    pub(in crate::session) fn prefetch(&self, hashes: impl Iterator<Item = u32>) {
        let found = hashes.filter(|sum| self.by_id.find(spread(*sum), |(other, _)| other == sum).is_some());
        std::hint::black_box(found.count());
    }

    /// Returns those of the ids that the index has.
    pub(in crate::session) fn existing_ids<'i>(
        &self,
        ids: impl Iterator<Item = &'i str>,
    ) -> HashSet<compact_str::CompactString> {
        self.base.as_ref().map_or_else(HashSet::new, |base| base.existing_ids(ids))
    }

    /// Sets the source of lines that are not in memory.
    pub(in crate::session) fn set_line_source(&mut self, lines: Arc<dyn LineSource>) {
        self.lines = Some(lines);
    }

    fn add(
        &mut self,
        head: EntryHead,
        sum: u32,
        (from, length): (u64, u32),
        is_taken: bool,
    ) -> Result<u32, String> {
        let EntryHead { id, parent_id, timestamp, kind, role } = head;
        let at = u32::try_from(self.len()).ok().filter(|at| *at != NO_ENTRY && !is_taken);
        let Some(at) = at else { return Err(id.into()) };
        let (texts, based) = (&self.texts, self.base_len());
        let is_it = |(other, at): &(u32, u32)| *other == sum && texts[(at - based) as usize].0 == id;
        match self.by_id.entry(spread(sum), is_it, |(sum, _)| spread(*sum)) {
            hashbrown::hash_table::Entry::Occupied(_) => return Err(id.into()),
            hashbrown::hash_table::Entry::Vacant(free) => drop(free.insert((sum, at))),
        }
        let (kind, same) = self.kinds.set_latest(&kind, at);
        let links = Links {
            parent: NO_ENTRY,
            last_child: NO_ENTRY,
            previous_sibling: NO_ENTRY,
            context_ancestor: NO_ENTRY,
            previous_same_kind: same,
        };
        self.widths = self.widths.and_then(|widths| widths.with(&id, &timestamp));
        // Children that precede their parent: only files of other programs have them.
        let early = if self.orphans.is_empty() { None } else { self.orphans.remove(&*id) };
        self.rows.push(Row { links, from, length, kind, role });
        self.texts.push((id, timestamp));
        self.slots.grow(self.len());
        self.leaf_count += 1;
        for child in early.into_iter().flatten() {
            self.missing_parents.remove(&child);
            self.add_child(at, child);
        }
        match parent_id {
            None => {
                let before = self.root.replace(at).unwrap_or(NO_ENTRY);
                self.links_mut(at).previous_sibling = before;
            }
            Some(parent) => match self.parent_of(at, &parent) {
                Some(parent) => self.add_child(parent, at),
                None => self.add_orphan(at, &parent),
            },
        }
        self.leaf = Some(at);
        Ok(at)
    }

    /// Returns the index of a new entry's parent: nearly always the entry right before it.
    fn parent_of(&self, at: u32, parent: &str) -> Option<u32> {
        let before = at.checked_sub(1).filter(|before| self.has_id(*before, parent));
        before.or_else(|| self.index_of(parent))
    }

    fn add_orphan(&mut self, at: u32, parent: &str) {
        self.orphans.entry(parent.into()).or_default().push(at);
        self.missing_parents.insert(at, parent.into());
    }

    /// Adds a child to the list of its parent, which is kept latest first, so that recent children are found
    /// faster.
    fn add_child(&mut self, parent: u32, child: u32) {
        self.unordered |= parent >= child;
        let of_parent = self.row(parent);
        let steers = self.kinds.get(of_parent.kind).is_some_and(|kind| kind.affects_context);
        let links = self.links_mut(child);
        links.parent = parent;
        links.previous_sibling = of_parent.links.last_child;
        links.context_ancestor = if steers { parent } else { of_parent.links.context_ancestor };
        self.links_mut(parent).last_child = child;
        if of_parent.links.last_child == NO_ENTRY {
            self.leaf_count = self.leaf_count.saturating_sub(1);
        }
    }

    /// Marks the lines of all entries as stored in a file, one after the other from a byte offset.
    pub(in crate::session) fn set_locations(&mut self, lines: &Arc<dyn LineSource>, mut from: u64) {
        self.load_base();
        for at in 0..self.rows.len() {
            let row = &mut self.rows[at];
            row.from = from;
            let mut length = u64::from(row.length);
            if let Some(entry) = self.slots.get_mut(at as u32) {
                entry.set_location(lines.clone(), from);
                length = entry.length();
            }
            from += length + 1;
        }
        self.lines = Some(lines.clone());
    }

    /// Marks the line of the last entry as stored at an offset in the same file as the others.
    pub(in crate::session) fn set_last_location(&mut self, lines: Arc<dyn LineSource>, from: u64) {
        let Some(row) = self.rows.last_mut() else { return };
        row.from = from;
        if let Some(entry) = self.slots.get_mut(self.len() as u32 - 1) {
            entry.set_location(lines, from);
        }
    }

    /// Loads the rows of the base into memory: their file is being replaced.
    fn load_base(&mut self) {
        let Some(base) = &self.base else { return };
        let count = base.count;
        let all = (0..self.len() as u32).map(|at| (self.row(at), self.texts(at)));
        (self.rows, self.texts) = all.unzip();
        (self.base, self.changed_links) = (None, HashMap::new());
        for at in 0..count {
            let sum = self.id_hasher.hash(&self.texts[at as usize].0);
            self.by_id.insert_unique(spread(sum), (sum, at), |(sum, _)| spread(*sum));
        }
    }

    /// Whether the line of the last entry starts before a byte offset.
    pub(in crate::session) fn last_starts_before(&self, end: u64) -> bool {
        (self.len() as u32).checked_sub(1).is_none_or(|last| self.row(last).from < end)
    }

    /// Whether all index rows could be read so far.
    pub(in crate::session) fn is_complete(&self) -> bool {
        self.base.as_ref().is_none_or(|base| base.pages.are_complete())
    }

    /// Returns the data for an index; `None` for a tree that cannot be indexed or is not ordered.
    pub(in crate::session) fn metadata(&self, lost_max: usize) -> Option<(TreeMetadata, Widths)> {
        let kinds = self.kinds.all();
        if self.unordered || self.missing_parents.len() > lost_max || kinds.len() > usize::from(u8::MAX) {
            return None;
        }
        let widths = self.widths?;
        let mut lost: Vec<(u32, String)> =
            self.missing_parents.iter().map(|(at, parent)| (*at, parent.to_string())).collect();
        lost.sort_unstable();
        let kinds = kinds.iter().map(|kind| (kind.name.to_string(), kind.latest)).collect();
        Some((
            TreeMetadata { kinds, root: self.root, leaf_count: self.leaf_count, missing_parents: lost },
            widths,
        ))
    }

    /// Passes the pages of all rows to a callback.
    pub(in crate::session) fn pages<E>(
        &self,
        widths: Widths,
        page: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let visit = |at: u32, take: &mut dyn FnMut(&Row, &str, &str)| {
            if let Ok(behind) = self.position_after_base(at) {
                let (id, timestamp) = &self.texts[behind];
                take(&self.rows[behind], id, timestamp);
            } else {
                let (id, timestamp) = self.texts(at);
                take(&self.row(at), &id, &timestamp);
            }
        };
        base::write_pages(widths, self.len() as u32, visit, page)
    }
}
