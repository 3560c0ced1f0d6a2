//! Entries that a fork of a session copies. Pure.

use std::collections::{HashMap, HashSet};
use std::io;

use crate::session::format::body::EntryBody;
use crate::session::format::entry::Entry;
use crate::session::restore::checkpoints::{self, Checkpoint};
use crate::session::restore::steps;
use crate::session::tree::Tree;

/// Returns the labels by entry id: of each the latest in the order of the file.
pub(in crate::session) fn labels(tree: &Tree) -> HashMap<String, String> {
    let mut latest: HashMap<String, Option<String>> = HashMap::new();
    for entry in tree.of_kind("label") {
        if let EntryBody::Label { target_id, label } = entry.body() {
            latest.entry(target_id).or_insert(label);
        }
    }
    latest.into_iter().filter_map(|(id, label)| Some((id, label?))).collect()
}

/// Returns the entries of a branch as a session of its own, without entries that refer to others (such as
/// labels), since these stand where they were created; their children move to their parents. If the branch
/// ends within a round of calls, the checkpoint after the round is copied from elsewhere: without it all
/// later changes in the folder would count as changes of that round.
pub(in crate::session) fn branch_entries(path: &[&Entry], tree: &Tree) -> io::Result<Vec<Entry>> {
    let mut states: Vec<(&Entry, Checkpoint)> =
        tree.of_kind("custom").filter_map(|entry| Some((entry, checkpoints::from_entry(entry)?))).collect();
    states.reverse();
    let on_path: HashSet<&str> = path.iter().map(|entry| entry.id()).collect();
    let mut kept: Vec<Entry> = Vec::with_capacity(path.len());
    for entry in path.iter().filter(|entry| entry.kind() != "label") {
        let closing = closing_checkpoints(entry, &states);
        for entry in std::iter::once(*entry).chain(closing.take_while(|state| !on_path.contains(state.id())))
        {
            let parent = kept.last().map(|before| before.id().to_string());
            kept.push(entry.with_parent(parent.as_deref())?);
        }
    }
    Ok(kept)
}

/// Returns the next checkpoints in the same folder, up to the one that ends the round that is open at an
/// entry; empty when the entry is no such checkpoint.
fn closing_checkpoints<'a>(
    entry: &Entry,
    states: &'a [(&'a Entry, Checkpoint)],
) -> impl Iterator<Item = &'a Entry> {
    let index = states.iter().position(|(state, _)| state.id() == entry.id());
    let index = index.filter(|index| steps::is_during_work(&states[*index].1));
    let root = index.map(|index| states[index].1.root.as_str());
    let behind = index.map_or(&states[..0], |index| &states[index + 1..]);
    let mut open = true;
    let same = behind.iter().filter(move |(_, state)| Some(state.root.as_str()) == root);
    same.take_while(move |(_, state)| std::mem::replace(&mut open, steps::is_during_work(state)))
        .map(|(entry, _)| *entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn fork_includes_checkpoint_after_last_turn() {
        let mut tree = Tree::default();
        for (id, parent, at) in [
            ("a", None, "before"),
            ("b", Some("a"), "u"),
            ("c", Some("b"), "after"),
            ("d", Some("c"), "before"),
            ("e", Some("d"), "after"),
            // Two looks at what is before one round.
            ("f", Some("e"), "before"),
            ("g", Some("f"), "before"),
            ("h", Some("g"), "u"),
            ("i", Some("h"), "after"),
        ] {
            let more = id == "g";
            let data = json!({"at": at, "tree": format!("{:040x}", 1), "root": "/w", "more": more});
            let mut line =
                json!({"type": "custom", "customType": "bowline.checkpoint", "id": id, "data": data});
            if at == "u" {
                line = json!({"type": "message", "id": id, "message": {"role": "user", "content": "x"}});
            }
            line["parentId"] = json!(parent);
            tree.push(Entry::parse(&line.to_string()).unwrap()).unwrap();
        }
        let fork = |leaf: &str| {
            let kept = branch_entries(&tree.path_to(leaf), &tree).unwrap();
            kept.iter().map(|entry| entry.id().to_string()).collect::<String>()
        };
        assert_eq!(fork("b"), "acb", "the state after it comes along");
        assert_eq!(fork("c"), "abc", "once");
        assert_eq!((fork("d"), fork("e")), ("abcde".into(), "abcde".into()));
        assert_eq!((fork("f"), fork("h")), ("abcdefgi".into(), "abcdefgih".into()), "each once");
    }
}
