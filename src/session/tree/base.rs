//! The rows of the beginning of a tree that need not be in memory: they are read a page at a time, and found
//! by their ids through a list in the order of ids.
//!
//! Must not know files: who gives the pages knows where they come from.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use compact_str::CompactString;

use super::rows::{Bytes, Row, Widths};
use crate::base::parallel;

/// Bytes of a page.
pub(in crate::session) const PAGE: usize = 16 * 1024 - 4;
/// Bytes of a line in the list of ids: the first eight bytes of the id, and the place.
const IN_ORDER: usize = 12;

/// Who gives pages: first those of the rows, then those of the list.
pub(in crate::session) trait Pages: Send + Sync {
    /// A page, by its number. Where there is none it may be empty.
    fn page(&self, number: usize) -> Arc<[u8]>;

    /// Whether none was missing so far.
    fn are_whole(&self) -> bool;
}

/// The beginning of a tree.
pub(in crate::session) struct Base {
    pub(in crate::session) pages: Box<dyn Pages>,
    pub(in crate::session) widths: Widths,
    pub(in crate::session) count: u32,
    /// How many kinds are known.
    pub(in crate::session) kinds: u32,
}

/// How many things of a size are on a page.
fn on_page(size: usize) -> usize {
    (PAGE / size.max(1)).max(1)
}

/// What an id is compared by first.
fn start(id: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = id.len().min(8);
    bytes[..length].copy_from_slice(&id[..length]);
    u64::from_be_bytes(bytes)
}

/// How many pages so many rows and their list have.
pub(in crate::session) fn pages(widths: Widths, count: usize) -> usize {
    count.div_ceil(on_page(widths.row())) + count.div_ceil(on_page(IN_ORDER))
}

impl Base {
    /// Gives a row to a reader.
    fn with<T>(&self, at: u32, read: impl FnOnce(Bytes<'_>) -> T) -> T {
        let (each, size) = (on_page(self.widths.row()), self.widths.row());
        let page = self.pages.page(at as usize / each);
        let from = at as usize % each * size;
        read(Bytes(page.get(from..from + size).unwrap_or_default()))
    }

    pub(in crate::session) fn row(&self, at: u32) -> Row {
        self.with(at, |bytes| bytes.row(at, self.count, self.kinds))
    }

    /// Id and time stamp.
    pub(in crate::session) fn texts(&self, at: u32) -> (CompactString, CompactString) {
        self.with(at, |bytes| (bytes.id().into(), bytes.timestamp().into()))
    }

    /// Whether that entry has the id.
    pub(in crate::session) fn is(&self, at: u32, id: &str) -> bool {
        self.with(at, |bytes| bytes.id() == id)
    }

    /// The how many-th in the order of ids: how its id begins, and its place.
    fn in_order(&self, n: usize) -> (u64, u32) {
        let each = on_page(IN_ORDER);
        let page = self.pages.page((self.count as usize).div_ceil(on_page(self.widths.row())) + n / each);
        let from = n % each * IN_ORDER;
        let line = page.get(from..from + IN_ORDER).and_then(|line| line.split_first_chunk::<8>());
        let place = line.and_then(|(_, place)| place.first_chunk::<4>());
        (
            line.map_or(0, |(start, _)| u64::from_le_bytes(*start)),
            place.map_or(0, |at| u32::from_le_bytes(*at)),
        )
    }

    /// How the id of the how many-th is to another one, and its place.
    fn compare(&self, n: usize, id: &str) -> (Ordering, u32) {
        let (begins, at) = self.in_order(n);
        let at = at.min(self.count - 1);
        let order = begins.cmp(&start(id.as_bytes()));
        (order.then_with(|| self.with(at, |bytes| bytes.id().cmp(id))), at)
    }

    /// The first in the order of ids, of those between two, that is not before an id.
    fn not_before(&self, id: &str, mut from: usize, mut to: usize) -> usize {
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.compare(middle, id).0.is_lt() { from = middle + 1 } else { to = middle }
        }
        from
    }

    /// Where the entry of the how many-th in the order of ids is, if it has that id.
    fn place_of(&self, n: usize, id: &str) -> Option<u32> {
        let found = (n < self.count as usize).then(|| self.compare(n, id))?;
        found.0.is_eq().then_some(found.1)
    }

    /// Where the entry of an id is.
    pub(in crate::session) fn place(&self, id: &str) -> Option<u32> {
        self.place_of(self.not_before(id, 0, self.count as usize), id)
    }

    /// Those of some ids that entries have. They are gone through in their order, so that one is looked for near the
    /// one before it: each by itself would be on a page of its own.
    pub(in crate::session) fn taken<'i>(&self, ids: impl Iterator<Item = &'i str>) -> HashSet<CompactString> {
        let mut ids: Vec<&str> = ids.collect();
        ids.sort_unstable();
        let count = self.count as usize;
        let mut from = 0;
        ids.retain(|id| {
            let (mut to, mut step) = (from, 1);
            while to < count && self.compare(to, id).0.is_lt() {
                from = to + 1;
                to += step;
                step *= 2;
            }
            from = self.not_before(id, from, to.min(count));
            self.place_of(from, id).is_some()
        });
        ids.into_iter().map(CompactString::from).collect()
    }
}

/// Makes the pages of rows on a few threads, and hands them on one by one.
pub(in crate::session) fn write<E>(
    widths: Widths,
    count: u32,
    tell: impl Fn(u32, &mut dyn FnMut(&Row, &str, &str)) + Sync,
    mut page: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut order: Vec<(u64, u32)> = Vec::with_capacity(count as usize);
    let each = on_page(widths.row()) as u32;
    let rows = |number: usize, (): &mut (), (bytes, starts): &mut (Vec<u8>, Vec<(u64, u32)>)| {
        let from = number as u32 * each;
        bytes.clear();
        for at in from..count.min(from + each) {
            tell(at, &mut |row, id, timestamp| {
                starts.push((start(id.as_bytes()), at));
                widths.write(row, id, timestamp, bytes);
            });
        }
        bytes.resize(PAGE, 0);
    };
    parallel::in_order(count.div_ceil(each) as usize, rows, |(bytes, starts)| {
        order.append(starts);
        page(bytes)
    })?;
    order.sort_unstable();
    // Ids that begin alike are in the order of what follows.
    for alike in order.chunk_by_mut(|one, other| one.0 == other.0).filter(|alike| alike.len() > 1) {
        let mut named: Vec<(CompactString, u32)> = Vec::with_capacity(alike.len());
        for (_, at) in alike.iter() {
            tell(*at, &mut |_, id, _| named.push((id.into(), *at)));
        }
        named.sort_unstable();
        alike.iter_mut().zip(named).for_each(|(line, (_, at))| line.1 = at);
    }
    let mut bytes = Vec::with_capacity(PAGE);
    for lines in order.chunks(on_page(IN_ORDER)) {
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
