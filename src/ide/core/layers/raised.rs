//! Rows that come before others which match about as well, such as files that are used much. They are the first rows of
//! their list, and few. Must not know what the rows stand for.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use nucleo::pattern::Pattern;
use nucleo::{Item, Matcher, Snapshot};

use crate::ide::core::layers::picker::PickRow;

/// What is added to the scores of some rows, by their texts. They must be the first rows of the list.
pub type Bonuses = Arc<HashMap<String, u32>>;

/// Where matches with a bonus are among all, which the matcher has sorted without it.
#[derive(Debug, Default)]
pub struct Raised {
    /// Their places with the bonus and without it, sorted by the first.
    moves: Vec<(u32, u32)>,
    /// Their places without it, sorted.
    gaps: Vec<u32>,
}

/// Scores of matches, by place: searches for several places look at the same ones.
struct Scores<'s> {
    snapshot: &'s Snapshot<PickRow>,
    pattern: &'s Pattern,
    matcher: &'s mut Matcher,
    known: HashMap<u32, (u32, usize)>,
}

impl Scores<'_> {
    fn of(&mut self, item: &Item<'_, PickRow>) -> Option<(u32, usize)> {
        let text = item.matcher_columns[0].slice(..);
        Some((self.pattern.score(text, self.matcher)?, text.len()))
    }

    /// Returns the score and the length of the match at a place.
    fn at(&mut self, n: u32) -> (u32, usize) {
        if let Some(known) = self.known.get(&n) {
            return *known;
        }
        let score = self.snapshot.get_matched_item(n).and_then(|item| self.of(&item)).unwrap_or_default();
        self.known.insert(n, score);
        score
    }

    /// Returns the number of matches for which a condition holds that holds for none behind one for which it does not.
    fn count(&mut self, is_before: impl Fn((u32, usize)) -> bool) -> u32 {
        let (mut low, mut high) = (0, self.snapshot.matched_item_count());
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(self.at(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl Raised {
    /// Finds the places of the rows with a bonus among the matches of a snapshot.
    pub fn find(snapshot: &Snapshot<PickRow>, bonuses: &Bonuses, matcher: &RefCell<Matcher>) -> Self {
        let pattern = snapshot.pattern().column_pattern(0);
        if bonuses.is_empty() || pattern.atoms.is_empty() {
            // Without a query the rows are in the order in which they were added.
            return Self::default();
        }
        let mut matcher = matcher.borrow_mut();
        let mut scores = Scores { snapshot, pattern, matcher: &mut matcher, known: HashMap::new() };
        // Rows behind those of the snapshot are not sorted yet.
        let rows = (0..snapshot.item_count().min(bonuses.len() as u32)).filter_map(|n| snapshot.get_item(n));
        let mut seen: Vec<(u32, usize)> = Vec::new();
        let mut found: Vec<(Reverse<u32>, u32, u32)> = Vec::new();
        for row in rows {
            let Some(bonus) = bonuses.get(&row.data.text) else { continue };
            let Some((score, length)) = scores.of(&row) else { continue };
            let better = scores.count(|(other, of)| other > score || other == score && of < length);
            // Of equal matches the matcher has those first that were added first.
            let from = better + seen.iter().filter(|other| **other == (score, length)).count() as u32;
            seen.push((score, length));
            if snapshot.get_matched_item(from).is_some_and(|at| std::ptr::eq(at.data, row.data)) {
                let before = scores.count(|(other, _)| other > score + bonus);
                found.push((Reverse(score + bonus), from, before));
            }
        }
        found.sort_unstable();
        let mut gaps: Vec<u32> = found.iter().map(|(_, from, _)| *from).collect();
        gaps.sort_unstable();
        let place = |n: u32, before: u32| before - gaps.partition_point(|gap| *gap < before) as u32 + n;
        let moves = (0..).zip(&found).map(|(n, (_, from, before))| (place(n, *before), *from)).collect();
        Self { moves, gaps }
    }

    /// Returns where the match at a place is among those that the matcher has sorted.
    pub fn source(&self, n: u32) -> u32 {
        let moved = self.moves.partition_point(|(to, _)| *to < n);
        if let Some((_, from)) = self.moves.get(moved).filter(|(to, _)| *to == n) {
            return *from;
        }
        // So many that were not moved are before it.
        let others = n - moved as u32;
        let mut gaps = (0..).zip(&self.gaps);
        let before = gaps.find(|(n, gap): &(u32, &u32)| **gap - n > others);
        others + before.map_or(self.gaps.len() as u32, |(n, _)| n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raised_rows_leave_gaps_that_others_fill() {
        // Of the matches 0 to 9, 7 comes first and 5 fourth.
        let raised = Raised { moves: vec![(0, 7), (3, 5)], gaps: vec![5, 7] };
        let order: Vec<u32> = (0..10).map(|n| raised.source(n)).collect();
        assert_eq!(order, [7, 0, 1, 5, 2, 3, 4, 6, 8, 9]);
        assert_eq!((0..3).map(|n| Raised::default().source(n)).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
