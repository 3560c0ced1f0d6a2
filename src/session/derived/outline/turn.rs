//! One turn of a conversation: a user message and everything up to the next one.
//!
//! Must not know rows, nor how it is displayed. Linear in the length of the path from the root to the turn.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::llm::model::{AssistantMessage, Message, ToolResultMessage};
use crate::session::derived::export::blocks;
use crate::session::restore::checkpoints;
use crate::session::usage::summary::UsageSummary;
use crate::session::{AgentMessage, Entry, EntryBody, Role, Tree};

/// Maximum characters of a text.
const TEXT_MAX: usize = 4_000;
/// Maximum number of files in the list.
const FILES_MAX: usize = 200;
/// Maximum bytes of the diff of a file.
const DIFF_MAX: usize = 16 << 10;
/// Argument names that tools use for a file path.
const PATH_ARGUMENTS: [&str; 4] = ["path", "file_path", "filePath", "notebook_path"];

/// One turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turn {
    /// Its number from 1; 0 before the first user message.
    pub number: u32,
    /// Time of the queried entry, in milliseconds since the epoch.
    pub time_ms: u64,
    /// Full text of the entry.
    pub text: String,
    /// Full text of the turn's last answer; empty when that is the entry itself.
    pub answer: String,
    /// The models that answered: `provider/id`, without duplicates.
    pub models: Vec<String>,
    /// Usage of the turn.
    pub usage: UsageSummary,
    /// Number of tool calls with a result.
    pub calls: u32,
    /// Whether a state of the files was recorded for the entry, so that they can be restored to it.
    pub has_state: bool,
    /// Changed files, in the order of their first change.
    pub files: Vec<ChangedFile>,
}

/// A file that a turn changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedFile {
    /// The path as the model wrote it.
    pub path: String,
    /// Lines.
    pub added: u64,
    /// Lines.
    pub removed: u64,
    /// The changed lines of its calls in order, each after its sign `+`, `-` or space; up to a limit.
    pub diff: String,
}

/// What a turn did, in numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnSummary {
    /// Number of changed files.
    pub files: usize,
    /// The model of its last answer: its id, without the provider.
    pub model: Option<String>,
    /// In dollars.
    pub cost: f64,
}

/// Returns the summaries of the turns of these messages of the user; other entries are skipped.
pub fn summaries(tree: &Tree, ids: &[String]) -> Vec<(String, TurnSummary)> {
    let active = active(tree);
    let turns = ids.iter().filter_map(|id| tree.get(id)).filter(|entry| entry.role() == Role::User);
    let summary = |entry: &Entry| {
        let (mut turn, mut calls) = (Turn::default(), HashMap::new());
        for part in later_entries(tree, entry, &active) {
            turn.add_entry(part, entry.id(), &mut calls);
        }
        let model = turn.models.last().and_then(|model| model.split_once('/')).map(|(_, id)| id.to_string());
        (entry.id().to_string(), TurnSummary { files: turn.files.len(), model, cost: turn.usage.cost })
    };
    turns.map(summary).collect()
}

/// Returns the turn of an entry; `None` when there is no such entry.
pub fn turn_of(tree: &Tree, id: &str) -> Option<Turn> {
    let entry = tree.get(id)?;
    let ancestors: Vec<u32> = tree.ancestors(tree.index_of(id)).collect();
    let is_user = |at: &&u32| tree.role(**at) == Role::User;
    let number = ancestors.iter().filter(is_user).count() as u32;
    let begins = ancestors.iter().position(|at| is_user(&at)).map_or(ancestors.len(), |n| n + 1);
    let path = ancestors[..begins].iter().rev().map(|at| tree.entry(*at));
    let has_state = checkpoints::at_entry(tree, id).is_some();
    let (time_ms, text) = (entry.time_ms(), entry_text(entry));
    let mut turn = Turn { number, time_ms, text, has_state, ..Turn::default() };
    let mut calls = HashMap::new();
    for part in path.chain(later_entries(tree, entry, &active(tree))) {
        turn.add_entry(part, id, &mut calls);
    }
    Some(turn)
}

/// Returns the last entry of the turn of a user's message; any other entry is returned as it is.
pub fn end_of_turn(tree: &Tree, id: &str) -> Option<String> {
    let entry = tree.get(id)?;
    let later =
        if entry.role() == Role::User { later_entries(tree, entry, &active(tree)) } else { Vec::new() };
    Some(later.last().map_or(entry.id(), |last| last.id()).to_string())
}

/// Returns the entries of the path to the leaf.
fn active(tree: &Tree) -> HashSet<u32> {
    tree.ancestors(tree.leaf_index()).collect()
}

/// Returns the later entries of the turn. At a fork it follows the active branch, else the latest.
fn later_entries<'a>(tree: &'a Tree, entry: &'a Entry, active: &HashSet<u32>) -> Vec<&'a Entry> {
    let mut rest = Vec::new();
    let mut at = entry;
    while rest.len() < tree.len() {
        let next = tree.children(Some(at.id()));
        let on = next
            .iter()
            .find(|child| tree.index_of(child.id()).is_some_and(|at| active.contains(&at)))
            .or(next.last());
        match on {
            Some(next) if next.role() != Role::User => rest.push(*next),
            _ => break,
        }
        at = rest[rest.len() - 1];
    }
    rest
}

impl Turn {
    fn add_entry(&mut self, entry: &Entry, prompt_id: &str, calls: &mut HashMap<String, String>) {
        let EntryBody::Message { message: AgentMessage::Llm(message) } = entry.body() else { return };
        match message {
            Message::Assistant(answer) => {
                self.add_answer(&answer, calls);
                let text = answer.text();
                if entry.id() != prompt_id && !text.trim().is_empty() {
                    self.answer = text.chars().take(TEXT_MAX).collect();
                }
            }
            Message::ToolResult(result) => {
                self.calls += 1;
                self.count_changes(&result, calls.get(&result.tool_call_id));
            }
            Message::User(_) => {}
        }
    }

    fn add_answer(&mut self, answer: &AssistantMessage, calls: &mut HashMap<String, String>) {
        self.usage += (&answer.usage).into();
        let model = format!("{}/{}", answer.provider, answer.model);
        if !self.models.contains(&model) {
            self.models.push(model);
        }
        for call in answer.tool_calls() {
            if let Some(path) = PATH_ARGUMENTS.iter().find_map(|name| call.arguments.get(name)?.as_str()) {
                calls.insert(call.id.clone(), path.to_string());
            }
        }
    }

    /// Counts the lines of a result that has a diff in its details: of one file, or of several.
    fn count_changes(&mut self, result: &ToolResultMessage, path: Option<&String>) {
        let Some(details) = &result.details else { return };
        match details.get("files").and_then(Value::as_array) {
            Some(files) => files.iter().for_each(|file| self.count_file(file, None)),
            None => self.count_file(details, path),
        }
    }

    fn count_file(&mut self, details: &Value, path: Option<&String>) {
        let named = PATH_ARGUMENTS.iter().find_map(|name| details.get(name)?.as_str());
        let Some(path) = named.or(path.map(String::as_str)) else { return };
        let diff = details.get("diff").and_then(Value::as_str);
        let lines = |name: &str, sign: char| {
            let counted = details.get(name).and_then(Value::as_u64);
            counted.or_else(|| Some(diff?.lines().filter(|line| line.starts_with(sign)).count() as u64))
        };
        let (Some(added), Some(removed)) = (lines("added", '+'), lines("removed", '-')) else { return };
        let known = match self.files.iter().position(|file| file.path == path) {
            Some(known) => known,
            None if self.files.len() < FILES_MAX => {
                self.files.push(ChangedFile { path: path.to_string(), ..ChangedFile::default() });
                self.files.len() - 1
            }
            None => return,
        };
        let known = &mut self.files[known];
        known.added += added;
        known.removed += removed;
        for line in diff.unwrap_or_default().lines() {
            if known.diff.len() + line.len() > DIFF_MAX {
                break;
            }
            known.diff.push_str(line);
            known.diff.push('\n');
        }
    }
}

/// Returns the full text of an entry.
fn entry_text(entry: &Entry) -> String {
    let Some(block) = blocks::of_entry(entry) else { return super::entry_line::of_entry(entry) };
    block.to_text().chars().take(TEXT_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn tree(rows: &[(&str, &str, Value)]) -> Tree {
        let mut tree = Tree::default();
        for (id, parent, message) in rows {
            let parent = if parent.is_empty() { Value::Null } else { json!(parent) };
            let line = json!({"type": "message", "id": id, "parentId": parent, "timestamp": "1970-01-01T00:00:01.000Z", "message": message});
            tree.push(Entry::parse(&line.to_string()).unwrap()).unwrap();
        }
        tree
    }

    fn answer(text: &str, call: Option<Value>, cost: f64) -> Value {
        let mut content = vec![json!({"type": "text", "text": text})];
        content.extend(call);
        json!({"role": "assistant", "content": content, "api": "a", "provider": "p", "model": "m", "stopReason": "stop",
            "usage": {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": cost}}})
    }

    fn result(id: &str, details: &Value) -> Value {
        json!({"role": "toolResult", "toolCallId": id, "toolName": "edit", "content": "ok", "details": details, "isError": false})
    }

    #[test]
    fn outline_turn_lists_answer_files_and_usage() {
        let call = json!({"type": "toolCall", "id": "1", "name": "edit", "arguments": {"path": "src/a.rs"}});
        let edit = json!({"diff": "+ 1 new\n- 2 old\n+ 3 more", "firstChangedLine": 1});
        let patch = json!({"files": [{"path": "src/a.rs", "added": 1, "removed": 4}, {"path": "b", "added": 0, "removed": 1}]});
        let tree = tree(&[
            ("a", "", json!({"role": "user", "content": "one"})),
            ("b", "a", answer("", Some(call), 0.5)),
            ("c", "b", result("1", &edit)),
            ("d", "c", result("2", &patch)),
            ("e", "d", answer("done", None, 0.25)),
            ("f", "e", json!({"role": "user", "content": "two"})),
            ("g", "f", answer("other", None, 4.0)),
            ("h", "c", answer("another way", None, 8.0)),
        ]);
        let turn = turn_of(&tree, "a").unwrap();
        assert_eq!((turn.number, &*turn.text, &*turn.answer), (1, "one", "another way"));
        assert_eq!((turn.calls, turn.usage.cost, turn.models.len()), (1, 8.5, 1));
        let turn = turn_of(&tree, "e").unwrap();
        assert_eq!((turn.number, &*turn.text, &*turn.answer), (1, "done", ""));
        assert_eq!((turn.calls, turn.usage.cost), (2, 0.75));
        let changed = |path: &str, added, removed, diff: &str| ChangedFile {
            path: path.into(),
            added,
            removed,
            diff: diff.into(),
        };
        let lines = "+ 1 new\n- 2 old\n+ 3 more\n";
        assert_eq!(turn.files, [changed("src/a.rs", 3, 5, lines), changed("b", 0, 1, "")]);
        assert_eq!(turn_of(&tree, "g").unwrap().number, 2);
        let summaries = summaries(&tree, &["a", "b", "f", "z"].map(String::from));
        let summary = |files, cost| TurnSummary { files, model: Some("m".into()), cost };
        // Without the active branch, the latest answer counts.
        assert_eq!(summaries, [("a".into(), summary(1, 8.5)), ("f".into(), summary(0, 4.0))]);
        assert!(turn_of(&tree, "z").is_none());
    }
}
