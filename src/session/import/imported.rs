//! A session of another program while it is converted: chains of consecutive entries.
//!
//! Must not know the source program.

use std::collections::HashSet;

use serde_json::Value;

use crate::base::json::json;

use crate::base::clock;
use crate::llm::model::Message;
use crate::session::AgentMessage;
use crate::session::format::body::EntryBody;
use crate::session::format::entry::Entry;
use crate::session::format::error::Problem;

/// Type of entries that preserve lines without an equivalent.
pub const PRESERVED_TYPE: &str = "bowline.imported";

/// A future entry.
#[derive(Debug, Clone)]
pub struct ImportedEntry {
    /// Its id.
    pub id: String,
    /// Time in ISO 8601; empty when the source has none.
    pub at: String,
    /// Its content.
    pub body: EntryBody,
}

/// Consecutive entries without branches, after the end of another chain.
#[derive(Debug, Default)]
pub struct Chain {
    /// Index of the parent chain; `None` for a root.
    pub parent: Option<usize>,
    /// The entries in order.
    pub entries: Vec<ImportedEntry>,
    /// Whether it belongs to a subagent, not to the main conversation.
    pub is_subagent: bool,
}

impl Chain {
    /// Whether it has a user message.
    fn has_user_message(&self) -> bool {
        let is_user = |draft: &ImportedEntry| {
            matches!(&draft.body, EntryBody::Message { message: AgentMessage::Llm(Message::User(_)) })
        };
        self.entries.iter().any(is_user)
    }
}

/// An imported session.
#[derive(Debug, Default)]
pub struct ImportedSession {
    /// Its id in the source program.
    pub id: String,
    /// Start time in ISO 8601.
    pub started_at: String,
    /// Its working folder.
    pub cwd: String,
    /// The file of the session from which it was forked.
    pub parent: Option<String>,
    /// The entries, parents before children.
    pub entries: Vec<Entry>,
    /// Lines that could not be read.
    pub problems: Vec<Problem>,
}

impl ImportedSession {
    /// Records a problem of a line.
    pub fn add_problem(&mut self, line: usize, message: impl Into<String>) {
        self.problems.push(Problem { line, message: message.into() });
    }

    /// Converts the chains to entries. Subagents' chains are placed after the first user message, which is
    /// the session's title, and before the end of the main conversation, so that the leaf is in the main
    /// conversation.
    pub fn add_chains(&mut self, chains: Vec<Chain>) {
        let ends: Vec<Option<String>> = (0..chains.len()).map(|at| last_id(&chains, at)).collect();
        let mut taken = HashSet::new();
        let mut last = clock::parse_iso8601(&self.started_at).unwrap_or(0);
        let (aside, mut main): (Vec<_>, Vec<_>) = chains.into_iter().partition(|chain| chain.is_subagent);
        let begun = main.iter().position(Chain::has_user_message).map_or(0, |at| at + 1);
        let rest = main.split_off(if begun < main.len() { begun } else { 0 });
        for chain in main.into_iter().chain(aside).chain(rest) {
            let mut parent = chain.parent.and_then(|at| ends.get(at).cloned().flatten());
            for ImportedEntry { id, at, body } in chain.entries {
                // An entry without a time gets that of the entry before it.
                last = clock::parse_iso8601(&at).unwrap_or(last);
                if !taken.insert(id.clone()) {
                    self.add_problem(0, format!("second entry {id}; skipped"));
                    // The next entry follows the first one.
                    parent = Some(id);
                    continue;
                }
                match Entry::new(id.clone(), parent.take(), clock::iso8601(last), &body) {
                    Some(entry) => self.entries.push(entry),
                    None => self.add_problem(0, format!("entry {id} has no type; skipped")),
                }
                parent = Some(id);
            }
        }
    }
}

/// Returns the last id of a chain; an empty chain ends where its parent does.
fn last_id(chains: &[Chain], mut at: usize) -> Option<String> {
    // The bound stops at cycles.
    for _ in 0..chains.len() {
        let chain = chains.get(at)?;
        if let Some(draft) = chain.entries.last() {
            return Some(draft.id.clone());
        }
        at = chain.parent?;
    }
    None
}

/// Returns an entry for a line without an equivalent.
pub fn preserved_entry(source: &str, line: &Value) -> EntryBody {
    EntryBody::Custom {
        custom_type: PRESERVED_TYPE.to_string(),
        data: Some(json!({"from": source, "line": line})),
    }
}
