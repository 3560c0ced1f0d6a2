//! Plan of a compaction: which messages of a path it summarizes and which it keeps. Pure.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::budget::Budget;
use super::cut::{self, Kind, Piece};
use super::estimate;
use super::files::{self, Files};
use crate::llm::model::Message;
use crate::session::{
    AgentMessage, Entry, EntryBody,
    context::{messages, pins},
};

/// A planned compaction.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CompactionPlan {
    /// The first entry of the kept part.
    pub first_kept: String,
    /// The messages of complete turns that are summarized.
    pub history: Vec<Arc<AgentMessage>>,
    /// The first part of a turn whose end is kept; empty when no turn is cut.
    pub prefix: Vec<Arc<AgentMessage>>,
    /// The previous summary, which is updated.
    pub previous: Option<String>,
    /// The files of the summarized part.
    #[doc(hidden)]
    pub files: Files,
    /// Tokens of pinned messages in the summarized part: they are also sent verbatim, after the summary.
    pub pinned: u64,
    /// Tokens of the context before the compaction.
    pub tokens_before: u64,
    /// The budget that it was computed for.
    #[doc(hidden)]
    pub budget: Budget,
    /// The entries before which the path can be cut without separating a result from its call.
    pub cut_points: Vec<String>,
}

impl CompactionPlan {
    /// Returns the tokens that the compaction removes from the context.
    pub fn removed_tokens(&self) -> u64 {
        let all: u64 =
            self.history.iter().chain(&self.prefix).map(|message| estimate::of_agent_message(message)).sum();
        all.saturating_sub(self.pinned)
    }
}

/// Returns the compaction for a path whose context has this many tokens; `None` when there is nothing to
/// summarize.
pub fn plan_compaction(path: &[&Entry], budget: Budget, tokens_before: u64) -> Option<CompactionPlan> {
    let last = path.iter().rposition(|entry| entry.kind() == "compaction");
    let earlier = last.map(|at| PreviousCompaction::read(path, at)).unwrap_or_default();
    let edited = messages::edited_messages(path, earlier.from);
    let after = last.map_or(0, |at| at - earlier.from.min(at));
    let entries = &path[earlier.from..];
    let pinned = Pinned::of(path, entries);
    if (after..edited.len()).all(|at| edited[at].is_none() || pinned.copies[at].is_some()) {
        return None;
    }
    let pieces = pieces(entries, &edited, &pinned);
    let cut = cut::find_cut(&pieces, budget.keep)?;
    // Messages that are carried over verbatim are not summarized again.
    let messages = |range: std::ops::Range<usize>| {
        range.filter(|at| !pinned.is_pinned_copy(*at)).filter_map(|at| edited[at].clone()).collect::<Vec<_>>()
    };
    let history = messages(0..cut.turn.unwrap_or(cut.kept));
    let prefix = messages(cut.turn.unwrap_or(cut.kept)..cut.kept);
    if history.is_empty() && prefix.is_empty() {
        return None;
    }
    let mut files = Files::default();
    files.add_details(earlier.details.as_ref());
    history.iter().chain(&prefix).for_each(|message| files.add_message(message));
    let cut_ids = cut::cut_points(&pieces).into_iter().map(|at| entries[at].id().to_string());
    Some(CompactionPlan {
        first_kept: entries[cut.kept].id().to_string(),
        history,
        prefix,
        previous: earlier.summary,
        files,
        pinned: (0..cut.kept).filter(|at| pinned.originals[*at]).map(|at| pieces[at].tokens).sum(),
        tokens_before,
        budget,
        cut_points: cut_ids.collect(),
    })
}

/// The state that the previous compaction passes to the next.
#[derive(Default)]
struct PreviousCompaction {
    /// Index of its first kept entry.
    from: usize,
    summary: Option<String>,
    /// The file lists, if they are in bowline's or pi's format.
    details: Option<Value>,
}

impl PreviousCompaction {
    fn read(path: &[&Entry], at: usize) -> Self {
        let EntryBody::Compaction { summary, first_kept_entry_id, details, from_hook, .. } = path[at].body()
        else {
            return Self { from: at + 1, ..Self::default() };
        };
        let kept = path[..at].iter().position(|entry| entry.id() == first_kept_entry_id);
        let summary = files::strip_lists(&summary).to_string();
        Self {
            from: kept.unwrap_or(at + 1),
            summary: Some(summary),
            details: details.filter(|_| from_hook != Some(true)),
        }
    }
}

/// The pinned entries.
struct Pinned {
    /// For each entry the original that it copies.
    copies: Vec<Option<String>>,
    /// For each entry whether it is pinned itself.
    originals: Vec<bool>,
    pins: HashSet<String>,
}

impl Pinned {
    fn of(path: &[&Entry], entries: &[&Entry]) -> Self {
        let pins = pins::pinned_ids(path);
        Self {
            copies: entries.iter().map(|entry| pins::origin(entry)).collect(),
            originals: entries.iter().map(|entry| pins.contains(entry.id())).collect(),
            pins,
        }
    }

    /// Whether an entry is a copy of an entry that is still pinned.
    fn is_pinned_copy(&self, at: usize) -> bool {
        self.copies[at].as_ref().is_some_and(|origin| self.pins.contains(origin))
    }
}

fn pieces(entries: &[&Entry], messages: &[Option<Arc<AgentMessage>>], pinned: &Pinned) -> Vec<Piece> {
    let mut calls: HashMap<String, usize> = HashMap::new();
    let piece = |(index, (entry, message)): (usize, (&&Entry, &Option<Arc<AgentMessage>>))| {
        if entry.kind() == "compaction" {
            return Piece { kind: Kind::Boundary, tokens: 0 };
        }
        let Some(message) = message else { return Piece { kind: Kind::OutOfContext, tokens: 0 } };
        let kind = match &**message {
            AgentMessage::Llm(Message::User(_)) => Kind::TurnStart,
            AgentMessage::Llm(Message::Assistant(answer)) => {
                calls.extend(answer.tool_calls().map(|call| (call.id.clone(), index)));
                Kind::Answer
            }
            AgentMessage::Llm(Message::ToolResult(result)) => {
                Kind::Result(calls.get(&result.tool_call_id).copied())
            }
            // A copy of an older entry that is carried over does not start a turn.
            AgentMessage::Other(_) if pinned.is_pinned_copy(index) => Kind::OutOfContext,
            AgentMessage::Other(_) => match message.role() {
                "bashExecution" | "custom" | "branchSummary" => Kind::TurnStart,
                _ => Kind::OutOfContext,
            },
        };
        Piece { kind, tokens: estimate::of_agent_message(message) }
    };
    entries.iter().zip(messages).enumerate().map(piece).collect()
}

#[cfg(test)]
mod tests;
