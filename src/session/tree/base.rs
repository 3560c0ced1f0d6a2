//! Rows of the first part of a tree that stay on disk: read page by page, and found by id through a sorted
//! list.
//!
//! Must not know files: pages come from an implementation of a trait.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use compact_str::CompactString;

use super::rows::{Row, RowBytes, Widths};
use crate::base::parallel;

/// Bytes of a page.
pub(in crate::session) const PAGE: usize = 16 * 1024 - 4;
/// Bytes of an element of the sorted list: the first eight bytes of the id, and the index.
const SORTED_ENTRY_BYTES: usize = 12;

/// Source of pages: first those of the rows, then those of the list.
pub(in crate::session) trait PageSource: Send + Sync {
    /// Returns a page by its number. A missing page may be empty.
    fn page(&self, number: usize) -> Arc<[u8]>;

    /// Whether no page was missing so far.
    fn are_complete(&self) -> bool;
}

/// The first part of a tree.
pub(in crate::session) struct Base {
    pub(in crate::session) pages: Box<dyn PageSource>,
    pub(in crate::session) widths: Widths,
    pub(in crate::session) count: u32,
    /// Number of known types.
    pub(in crate::session) kinds: u32,
}

/// Number of items of a size per page.
fn items_per_page(size: usize) -> usize {
    (PAGE / size.max(1)).max(1)
}

/// The prefix by which ids are compared first.
fn id_prefix(id: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = id.len().min(8);
    bytes[..length].copy_from_slice(&id[..length]);
    u64::from_be_bytes(bytes)
}

/// Number of pages for this many rows and their list.
pub(in crate::session) fn page_count(widths: Widths, count: usize) -> usize {
    count.div_ceil(items_per_page(widths.row())) + count.div_ceil(items_per_page(SORTED_ENTRY_BYTES))
}

impl Base {
    /// Passes a row to a closure.
    fn with<T>(&self, at: u32, read: impl FnOnce(RowBytes<'_>) -> T) -> T {
        let (each, size) = (items_per_page(self.widths.row()), self.widths.row());
        let page = self.pages.page(at as usize / each);
        let from = at as usize % each * size;
        read(RowBytes(page.get(from..from + size).unwrap_or_default()))
    }

    pub(in crate::session) fn row(&self, at: u32) -> Row {
        self.with(at, |bytes| bytes.row(at, self.count, self.kinds))
    }

    /// Returns id and timestamp.
    pub(in crate::session) fn texts(&self, at: u32) -> (CompactString, CompactString) {
        self.with(at, |bytes| (bytes.id().into(), bytes.timestamp().into()))
    }

    /// Whether that entry has the id.
    pub(in crate::session) fn has_id(&self, at: u32, id: &str) -> bool {
        self.with(at, |bytes| bytes.id() == id)
    }

    /// Returns the n-th element of the sorted list: the id's prefix and the index.
    fn sorted_entry(&self, n: usize) -> (u64, u32) {
        let each = items_per_page(SORTED_ENTRY_BYTES);
        let page =
            self.pages.page((self.count as usize).div_ceil(items_per_page(self.widths.row())) + n / each);
        let from = n % each * SORTED_ENTRY_BYTES;
        let line = page.get(from..from + SORTED_ENTRY_BYTES).and_then(|line| line.split_first_chunk::<8>());
        let index_bytes = line.and_then(|(_, index_bytes)| index_bytes.first_chunk::<4>());
        (
            line.map_or(0, |(start, _)| u64::from_le_bytes(*start)),
            index_bytes.map_or(0, |at| u32::from_le_bytes(*at)),
        )
    }

    /// Compares the id of the n-th list element with another id; also returns its index.
    fn compare_id(&self, n: usize, id: &str) -> (Ordering, u32) {
        let (begins, at) = self.sorted_entry(n);
        let at = at.min(self.count - 1);
        let order = begins.cmp(&id_prefix(id.as_bytes()));
        (order.then_with(|| self.with(at, |bytes| bytes.id().cmp(id))), at)
    }

    /// Returns the first position in a range of the sorted list whose id is not less than an id.
    fn lower_bound(&self, id: &str, mut from: usize, mut to: usize) -> usize {
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.compare_id(middle, id).0.is_lt() { from = middle + 1 } else { to = middle }
        }
        from
    }

    /// Returns the index of the n-th list element, if it has that id.
    fn index_if_equal(&self, n: usize, id: &str) -> Option<u32> {
        let found = (n < self.count as usize).then(|| self.compare_id(n, id))?;
        found.0.is_eq().then_some(found.1)
    }

    /// Returns the index of the entry with an id.
    pub(in crate::session) fn index_of(&self, id: &str) -> Option<u32> {
        self.index_if_equal(self.lower_bound(id, 0, self.count as usize), id)
    }

    /// Returns those of the ids that entries have. They are looked up in sorted order, so that each search
    /// starts near the previous one instead of on a page of its own.
    pub(in crate::session) fn existing_ids<'i>(
        &self,
        ids: impl Iterator<Item = &'i str>,
    ) -> HashSet<CompactString> {
        let mut ids: Vec<&str> = ids.collect();
        ids.sort_unstable();
        let count = self.count as usize;
        let mut from = 0;
        ids.retain(|id| {
            let (mut to, mut step) = (from, 1);
            while to < count && self.compare_id(to, id).0.is_lt() {
                from = to + 1;
                to += step;
                step *= 2;
            }
            from = self.lower_bound(id, from, to.min(count));
            self.index_if_equal(from, id).is_some()
        });
        ids.into_iter().map(CompactString::from).collect()
    }
}

/// Builds the pages on several threads, and passes them on in order.
pub(in crate::session) fn write_pages<E>(
    widths: Widths,
    count: u32,
    visit: impl Fn(u32, &mut dyn FnMut(&Row, &str, &str)) + Sync,
    mut page: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut order: Vec<(u64, u32)> = Vec::with_capacity(count as usize);
    let each = items_per_page(widths.row()) as u32;
    let rows = |number: usize, (): &mut (), (bytes, starts): &mut (Vec<u8>, Vec<(u64, u32)>)| {
        let from = number as u32 * each;
        bytes.clear();
        for at in from..count.min(from + each) {
            visit(at, &mut |row, id, timestamp| {
                starts.push((id_prefix(id.as_bytes()), at));
                widths.write(row, id, timestamp, bytes);
            });
        }
        bytes.resize(PAGE, 0);
    };
    parallel::produce_ordered(count.div_ceil(each) as usize, rows, |(bytes, starts)| {
        order.append(starts);
        page(bytes)
    })?;
    order.sort_unstable();
    // Ids with the same prefix are sorted by the rest.
    for alike in order.chunk_by_mut(|one, other| one.0 == other.0).filter(|alike| alike.len() > 1) {
        let mut named: Vec<(CompactString, u32)> = Vec::with_capacity(alike.len());
        for (_, at) in alike.iter() {
            visit(*at, &mut |_, id, _| named.push((id.into(), *at)));
        }
        named.sort_unstable();
        alike.iter_mut().zip(named).for_each(|(line, (_, at))| line.1 = at);
    }
    let mut bytes = Vec::with_capacity(PAGE);
    for lines in order.chunks(items_per_page(SORTED_ENTRY_BYTES)) {
        bytes.clear();
        for (start, at) in lines {
            bytes.extend(start.to_le_bytes());
            bytes.extend(at.to_le_bytes());
        }
        bytes.resize(PAGE, 0);
        page(&bytes)?;
    }
    Ok(())
}
