//! Usage totals along the path to an entry: answers, summaries, requests outside of the conversation. Pure.
//!
//! Must not know files. Totals of some entries are cached, so that the cost of a long session is known
//! without reading it again; they are derived from its lines, and summing the whole path gives the same.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::line::{SummedUsage, parse_usage};
use crate::llm::model::Usage;
use crate::session::format::entry::Entry;
use crate::session::format::line_head::Head;
use crate::session::format::role::Role;
use crate::session::tree::Tree;

/// Number of entries on a path between two cached totals.
pub(super) const CACHE_STEP: usize = 1000;

/// The known totals.
#[derive(Debug, Default)]
pub(in crate::session) struct UsageTotals {
    known: HashMap<u32, Usage>,
    /// The total of the last entry read from the file.
    newest: Option<(u32, Usage)>,
    /// Whether children preceded their parents: then earlier totals are invalid.
    unordered: bool,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default, borrow)]
    usage: Option<&'a RawValue>,
    #[serde(default, borrow)]
    message: Option<Answer<'a>>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(default, borrow)]
    usage: Option<&'a RawValue>,
}

/// Returns the usage of an entry with this line.
pub(in crate::session) fn usage_of_line(kind: &str, role: Role, line: &str) -> Option<SummedUsage> {
    let read = || serde_json::from_str::<Line<'_>>(line).ok();
    let usage = match kind {
        "message" if role == Role::Assistant => read()?.message?.usage,
        "compaction" | "branch_summary" | "usage" => read()?.usage,
        _ => None,
    };
    parse_usage(usage?.get())
}

/// Returns the usage of an entry whose head was parsed.
pub(in crate::session) fn usage_of_head(head: &Head, line: &str) -> Option<SummedUsage> {
    match (head.role, head.usage) {
        (Role::Assistant, usage) => parse_usage(usage?),
        _ => usage_of_line(head.kind, head.role, line),
    }
}

/// Returns the usage of the entry at an index. Does not create entries that can have none.
fn usage_at(tree: &Tree, at: u32) -> Option<Usage> {
    let spends = matches!(tree.role(at), Role::Assistant | Role::None);
    spends.then(|| usage_of_entry(tree.entry(at))).flatten()
}

fn usage_of_entry(entry: &Entry) -> Option<Usage> {
    entry.line().ok().and_then(|line| usage_of_line(entry.kind(), entry.role(), &line)).map(Usage::from)
}

impl UsageTotals {
    /// Creates the totals from an index, by entry index. While the tree still waits for parents, earlier
    /// totals are invalid.
    pub(in crate::session) fn from_index(
        tree: &Tree,
        known: HashMap<u32, Usage>,
        newest: Option<(u32, Usage)>,
    ) -> Self {
        if tree.has_orphans() {
            return Self { unordered: true, ..Self::default() };
        }
        Self { known, newest, unordered: false }
    }

    /// Returns all known totals, in order.
    pub(in crate::session) fn all(&self) -> Vec<(u32, &Usage)> {
        let newest = self.newest.iter().map(|(at, sum)| (*at, sum));
        let mut all: Vec<(u32, &Usage)> =
            self.known.iter().map(|(at, sum)| (*at, sum)).chain(newest).collect();
        all.sort_unstable_by_key(|(at, _)| *at);
        all.dedup_by_key(|(at, _)| *at);
        all
    }

    /// Returns the total along the path to an entry, inclusive. Reads entries after the nearest known one.
    pub(in crate::session) fn usage_to(&mut self, tree: &Tree, leaf: Option<u32>) -> Usage {
        let (mut path, mut sum) = (Vec::new(), Usage::default());
        let mut first = None;
        for at in tree.ancestors(leaf) {
            if let Some(known) = self.at(at) {
                sum = known.clone();
                first = None;
                break;
            }
            path.push(at);
            first = tree.parent_index(at);
        }
        // In a cycle every entry has its own path: no total continues another.
        let is_circle = first.is_some();
        for (n, at) in path.iter().rev().enumerate() {
            if let Some(spent) = usage_at(tree, *at) {
                sum += &spent;
            }
            if (n + 1).is_multiple_of(CACHE_STEP) && !is_circle {
                self.known.insert(*at, sum.clone());
            }
        }
        self.known.extend(leaf.filter(|_| !is_circle).map(|leaf| (leaf, sum.clone())));
        sum
    }

    fn at(&self, at: u32) -> Option<&Usage> {
        let newest = self.newest.as_ref().filter(|(newest, _)| *newest == at);
        newest.map(|(_, sum)| sum).or_else(|| self.known.get(&at))
    }

    /// Adds the entry that was just read from the file, with its usage.
    pub(in crate::session) fn add(&mut self, tree: &Tree, spent: Option<&Usage>) {
        let Some(at) = tree.leaf_index().filter(|_| !self.unordered) else { return };
        let parent = tree.parent_index(at);
        let follows_itself = parent == Some(at);
        if follows_itself || parent.is_none() && tree.has_orphans() {
            *self = Self { unordered: true, ..Self::default() };
            return;
        }
        match &mut self.newest {
            Some((newest, _)) if Some(*newest) == parent => *newest = at,
            newest => {
                // The end of a branch: the file may return to it.
                self.known.extend(newest.take());
                let sum = parent.map_or_else(Usage::default, |parent| self.usage_to(tree, Some(parent)));
                self.newest = Some((at, sum));
            }
        }
        let Some((_, sum)) = &mut self.newest else { return };
        if let Some(spent) = spent {
            *sum += spent;
        }
        if (at as usize).is_multiple_of(CACHE_STEP) {
            self.known.insert(at, sum.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::usage::Cost;
    use proptest::prelude::*;

    fn line(n: usize, parent: Option<usize>) -> String {
        let parent = parent.map_or("null".to_string(), |parent| format!("\"{parent}\""));
        let cost = format!(r#""usage":{{"input":{n},"cost":{{"total":{n}}}}}"#);
        let rest = match n % 4 {
            0 => r#""message","message":{"role":"user","content":"x"}"#.to_string(),
            1 => format!(r#""message","message":{{"role":"assistant","content":[],{cost}}}"#),
            2 => format!(r#""usage",{cost}"#),
            _ => format!(r#""compaction","summary":"s","firstKeptEntryId":"0",{cost}"#),
        };
        format!(r#"{{"id":"{n}","parentId":{parent},"timestamp":"t","type":{rest}}}"#)
    }

    fn read(tree: &mut Tree, sums: &mut UsageTotals, line: &str) {
        let entry = Entry::parse(line).unwrap();
        let spent = usage_of_line(entry.kind(), entry.role(), line);
        tree.push(entry).unwrap();
        sums.add(tree, spent.map(Usage::from).as_ref());
    }

    fn added_up(tree: &Tree, leaf: usize) -> (u64, f64) {
        let path = tree.path_to(&leaf.to_string());
        let cost = path.iter().filter_map(|entry| usage_of_entry(entry));
        cost.fold((0, 0.0), |(input, total), usage| (input + usage.input, total + usage.cost.total))
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn usage_totals_equal_sum_of_path(parents in proptest::collection::vec(0usize..30, 1..60)) {
            let (mut tree, mut sums) = (Tree::default(), UsageTotals::default());
            for (n, back) in parents.iter().enumerate() {
                // Mostly straight on; now and then from elsewhere, a root, or behind one that comes later.
                let waited_for = n >= 2 && parents[n - 2] == 1;
                let parent = match back {
                    _ if waited_for => None,
                    0 => None,
                    1 => Some(n + 2),
                    back if *back < 10 => n.checked_sub(*back),
                    _ => n.checked_sub(1),
                };
                read(&mut tree, &mut sums, &line(n, parent));
            }
            for leaf in 0..parents.len() {
                let sum = sums.usage_to(&tree, Some(leaf as u32));
                prop_assert_eq!((sum.input, sum.cost.total), added_up(&tree, leaf), "{}", leaf);
            }
        }
    }

    #[test]
    fn usage_totals_late_parent_counts() {
        let mut tree = Tree::default();
        for (n, parent) in [(0, None), (1, Some(3))] {
            tree.push(Entry::parse(&line(n, parent)).unwrap()).unwrap();
        }
        let mut sums = UsageTotals::from_index(&tree, HashMap::new(), None);
        for (n, parent) in [(2, Some(1)), (3, Some(0))] {
            read(&mut tree, &mut sums, &line(n, parent));
        }
        for leaf in 0..4 {
            assert_eq!(sums.usage_to(&tree, Some(leaf)).input, added_up(&tree, leaf as usize).0, "{leaf}");
        }
    }

    #[test]
    fn usage_totals_cycle_counts_once() {
        let (mut tree, mut sums) = (Tree::default(), UsageTotals::default());
        // Two straight on, one behind itself, two behind each other, one behind those.
        for (n, parent) in [(1, None), (2, Some(1)), (5, Some(5)), (6, Some(7)), (7, Some(6)), (9, Some(7))] {
            read(&mut tree, &mut sums, &line(n, parent));
        }
        for _ in 0..2 {
            let all: Vec<u64> = (0..6).map(|at| sums.usage_to(&tree, Some(at)).input).collect();
            assert_eq!(all, [1, 3, 5, 13, 13, 22]);
        }
        let (mut tree, mut sums) = (Tree::default(), UsageTotals::default());
        read(&mut tree, &mut sums, &line(5, Some(5)));
        assert_eq!(sums.usage_to(&tree, Some(0)).input, 5, "as it is read");
    }

    #[test]
    fn usage_totals_long_path_is_cached() {
        let (mut tree, mut sums) = (Tree::default(), UsageTotals::default());
        let count = 3 * CACHE_STEP + 7;
        for n in 0..count {
            tree.push(Entry::parse(&line(n, n.checked_sub(1))).unwrap()).unwrap();
        }
        let leaf = Some(count as u32 - 1);
        let whole = sums.usage_to(&tree, leaf);
        assert_eq!(whole.input, added_up(&tree, count - 1).0);
        let kept = sums.all().len();
        assert_eq!(kept, 4, "one for each step, and the leaf");
        // What is known is believed: nothing before it is read again.
        let odd = Usage { input: 5, cost: Cost::default(), ..Usage::default() };
        let mut told = UsageTotals::from_index(&tree, HashMap::from([(count as u32 - 3, odd)]), None);
        let last: u64 = (count - 2..count).filter(|n| n % 4 != 0).map(|n| n as u64).sum();
        assert_eq!(told.usage_to(&tree, leaf).input, 5 + last);
    }
}
