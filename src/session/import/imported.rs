//! A session of another program as it becomes ours: chains of entries that follow each other.
//!
//! Must not know whose session it is.

use std::collections::HashSet;

use serde_json::Value;

use crate::base::json::json;

use crate::base::clock;
use crate::llm::model::Message;
use crate::session::AgentMessage;
use crate::session::format::body::EntryBody;
use crate::session::format::entry::Entry;
use crate::session::format::error::Problem;

/// The type of entries that keep what has no like here.
pub const KEPT: &str = "bowline.imported";

/// What becomes an entry.
#[derive(Debug, Clone)]
pub struct ImportedEntry {
    /// Its id.
    pub id: String,
    /// ISO 8601; empty where the source does not tell.
    pub at: String,
    /// What it says.
    pub body: EntryBody,
}

/// Drafts that follow each other without branches, behind the end of another chain.
#[derive(Debug, Default)]
pub struct Chain {
    /// Which chain it follows; `None` for a root.
    pub parent: Option<usize>,
    /// In order.
    pub drafts: Vec<ImportedEntry>,
    /// Whether an agent of an agent speaks, beside the conversation.
    pub aside: bool,
}

impl Chain {
    /// Whether the user says something in it.
    fn has_words(&self) -> bool {
        let is_user = |draft: &ImportedEntry| {
            matches!(&draft.body, EntryBody::Message { message: AgentMessage::Llm(Message::User(_)) })
        };
        self.drafts.iter().any(is_user)
    }
}

/// A session.
#[derive(Debug, Default)]
pub struct ImportedSession {
    /// Its id in the source.
    pub id: String,
    /// ISO 8601, when it began.
    pub began: String,
    /// Its working folder.
    pub cwd: String,
    /// The file of the session from which it was forked.
    pub parent: Option<String>,
    /// What is in it, children behind their parents.
    pub entries: Vec<Entry>,
    /// What of it could not be read.
    pub problems: Vec<Problem>,
}

impl ImportedSession {
    /// Notes what is wrong with a line.
    pub fn problem(&mut self, line: usize, message: impl Into<String>) {
        self.problems.push(Problem { line, message: message.into() });
    }

    /// Takes the chains as entries: those beside the conversation before its end, so that the leaf is in it, and behind
    /// its first words, which are the title of the session.
    pub fn tell(&mut self, chains: Vec<Chain>) {
        let ends: Vec<Option<String>> = (0..chains.len()).map(|at| end(&chains, at)).collect();
        let mut taken = HashSet::new();
        let mut last = clock::parse_iso8601(&self.began).unwrap_or(0);
        let (aside, mut main): (Vec<_>, Vec<_>) = chains.into_iter().partition(|chain| chain.aside);
        let begun = main.iter().position(Chain::has_words).map_or(0, |at| at + 1);
        let rest = main.split_off(if begun < main.len() { begun } else { 0 });
        for chain in main.into_iter().chain(aside).chain(rest) {
            let mut parent = chain.parent.and_then(|at| ends.get(at).cloned().flatten());
            for ImportedEntry { id, at, body } in chain.drafts {
                // What does not tell its time was there with what came before.
                last = clock::parse_iso8601(&at).unwrap_or(last);
                if !taken.insert(id.clone()) {
                    self.problem(0, format!("second entry {id}; skipped"));
                    // What follows it follows the first one.
                    parent = Some(id);
                    continue;
                }
                match Entry::new(id.clone(), parent.take(), clock::iso8601(last), &body) {
                    Some(entry) => self.entries.push(entry),
                    None => self.problem(0, format!("entry {id} has no type; skipped")),
                }
                parent = Some(id);
            }
        }
    }
}

/// The id with which a chain ends; one without drafts ends where the one before it does.
fn end(chains: &[Chain], mut at: usize) -> Option<String> {
    // None is passed twice, however they hang together.
    for _ in 0..chains.len() {
        let chain = chains.get(at)?;
        if let Some(draft) = chain.drafts.last() {
            return Some(draft.id.clone());
        }
        at = chain.parent?;
    }
    None
}

/// A line that has no like here.
pub fn kept(source: &str, line: &Value) -> EntryBody {
    EntryBody::Custom { custom_type: KEPT.to_string(), data: Some(json!({"from": source, "line": line})) }
}
