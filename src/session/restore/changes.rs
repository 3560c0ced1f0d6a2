//! Recorded changes of the workspace in a part of the conversation, oldest first. Pure; must not know how
//! checkpoints are stored.
//!
//! The folder went through its states in the order in which they were recorded, on whichever branch. A change
//! is that from one state to the next; it is an agent's if agents were working at its beginning, and the
//! user's otherwise.

use std::collections::HashSet;

use super::checkpoints::{self, Checkpoint, When, starts_turn};
use crate::llm::model::Message;
use crate::llm::model::message::join_text;
use crate::session::format::body::EntryBody;
use crate::session::format::entry::Entry;
use crate::session::format::message::AgentMessage;
use crate::session::tree::Tree;

/// A part of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConversationPart {
    /// Since the last message of the user, steering messages included.
    LastMessage,
    /// Since the message that started the last turn.
    Turn,
    /// The active branch.
    Branch,
    /// The whole session.
    Session,
}

/// How a message about a review of changes begins. It is an answer to the changes before it, so it begins no part
/// of the conversation: what is not reviewed yet stays in the part that it was in.
pub const REVIEW_START: &str = "I reviewed your changes to the files";

/// The change from one recorded state to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedChange {
    /// The state before it.
    pub before: Checkpoint,
    /// The state after it; `None` while agents are working, so that the present one counts.
    pub after: Option<Checkpoint>,
    /// Whether agents made it, in the part of the conversation that is meant. Other changes are listed because
    /// they are not to be shown as the agents'.
    pub is_meant: bool,
}

/// Returns the changes from the first one that is meant on. Consecutive changes of the same kind are one.
pub fn recorded_changes(tree: &Tree, part: ConversationPart) -> Vec<RecordedChange> {
    let mut states: Vec<(&str, Checkpoint)> = tree
        .of_kind("custom")
        .filter_map(|entry| Some((entry.id(), checkpoints::from_entry(entry)?)))
        .collect();
    states.reverse();
    let Some(root) = states.last().map(|(_, last)| last.root.clone()) else { return Vec::new() };
    states.retain(|(_, state)| state.root == root);
    let meant = entries_in(tree, part);
    let is_meant = |id: &str, before: &Checkpoint| {
        (before.at == When::Before || before.busy) && meant.as_ref().is_none_or(|ids| ids.contains(id))
    };
    let mut changes: Vec<RecordedChange> = Vec::new();
    for (n, (id, before)) in states.iter().enumerate() {
        let after = states.get(n + 1).map(|(_, after)| after);
        // The same state with more files is no change.
        let is_meant = is_meant(id, before) && !after.is_some_and(|after| after.more);
        // Nothing was recorded after the last state: only agents at work can have changed files since.
        let is_last_of_user = after.is_none() && !(before.at == When::Before || before.busy);
        if is_last_of_user || changes.is_empty() && !is_meant {
            continue;
        }
        match changes.last_mut() {
            Some(last) if last.is_meant == is_meant => last.after = after.cloned(),
            _ => changes.push(RecordedChange { before: before.clone(), after: after.cloned(), is_meant }),
        }
    }
    changes
}

/// Returns the ids of the entries in a part of the conversation; `None` for all.
fn entries_in(tree: &Tree, part: ConversationPart) -> Option<HashSet<&str>> {
    let path = match part {
        ConversationPart::Session => return None,
        _ => tree.path(),
    };
    let start = match part {
        ConversationPart::LastMessage => path.iter().rposition(|entry| is_of_user(entry)),
        ConversationPart::Turn => path.iter().rposition(|entry| starts_turn(entry) && is_of_user(entry)),
        ConversationPart::Branch | ConversationPart::Session => None,
    };
    Some(path[start.unwrap_or(0)..].iter().map(|entry| entry.id()).collect())
}

/// Whether an entry is a message of the user that is not about a review.
fn is_of_user(entry: &Entry) -> bool {
    if entry.kind() != "message" {
        return false;
    }
    match entry.body() {
        EntryBody::Message { message: AgentMessage::Llm(Message::User(user)) } => {
            !join_text(&user.content).starts_with(REVIEW_START)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::session::restore::checkpoints::CHECKPOINT;

    /// `id parent what`: `u` a prompt, `r` one about a review, `s` a steering message, else a checkpoint `at:tree`; `+` behind it for
    /// the same state with more files, `!` for one while agents are at work.
    fn tree(rows: &[&str]) -> Tree {
        let mut tree = Tree::default();
        for row in rows {
            let [id, parent, what] = row.split(' ').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let text = if what == "r" { REVIEW_START } else { "x" };
            let message = json!({"role": "user", "content": text, "timestamp": 1, "steering": what == "s"});
            let mut line = match what.split_once(':') {
                None => json!({"type": "message", "message": message}),
                Some((at, name)) => {
                    let data = json!({
                        "at": at, "tree": name.trim_end_matches(['+', '!']), "root": "/w",
                        "more": name.ends_with('+'), "busy": name.ends_with('!'),
                    });
                    json!({"type": "custom", "customType": CHECKPOINT, "data": data})
                }
            };
            line["id"] = json!(id);
            line["parentId"] = if parent == "-" { json!(null) } else { json!(parent) };
            tree.push(Entry::parse(&line.to_string()).unwrap()).unwrap();
        }
        tree
    }

    /// `before>after` of each change, those that are not meant in brackets.
    fn shown(tree: &Tree, part: ConversationPart) -> String {
        let show = |change: &RecordedChange| {
            let after = change.after.as_ref().map_or("now", |after| &after.tree);
            let text = format!("{}>{after}", change.before.tree);
            if change.is_meant { text } else { format!("({text})") }
        };
        recorded_changes(tree, part).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    const ROWS: &[&str] = &[
        "u1 - u",
        "a u1 before:0",
        "b a after:1",
        "u2 b u",
        "c u2 before:2",
        "d c after:3",
        "s d s",
        "e s before:3",
        "f e after:4",
    ];

    #[test]
    fn changes_of_every_scope() {
        let tree = tree(ROWS);
        assert_eq!(shown(&tree, ConversationPart::LastMessage), "3>4");
        assert_eq!(shown(&tree, ConversationPart::Turn), "2>3 (3>3) 3>4");
        assert_eq!(shown(&tree, ConversationPart::Branch), "0>1 (1>2) 2>3 (3>3) 3>4");
        assert_eq!(shown(&tree, ConversationPart::Session), "0>1 (1>2) 2>3 (3>3) 3>4");
        assert_eq!(shown(&super::tests::tree(&["u1 - u"]), ConversationPart::Session), "");
    }

    #[test]
    fn changes_before_review_message_stay_in_their_part() {
        let rows = [ROWS, &["r f r", "g r before:4", "h g after:5"]].concat();
        let tree = tree(&rows);
        assert_eq!(shown(&tree, ConversationPart::LastMessage), "3>4 (4>4) 4>5");
        assert_eq!(shown(&tree, ConversationPart::Turn), "2>3 (3>3) 3>4 (4>4) 4>5");
        let only = super::tests::tree(&["r - r", "a r before:0", "b a after:1"]);
        assert_eq!(shown(&only, ConversationPart::LastMessage), "0>1");
    }

    #[test]
    fn changes_of_other_branches_are_not_meant() {
        let rows = [ROWS, &["u3 b u", "g u3 before:4", "h g after:5"]].concat();
        let tree = tree(&rows);
        assert_eq!(shown(&tree, ConversationPart::Branch), "0>1 (1>4) 4>5");
        assert_eq!(shown(&tree, ConversationPart::Session), "0>1 (1>2) 2>3 (3>3) 3>4 (4>4) 4>5");
    }

    #[test]
    fn changes_of_working_agents_end_now() {
        let rows = [ROWS, &["g f before:5"]].concat();
        assert_eq!(shown(&tree(&rows), ConversationPart::LastMessage), "3>4 (4>5) 5>now");
        let busy = ["u1 - u", "a u1 before:0", "b a after:1!"];
        assert_eq!(shown(&tree(&busy), ConversationPart::Session), "0>now");
        let more = ["u1 - u", "a u1 before:0", "b a before:0x+", "c b after:1"];
        assert_eq!(shown(&tree(&more), ConversationPart::Turn), "0x>1");
    }

    #[test]
    fn changes_by_restores_are_the_users() {
        let rows = ["u1 - u", "a u1 before:0", "b a after:1", "l b left:1", "r u1 restored:0"];
        assert_eq!(shown(&tree(&rows), ConversationPart::Session), "0>1 (1>0)");
    }
}
