//! The pages of the keys that continue a prefix, for screens that do not have room for all of them. Must not know how a
//! page is drawn.

use std::ops::Range;

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its rows.
    pub range: Range<usize>,
    /// Its index.
    pub at: usize,
    /// How many pages there are.
    pub count: usize,
}

impl Page {
    /// Returns the page with the index `at`, or the last one, of a list of `len` rows.
    pub fn of(len: usize, per_page: usize, at: usize) -> Self {
        let per_page = per_page.max(1);
        let count = len.div_ceil(per_page).max(1);
        let at = at.min(count - 1);
        Self { range: at * per_page..len.min((at + 1) * per_page), at, count }
    }

    /// Returns which of the pages it is and the key to the others; `None` if there is one only.
    pub fn label(&self) -> Option<String> {
        (self.count > 1).then(|| format!("{}/{} PageDown", self.at + 1, self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_hints_pages_cover_all_rows_once() {
        for (len, per_page) in [(0, 3), (1, 0), (7, 3), (9, 3)] {
            let count = Page::of(len, per_page, 0).count;
            let rows: Vec<usize> = (0..count).flat_map(|at| Page::of(len, per_page, at).range).collect();
            assert_eq!(rows, (0..len).collect::<Vec<_>>());
        }
        assert_eq!(Page::of(7, 3, 9).range, 6..7, "the last one after the window became higher");
        assert_eq!(Page::of(7, 3, 1).label().as_deref(), Some("2/3 PageDown"));
        assert_eq!(Page::of(3, 3, 0).label(), None);
    }
}
