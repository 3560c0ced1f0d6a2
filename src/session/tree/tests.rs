//! Trees of entries in memory, and of rows that an index has.

use proptest::prelude::*;

use std::sync::atomic::{AtomicUsize, Ordering};

use super::base::PageSource;
use super::*;
use crate::session::context::projection;

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
fn tree_branches_share_their_root() {
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
fn tree_cycles_and_missing_parents_end_path() {
    assert_eq!(ids(&tree(&[("a", "b"), ("b", "a")]).path()), "ab");
    assert_eq!(ids(&tree(&[("a", "a")]).path()), "a");
    let lost = tree(&[("a", ""), ("b", "gone"), ("c", "b"), ("d", "late"), ("late", "a")]);
    assert_eq!((ids(&lost.path_to("c")), ids(&lost.children(None))), ("bc".into(), "ab".into()));
    assert_eq!((ids(&lost.children(Some("late"))), ids(&lost.path_to("d"))), ("d".into(), "alated".into()));
    assert!(lost.common_ancestor("a", "c").is_none());
}

#[test]
fn tree_path_in_cycle_has_each_entry_once() {
    let mut tree = tree(&[("a", ""), ("b", "a"), ("c", "b"), ("x", "x"), ("y", "z"), ("z", "y"), ("w", "z")]);
    assert_eq!((ids(&tree.path_to("c")), ids(&tree.path_to("x"))), ("abc".into(), "x".into()));
    assert_eq!((ids(&tree.path_to("y")), ids(&tree.path())), ("zy".into(), "yzw".into()));
    assert!(tree.branch(Some("x")));
    assert_eq!(ids(&tree.path()), "x");
}

#[test]
fn tree_id_lookup_reads_few_pages() {
    let id = |n: u32| format!("{:08x}", n.wrapping_mul(2_654_435_761));
    let mut whole = Tree::default();
    let line = |n: u32| format!(r#"{{"type":"custom","id":"{}","parentId":null,"timestamp":"t"}}"#, id(n));
    for n in 0..20_000 {
        put(&mut whole, &line(n), (0, 9)).unwrap();
    }
    let (tree, turns) = counted(&whole);
    let new: Vec<String> = (20_000..21_000).map(id).collect();
    let before = turns[1].load(Ordering::Relaxed);
    assert!(tree.existing_ids(new.iter().map(String::as_str)).is_empty());
    let turned = turns[1].load(Ordering::Relaxed) - before;
    assert!(turned < 200, "{turned} pages for a thousand ids");
    assert_eq!(tree.existing_ids([&*id(7), "nobody", &*id(19_999)].into_iter()).len(), 2);
}

/// Adds an entry whose line is in a file.
fn put(tree: &mut Tree, line: &str, span: (u64, u32)) -> Result<(), String> {
    let place = EntryHead::parse(line).unwrap();
    let sum = tree.id_hasher().hash(&place.id);
    tree.push_in_file(place, sum, span, false)
}

#[test]
fn tree_duplicate_id_is_refused() {
    let mut tree = tree(&[("a", "")]);
    assert!(tree.push(Entry::parse(r#"{"type":"custom","id":"a"}"#).unwrap()).is_err());
    assert_eq!(tree.entries().len(), 1);
}

/// Pages in memory, the one that was asked for last, and how often another one was asked for.
struct Kept(Vec<Arc<[u8]>>, Arc<[AtomicUsize; 2]>);

impl PageSource for Kept {
    fn page(&self, number: usize) -> Arc<[u8]> {
        if self.1[0].swap(number, Ordering::Relaxed) != number {
            self.1[1].fetch_add(1, Ordering::Relaxed);
        }
        self.0.get(number).cloned().unwrap_or_default()
    }

    fn are_complete(&self) -> bool {
        true
    }
}

/// The same tree as an index gives it back.
fn remembered(tree: &Tree) -> Tree {
    counted(tree).0
}

/// The same with the number of times that it turned to another page.
fn counted(tree: &Tree) -> (Tree, Arc<[AtomicUsize; 2]>) {
    let (known, widths) = tree.metadata(1000).unwrap();
    let mut pages = Vec::new();
    let made: Result<(), ()> = tree.pages(widths, |page| {
        pages.push(page.into());
        Ok(())
    });
    made.unwrap();
    let (count, kinds) = (tree.len() as u32, known.kinds.len() as u32);
    assert_eq!(base::page_count(widths, count as usize), pages.len());
    let turns = Arc::<[AtomicUsize; 2]>::default();
    let base = Base { pages: Box::new(Kept(pages, turns.clone())), widths, count, kinds };
    (Tree::from_index(base, known, Arc::new(NoLines)), turns)
}

/// Everything that can be asked of a tree.
fn told(tree: &Tree) -> Vec<String> {
    let names = |path: &[&Entry]| path.iter().map(|entry| entry.id()).collect::<Vec<_>>().join(",");
    let mut all = vec![format!(
        "{} {} {:?} {:?} {}",
        tree.len(),
        tree.leaf_count(),
        tree.leaf_index(),
        tree.has_orphans(),
        names(&tree.children(None))
    )];
    // Of a long tree that is enough: what is before is on the way to it.
    for (at, entry) in tree.entries().enumerate().skip(tree.len().saturating_sub(70)) {
        let id = entry.id();
        let (way, from) = projection::sent_path(tree, Some(at as u32));
        all.push(format!(
            "{:?} {:?} {} | {} | {} | {} {from} | {:?}",
            entry,
            tree.parent_index(at as u32),
            tree.kind(at as u32),
            names(&tree.path_to(id)),
            names(&tree.children(Some(id))),
            names(&way),
            tree.index_of(id)
        ));
    }
    for kind in ["message", "label", "model_change", "nothing"] {
        all.push(names(&tree.of_kind(kind).collect::<Vec<_>>()));
    }
    all
}

/// An id: short, long, or with a beginning that others have, too.
fn id_of(n: usize) -> String {
    match n % 3 {
        0 => format!("{n:x}"),
        1 => format!("0000000000-{n}"),
        _ => format!("{n:08x}-and-more"),
    }
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(100))]

    #[test]
    fn tree_from_index_equals_tree(
        rows in prop::collection::vec((0usize..14, 0usize..8), 1..60),
        cut in 0usize..60,
        big in 0usize..12,
    ) {
        // Now and then with more than a page of rows before it.
        let before = if big == 0 { 600 } else { 0 };
        let mut lines = Vec::new();
        for (n, (back, kind)) in (0..before).map(|_| (13, 0)).chain(rows.iter().copied()).enumerate() {
            let parent = match back {
                0 => None,
                // Behind one that comes later, or never.
                1 if kind > 5 => Some(n + 2),
                back if back < 9 => n.checked_sub(back),
                _ => n.checked_sub(1),
            };
            let parent = parent.map_or("null".to_string(), |n| format!("\"{}\"", id_of(n)));
            let rest = match kind {
                0 | 1 => r#""message","message":{"role":"user"}"#.to_string(),
                2 => r#""message","message":{"role":"assistant"}"#.to_string(),
                3 => r#""label","targetId":"0""#.to_string(),
                4 => r#""model_change","provider":"p","modelId":"m""#.to_string(),
                _ => format!("\"kind {kind}\""),
            };
            let (name, fields) = rest.split_once(',').map_or((rest.as_str(), String::new()), |(name, fields)| (name, format!(",{fields}")));
            lines.push(format!(r#"{{"type":{name},"id":"{}","parentId":{parent},"timestamp":"{n}"{fields}}}"#, id_of(n)));
        }
        let mut whole = Tree::default();
        let mut again: Option<Tree> = None;
        for (n, line) in lines.iter().enumerate() {
            if n == cut + before && whole.is_ordered() {
                again = Some(remembered(&whole));
            }
            for tree in std::iter::once(&mut whole).chain(&mut again) {
                put(tree, line, (n as u64 * 100, 9)).unwrap();
                prop_assert!(put(tree, line, (0, 0)).is_err(), "taken");
            }
        }
        let again = again.or_else(|| whole.is_ordered().then(|| remembered(&whole)));
        if let Some(mut again) = again {
            let ids: Vec<String> = (0..lines.len() + 3).map(id_of).collect();
            let based = again.base_len() as usize;
            let taken = again.existing_ids(ids.iter().map(String::as_str));
            prop_assert_eq!(taken, ids[..based].iter().map(CompactString::from).collect());
            for line in &lines[..based] {
                let copy = Entry::parse(line).unwrap();
                prop_assert!(again.push(copy).is_err(), "taken by what is remembered");
            }
            prop_assert_eq!(told(&again), told(&whole));
            if again.is_ordered() {
                prop_assert_eq!(told(&remembered(&again)), told(&whole));
            }
            let mut unfolded = again;
            unfolded.set_locations(&(Arc::new(NoLines) as Arc<dyn LineSource>), 5);
            prop_assert_eq!(told(&unfolded), told(&whole));
        }
    }
}
