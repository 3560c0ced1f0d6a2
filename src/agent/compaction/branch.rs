//! Plan for the summary of a branch that is left. Pure.

use std::sync::Arc;

use crate::base::json::json;

use super::budget::Budget;
use super::estimate;
use super::files::Files;
use crate::session::{AgentMessage, Entry, EntryBody, Tree, context::messages};

/// Context window assumed when it is unknown, as in pi.
const DEFAULT_WINDOW: u64 = 128_000;

/// A planned summary.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BranchSummaryPlan {
    /// The leaf that is left.
    pub from: String,
    /// The target of the move; `None` is before all entries.
    pub to: Option<String>,
    /// The messages to summarize: the newest that fit.
    pub messages: Vec<Arc<AgentMessage>>,
    /// The files that the branch touched.
    #[doc(hidden)]
    pub files: Files,
    /// The budget that it was computed for.
    #[doc(hidden)]
    pub budget: Budget,
}

/// Returns the plan for the branch from the leaf back to the common ancestor with `to`; `None` when it has
/// nothing to summarize. Tool results are omitted: the calls are enough.
pub fn plan_branch_summary(tree: &Tree, to: Option<&str>, budget: Budget) -> Option<BranchSummaryPlan> {
    let from = tree.leaf()?.id();
    let path = tree.path_to(from);
    let shared = to.and_then(|to| tree.common_ancestor(from, to));
    let begins = shared.and_then(|last| path.iter().position(|entry| entry.id() == last.id()));
    let begins = begins.map_or(0, |last| last + 1);
    let mut files = Files::default();
    let edited = messages::edited_messages(&path, begins);
    let edited: Vec<_> = path[begins..]
        .iter()
        .zip(edited)
        .map(|(entry, edited)| message_to_summarize(entry, edited, &mut files))
        .collect();
    let window = if budget.window == 0 { DEFAULT_WINDOW } else { budget.window };
    let messages = newest_that_fit(&edited, window.saturating_sub(budget.reserve));
    (!messages.is_empty()).then(|| BranchSummaryPlan {
        from: from.to_string(),
        to: to.map(str::to_string),
        messages,
        files,
        budget,
    })
}

/// Returns an entry's message for the summary, and whether it is itself a summary.
fn message_to_summarize(
    entry: &Entry,
    message: Option<Arc<AgentMessage>>,
    files: &mut Files,
) -> Option<(Arc<AgentMessage>, bool)> {
    let body = match entry.kind() {
        "compaction" | "branch_summary" => entry.body(),
        _ => {
            let message = message.filter(|message| message.role() != "toolResult")?;
            files.add_message(&message);
            return Some((message, false));
        }
    };
    match body {
        EntryBody::Compaction { summary, details, from_hook, .. } => {
            files.add_details(details.as_ref().filter(|_| from_hook != Some(true)));
            let value = json!({"role": "compactionSummary", "summary": summary});
            Some((Arc::new(AgentMessage::Other(value)), true))
        }
        EntryBody::BranchSummary { details, from_hook, .. } => {
            files.add_details(details.as_ref().filter(|_| from_hook != Some(true)));
            Some((message?, true))
        }
        _ => None,
    }
}

/// Returns the newest messages that fit. A summary that would exceed the room is still included while a tenth
/// of the room is free: it holds more than other messages of its length.
fn newest_that_fit(messages: &[Option<(Arc<AgentMessage>, bool)>], room: u64) -> Vec<Arc<AgentMessage>> {
    let (mut taken, mut tokens) = (Vec::new(), 0u64);
    for (message, sums_up) in messages.iter().rev().flatten() {
        let more = estimate::of_agent_message(message);
        if tokens.saturating_add(more) > room {
            if *sums_up && tokens < room / 10 * 9 {
                taken.push(message.clone());
            }
            break;
        }
        tokens += more;
        taken.push(message.clone());
    }
    taken.reverse();
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::compaction::Settings;
    use crate::llm::model::Model;
    use serde_json::Value;

    fn tree(rows: &[(&str, &str, Value)]) -> Tree {
        let mut tree = Tree::default();
        for (id, parent, body) in rows {
            let parent = if parent.is_empty() { Value::Null } else { json!(parent) };
            let mut line = json!({"id": id, "parentId": parent, "timestamp": "1970-01-01T00:00:00.005Z"});
            line.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
            tree.push(Entry::parse(&line.to_string()).unwrap()).unwrap();
        }
        tree
    }

    fn user(text: &str) -> Value {
        json!({"type": "message", "message": {"role": "user", "content": text}})
    }

    fn budget(window: u64) -> Budget {
        Settings { reserve: 0, ..Settings::default() }
            .budget(&Model { context_window: window, ..Model::unknown("p", "m", "a", "") })
    }

    fn roles(leaving: &BranchSummaryPlan) -> Vec<&str> {
        leaving.messages.iter().map(|message| message.role()).collect()
    }

    #[test]
    fn branch_summary_covers_leaf_to_fork() {
        let call = json!({"type": "toolCall", "id": "c", "name": "write", "arguments": {"path": "f", "content": ""}});
        let answer = json!({"type": "message", "message": {"role": "assistant", "content": [call], "api": "a",
            "provider": "p", "model": "m", "stopReason": "toolUse"}});
        let result = json!({"type": "message", "message": {"role": "toolResult", "toolCallId": "c", "toolName": "write",
            "content": "done"}});
        let earlier =
            json!({"type": "branch_summary", "fromId": "x", "summary": "B", "details": {"readFiles": ["r"]}});
        let tree = tree(&[
            ("1", "", user("root")),
            ("2", "1", user("other")),
            ("3", "1", user("this")),
            ("4", "3", answer),
            ("5", "4", result),
            ("6", "5", earlier),
        ]);
        let left = plan_branch_summary(&tree, Some("2"), budget(1000)).unwrap();
        assert_eq!((left.from.as_str(), left.to.as_deref()), ("6", Some("2")));
        assert_eq!(roles(&left), ["user", "assistant", "branchSummary"]);
        assert_eq!((left.files.read(), left.files.changed()), (vec!["r"], vec!["f"]));
        assert_eq!(
            roles(&plan_branch_summary(&tree, Some("4"), budget(1000)).unwrap()),
            ["branchSummary"],
            "back on the same way"
        );
        assert!(plan_branch_summary(&tree, Some("6"), budget(1000)).is_none(), "nothing is left");
    }

    #[test]
    fn branch_summary_takes_newest_part_that_fits() {
        let long = "x".repeat(400);
        let sum = json!({"type": "compaction", "summary": long, "firstKeptEntryId": "2", "tokensBefore": 9});
        let tree = tree(&[
            ("1", "", user("root")),
            ("2", "1", user(&long)),
            ("3", "2", sum),
            ("4", "3", user(&long)),
        ]);
        assert_eq!(
            roles(&plan_branch_summary(&tree, Some("1"), budget(300)).unwrap()),
            ["user", "compactionSummary", "user"]
        );
        assert_eq!(
            roles(&plan_branch_summary(&tree, Some("1"), budget(150)).unwrap()),
            ["compactionSummary", "user"],
            "over a little"
        );
        assert_eq!(
            roles(&plan_branch_summary(&tree, Some("1"), budget(100)).unwrap()),
            ["user"],
            "nine tenths are full"
        );
        assert!(plan_branch_summary(&tree, Some("1"), budget(50)).is_none());
    }
}
