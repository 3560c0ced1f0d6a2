//! The rows of trees, drawn in a letter for each.

use super::*;
use crate::session::format::entry::Entry;
use crate::session::format::entry::EntryHead;

fn tree(rows: &[(&str, &str, &str)]) -> Tree {
    let mut tree = Tree::default();
    for (id, parent, kind) in rows {
        let parent = if parent.is_empty() { "null".to_string() } else { format!("\"{parent}\"") };
        let (kind, role) = kind.split_once('/').unwrap_or((kind, ""));
        let message =
            if role.is_empty() { String::new() } else { format!(r#","message":{{"role":"{role}"}}"#) };
        let line = format!(r#"{{"type":"{kind}","id":"{id}","parentId":{parent}{message}}}"#);
        tree.push(Entry::parse(&line).unwrap()).unwrap();
    }
    tree
}

const USER: &str = "message/user";
const MODEL: &str = "message/assistant";
const TOOL: &str = "message/toolResult";

/// A drawing with one letter for each row.
fn drawn(outline: &Outline) -> Vec<String> {
    let lane = |at: u32| &outline.lanes[at as usize];
    outline
        .rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let mut signs = Vec::new();
            let mut next = Some(row.lane);
            while let Some(of) = next {
                let own = of == row.lane && row.starts;
                signs.push(match (own, lane(of).last) {
                    (true, true) => "└",
                    (true, false) => "├",
                    (false, true) => " ",
                    (false, false) => "│",
                });
                next = lane(of).from;
            }
            let here = if outline.leaf_row == Some(at as u32) { "!" } else { "" };
            let active = if row.active { "●" } else { "○" };
            let below = if row.descendants > 0 { row.descendants.to_string() } else { String::new() };
            format!("{}{active}{}{below}{here}", signs.into_iter().rev().collect::<String>(), row.id)
        })
        .collect()
}

fn rows(tree: &Tree, filter: Filter, labels: &[&str]) -> Vec<String> {
    let labels = labels.iter().map(|id| ((*id).to_string(), "L".to_string())).collect();
    drawn(&outline(tree, &labels, filter))
}

#[test]
fn outline_linear_conversation_has_one_lane() {
    let tree =
        tree(&[("a", "", USER), ("b", "a", MODEL), ("c", "b", TOOL), ("d", "c", MODEL), ("e", "d", USER)]);
    assert_eq!(rows(&tree, Filter::Turns, &[]), ["└●a2", " ●d1", " ●e!"], "the last answer of a turn");
    assert_eq!(rows(&tree, Filter::Messages, &[]), ["└●a3", " ●b2", " ●d1", " ●e!"]);
    assert_eq!(rows(&tree, Filter::Tools, &[]).len(), 5);
    assert_eq!(rows(&tree, Filter::All, &[]).len(), 5);
    assert_eq!(rows(&tree, Filter::User, &["c"]), ["└●a1", " ●e!"]);
    assert_eq!(rows(&tree, Filter::Labels, &["c"]), ["└●c!"]);
    assert_eq!(rows(&Tree::default(), Filter::All, &[]), [""; 0]);
}

#[test]
fn outline_branches_have_lanes() {
    let mut tree = tree(&[
        ("a", "", USER),
        ("b", "a", MODEL),
        ("c", "b", USER),
        ("d", "c", MODEL),
        ("e", "d", USER),
        ("f", "d", "compaction"),
        ("g", "b", USER),
        ("h", "g", MODEL),
        ("r", "", USER),
    ]);
    assert!(tree.branch(Some("h")));
    assert_eq!(
        rows(&tree, Filter::Turns, &[]),
        ["├●a7", "│●b6", "│├○c3", "││○d2", "││├○e", "││└○f", "│└●g1", "│ ●h!", "└○r"]
    );
    let outline = outline(&tree, &HashMap::new(), Filter::Turns);
    assert_eq!((outline.turns, outline.leaf_count), (5, 4));
    assert!(tree.branch(None));
    assert_eq!(rows(&tree, Filter::Turns, &[])[0], "├○a7");
}

#[test]
fn outline_cycles_and_orphans_have_rows() {
    let tree = tree(&[("a", "b", USER), ("b", "a", USER), ("c", "gone", USER), ("d", "d", USER)]);
    let mut found: Vec<String> = rows(&tree, Filter::All, &[]);
    found.sort();
    assert_eq!(found.len(), 4, "{found:?}");
    let hidden = self::tree(&[("a", "b", TOOL), ("b", "a", TOOL), ("c", "b", USER)]);
    assert_eq!(rows(&hidden, Filter::Turns, &[]), ["└●c!"]);
}

#[test]
fn outline_deep_tree_is_supported() {
    let rows: Vec<(String, String)> = (0..100_000)
        .map(|n| (n.to_string(), if n == 0 { String::new() } else { (n - 1).to_string() }))
        .collect();
    let rows: Vec<(&str, &str, &str)> = rows.iter().map(|(id, parent)| (&**id, &**parent, USER)).collect();
    let outline = outline(&tree(&rows), &HashMap::new(), Filter::Turns);
    assert_eq!((outline.rows.len(), outline.lanes.len(), outline.rows[0].descendants), (100_000, 1, 99_999));
}

#[test]
fn outline_rows_need_no_decoded_entries() {
    let mut tree = Tree::default();
    for (n, parent) in [(0, "null"), (1, "\"0\""), (2, "\"1\"")] {
        let line = format!(
            r#"{{"type":"message","id":"{n}","parentId":{parent},"timestamp":"1970-01-01T00:00:01.000Z","message":{{"role":"user"}}}}"#
        );
        let place = EntryHead::parse(&line).unwrap();
        let sum = tree.id_hasher().hash(&place.id);
        tree.push_in_file(place, sum, (0, 9), false).unwrap();
    }
    let outline = outline(&tree, &Labels::from([("1".to_string(), "L".to_string())]), Filter::All);
    assert_eq!(tree.created_count(), 0);
    for row in &outline.rows {
        let entry = tree.get(&row.id).unwrap();
        assert_eq!((row.kind.as_str(), row.role, row.time_ms), (entry.kind(), entry.role(), entry.time_ms()));
        assert_eq!((row.time_ms, row.label.is_some()), (1000, row.id == "1"));
    }
}

#[test]
fn outline_turns_are_counted_from_the_end_of_the_path() {
    let row = |id: &str, role, active| Row {
        id: id.into(),
        kind: "message".into(),
        role,
        time_ms: 0,
        lane: 0,
        starts: false,
        descendants: 0,
        active,
        label: None,
    };
    let rows = vec![
        row("u1", Role::User, true),
        row("a1", Role::Assistant, true),
        row("x", Role::User, false),
        row("u2", Role::User, true),
        row("a2", Role::Assistant, true),
    ];
    let outline = Outline { rows, ..Outline::default() };
    assert_eq!([0, 1, 2].map(|later| outline.turn(later)), [Some("u2"), Some("u1"), None]);
    assert_eq!([0, 1, 2].map(|later| outline.end_of_turn(later)), [Some("a2"), Some("a1"), None]);
}
