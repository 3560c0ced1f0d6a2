//! Checkpoint of the workspace that applies at an entry, according to the session. Pure.
//!
//! Must not know how checkpoints are stored: each is a name. They are written as `custom` entries, which pi
//! ignores. Two of them surround each round of calls that may change files: the state before it and after it.

use std::borrow::Cow;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::llm::model::Message;
use crate::session::format::body::EntryBody;
use crate::session::format::entry::Entry;
use crate::session::format::message::AgentMessage;
use crate::session::tree::Tree;

/// Type of the `custom` entry.
pub const CHECKPOINT: &str = "bowline.checkpoint";
/// Field that marks a message sent while the agent worked, which starts no turn.
const STEERING: &str = "steering";
/// Maximum number of omitted paths that an entry lists; the rest are only counted.
pub const SKIPPED_LISTED_MAX: usize = 20;

/// When a checkpoint was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// Before a round of calls.
    Before,
    /// After a round of calls.
    After,
    /// Before a restore: the state that was replaced.
    Left,
    /// After a restore.
    Restored,
}

/// A checkpoint of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// When it was recorded.
    pub at: When,
    /// Its name in the store: a git tree.
    pub tree: String,
    /// The workspace's root.
    pub root: String,
    /// Number of files and links in it.
    #[serde(default)]
    pub files: usize,
    /// The first of the paths that were not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty", alias = "leftOut")]
    pub skipped: Vec<String>,
    /// Number of paths that were not recorded.
    #[serde(default, skip_serializing_if = "is_zero", alias = "leftOutCount")]
    pub skipped_count: usize,
    /// Whether it is the previous state with additional files that had not been scanned then.
    #[serde(default, skip_serializing_if = "is_no")]
    pub more: bool,
    /// Whether subagents were still working.
    #[serde(default, skip_serializing_if = "is_no")]
    pub busy: bool,
    /// For a restored state: the entry that undoes the restore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_no(answer: &bool) -> bool {
    !answer
}

impl Checkpoint {
    /// Returns it as an entry.
    pub fn body(&self) -> EntryBody {
        EntryBody::Custom { custom_type: CHECKPOINT.to_string(), data: serde_json::to_value(self).ok() }
    }
}

/// Returns the checkpoint in an entry.
pub fn from_entry(entry: &Entry) -> Option<Checkpoint> {
    if entry.kind() != "custom" {
        return None;
    }
    match entry.body() {
        EntryBody::Custom { custom_type, data: Some(data) } if custom_type == CHECKPOINT => {
            serde_json::from_value(data).ok()
        }
        _ => None,
    }
}

/// Whether an entry is a user message that starts a turn.
pub(super) fn starts_turn(entry: &Entry) -> bool {
    if entry.kind() != "message" {
        return false;
    }
    let EntryBody::Message { message: AgentMessage::Llm(Message::User(user)) } = entry.body() else {
        return false;
    };
    !user.extra.get(STEERING).is_some_and(|steering| steering == true)
}

/// Returns the checkpoint that was recorded last, on any branch.
pub fn last_recorded(tree: &Tree) -> Option<Checkpoint> {
    tree.of_kind("custom").find_map(from_entry)
}

/// Whether a state is both the last recorded one and the one at the leaf, so that it can be restored later.
pub fn is_restorable(tree: &Tree, state: &str) -> bool {
    let here = tree.leaf().and_then(|leaf| at_entry(tree, leaf.id()));
    [here, last_recorded(tree)].iter().all(|known| known.as_ref().is_some_and(|known| known.tree == state))
}

/// Whether an entry with this type and line records a restore.
pub(in crate::session) fn is_restore(kind: &str, line: &str) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Line<'a> {
        #[serde(borrow)]
        custom_type: Cow<'a, str>,
        data: Checkpoint,
    }
    // Avoids decoding most lines.
    let may = kind == "custom" && memmem::find(line.as_bytes(), b"restored").is_some();
    let line = may.then(|| serde_json::from_str::<Line<'_>>(line).ok()).flatten();
    line.is_some_and(|line| line.custom_type == CHECKPOINT && line.data.at == When::Restored)
}

/// Returns the checkpoint at an entry: its own; else the next recorded one before another turn starts; else
/// the last one before it. `None` when nothing was recorded, or there is no such entry.
pub fn at_entry(tree: &Tree, id: &str) -> Option<Checkpoint> {
    let entry = tree.get(id)?;
    let before = || {
        let mut ancestors = tree.ancestors(tree.index_of(id)).filter(|at| tree.kind(*at) == "custom");
        ancestors.find_map(|at| from_entry(tree.entry(at)))
    };
    from_entry(entry).or_else(|| next_recorded(tree, entry)).or_else(before)
}

/// Returns the next recorded checkpoint. The state that a restore replaced precedes the one that the agent
/// found.
fn next_recorded(tree: &Tree, entry: &Entry) -> Option<Checkpoint> {
    let mut next = tree.children(Some(entry.id()));
    next.reverse();
    let (mut found, mut steps) = (None, 0);
    while let Some(entry) = next.pop() {
        // A file written by another program may have cycles.
        steps += 1;
        if starts_turn(entry) || steps > tree.len() {
            continue;
        }
        match from_entry(entry) {
            Some(checkpoint) if checkpoint.at == When::Left => return Some(checkpoint),
            Some(recorded) if recorded.at != When::Restored => {
                found.get_or_insert(recorded);
            }
            // A restored state belongs to another entry.
            Some(_) => {}
            None => {
                let mut children = tree.children(Some(entry.id()));
                children.reverse();
                next.extend(children);
            }
        }
    }
    found
}

/// One turn: a user message and the agent's work on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn<'a> {
    /// The entry that started it.
    pub prompt: &'a str,
    /// The checkpoints in it, with their entries, in order.
    pub states: Vec<(&'a str, Checkpoint)>,
}

/// Returns the turn of an entry, on the active branch if the entry is on it. `None` before the first user
/// message.
pub fn turn_of<'a>(tree: &'a Tree, id: &str) -> Option<Turn<'a>> {
    let active = tree.path();
    let path = if active.iter().any(|entry| entry.id() == id) { active } else { path_through(tree, id) };
    let index = path.iter().position(|entry| entry.id() == id)?;
    let first = path[..=index].iter().rposition(|entry| starts_turn(entry))?;
    let rest = path[first + 1..].iter().take_while(|entry| !starts_turn(entry));
    let states = rest.filter_map(|entry| Some((entry.id(), from_entry(entry)?)));
    Some(Turn { prompt: path[first].id(), states: states.collect() })
}

/// Returns the path to an entry, and on from there along first children.
fn path_through<'a>(tree: &'a Tree, id: &str) -> Vec<&'a Entry> {
    let mut path = tree.path_to(id);
    while let Some(next) = path.last().and_then(|last| tree.children(Some(last.id())).first().copied()) {
        path.push(next);
        if path.len() > tree.len() {
            break;
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    /// `id parent what`: `u` a prompt, `s` steering, `a` an answer, else a checkpoint `before:tree`.
    fn tree(rows: &[&str]) -> Tree {
        let mut tree = Tree::default();
        for row in rows {
            let [id, parent, what] = row.split(' ').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let mut line = match what {
                "u" => {
                    json!({"type": "message", "message": {"role": "user", "content": "x", "timestamp": 1}})
                }
                "s" => {
                    json!({"type": "message", "message": {"role": "user", "content": "x", "timestamp": 1, "steering": true}})
                }
                "a" => {
                    json!({"type": "message", "message": {"role": "bashExecution", "command": "ls", "output": ""}})
                }
                "x" => json!({"type": "custom", "customType": "other", "data": {"tree": "no"}}),
                state => {
                    let (at, name) = state.split_once(':').unwrap();
                    json!({"type": "custom", "customType": CHECKPOINT, "data": {"at": at, "tree": name, "root": "/w"}})
                }
            };
            line["id"] = json!(id);
            line["parentId"] = if parent == "-" { json!(null) } else { json!(parent) };
            tree.push(Entry::parse(&line.to_string()).unwrap()).unwrap();
        }
        tree
    }

    const TWO_TURNS: &[&str] = &[
        "u1 - u",
        "a1 u1 a",
        "b1 a1 before:0",
        "t1 b1 a",
        "c1 t1 after:1",
        "a2 c1 a",
        "b2 a2 before:1",
        "t2 b2 a",
        "c2 t2 after:2",
        "f1 c2 a",
        "u2 f1 u",
        "s2 u2 s",
        "a3 s2 a",
        "b3 a3 before:3",
        "t3 b3 a",
        "x3 t3 x",
        "c3 x3 after:4",
        "f2 c3 a",
    ];

    fn state(tree: &Tree, id: &str) -> String {
        at_entry(tree, id).map_or("-".to_string(), |found| found.tree)
    }

    #[test]
    fn checkpoint_state_of_every_entry() {
        let tree = tree(TWO_TURNS);
        let states = ["u1", "a1", "b1", "t1", "c1", "a2", "t2", "f1", "u2", "s2", "a3", "t3", "x3", "f2"]
            .map(|id| state(&tree, id));
        assert_eq!(states.join(""), "00011122333444");
        assert_eq!(state(&tree, "nobody"), "-");
        assert_eq!(last_recorded(&tree).unwrap().tree, "4");
        assert_eq!(last_recorded(&tree_of_none()), None);
        assert_eq!(state(&tree_of_none(), "u1"), "-");
    }

    fn tree_of_none() -> Tree {
        tree(&["u1 - u", "a1 u1 a"])
    }

    #[test]
    fn checkpoint_left_counts_and_restored_replaces() {
        let mut rows = TWO_TURNS.to_vec();
        rows.extend(["l1 f2 left:5", "r1 f1 restored:6", "u3 r1 u", "a4 u3 a"]);
        let tree = tree(&rows);
        assert_eq!(["f2", "f1", "r1", "u3", "a4"].map(|id| state(&tree, id)).join(""), "52666");
    }

    #[test]
    fn checkpoint_turn_is_found_from_any_entry() {
        let mut tree = tree(TWO_TURNS);
        let rounds = |tree: &Tree, id: &str| {
            let turn = turn_of(tree, id)?;
            let states: Vec<&str> = turn.states.iter().map(|(_, state)| &*state.tree).collect();
            Some(format!("{} {}", turn.prompt, states.join(" ")))
        };
        for id in ["u1", "a1", "t1", "c2", "f1"] {
            assert_eq!(rounds(&tree, id).as_deref(), Some("u1 0 1 1 2"), "{id}");
        }
        for id in ["u2", "s2", "f2"] {
            assert_eq!(rounds(&tree, id).as_deref(), Some("u2 3 4"), "{id}");
        }
        assert!(tree.branch(Some("a1")));
        assert_eq!(rounds(&tree, "t3").as_deref(), Some("u2 3 4"), "beside the way to the leaf");
        assert_eq!(rounds(&tree, "u1").as_deref(), Some("u1 "), "the way ends before it changed anything");
        assert_eq!(rounds(&tree, "nobody"), None);
    }

    #[test]
    fn checkpoint_entry_roundtrips_as_custom() {
        let state = Checkpoint {
            at: When::After,
            tree: "abc".into(),
            root: "/w".into(),
            files: 3,
            skipped: vec!["big".into()],
            skipped_count: 1,
            more: true,
            busy: true,
            undo: Some("u".into()),
        };
        let entry = Entry::new("1".into(), None, "t".into(), &state.body()).unwrap();
        assert_eq!(entry.kind(), "custom");
        assert_eq!(from_entry(&entry), Some(state.clone()));
        assert!(!is_restore("custom", &entry.line().unwrap()));
        let back = Checkpoint { at: When::Restored, skipped: vec!["restored".into()], ..state };
        let entry = Entry::new("1".into(), None, "t".into(), &back.body()).unwrap();
        let line = entry.line().unwrap();
        assert!(is_restore("custom", &line) && !is_restore("message", &line));
        assert!(!is_restore("custom", &line.replace(CHECKPOINT, "other")));
        assert!(!is_restore("custom", &line.replace(r#""at":"restored""#, r#""at":"left""#)));
        let other =
            Entry::parse(r#"{"type":"custom","id":"1","customType":"bowline.checkpoint","data":7}"#).unwrap();
        assert_eq!(from_entry(&other), None);
    }
}
