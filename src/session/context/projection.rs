//! The one walk from a path to what a model is told: each entry with its place, whether it is told, and what
//! an edit has made of it. The context and the report on it are both made of this, so that they cannot differ.
//!
//! Must not know files, tokens or who shows it. Nothing of what is not told is read.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use crate::base::json::json;

use crate::llm::model::{Message, Thinking};
use crate::session::format::body::EntryBody;
use crate::session::format::entry::Entry;
use crate::session::format::message::AgentMessage;
use crate::session::format::role::Role;
use crate::session::tree::Tree;

/// What of an entry a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What it says by itself.
    Own,
    /// The system message that goes with a compaction.
    System,
    /// The summary of a compaction.
    Summary,
}

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// Behind the compaction that counts, or there is none.
    Path,
    /// Before it, and kept by it.
    Kept,
    /// It is that compaction.
    Compaction,
    /// Before it, and summed up: not told.
    SummedUp,
    /// Kept, but something newer stands for it: an older compaction, a system message. Not told.
    Superseded,
}

/// One thing that a path says.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Whose.
    pub entry: &'a Entry,
    /// The how many-th of the path that is.
    pub at: usize,
    /// What of it.
    pub part: Part,
    /// Where it stands.
    pub place: RowKind,
}

/// Another content for an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The entry that says so.
    pub by: String,
    /// `{content}`, or `None` where the entry is left out.
    pub replacement: Option<Value>,
}

/// The latest edit of each entry that has one.
#[derive(Debug, Default)]
pub struct Edits(HashMap<String, Edit>);

/// A path as a model is told of it.
#[derive(Debug, Default)]
pub struct Projection<'a> {
    /// What is summed up first, then what is told, in the order of telling.
    pub rows: Vec<Row<'a>>,
    /// What was changed by hand or left out.
    pub edits: Edits,
    /// The compaction that counts.
    pub compaction: Option<&'a Entry>,
    /// Provider and model id that answered or were chosen last.
    pub model: Option<(String, String)>,
    /// The level that was chosen last.
    pub thinking: Option<Thinking>,
}

impl<'a> Projection<'a> {
    /// Walks a path from the root to a leaf. Linear in its length.
    pub fn of(path: &[&'a Entry]) -> Self {
        Self::walk(path, true)
    }

    /// The same without what is summed up.
    pub fn told_of(path: &[&'a Entry]) -> Self {
        Self::walk(path, false)
    }

    fn walk(path: &[&'a Entry], with_summed_up: bool) -> Self {
        let mut projection = Self::default();
        projection.scan(path);
        let Some(at) = path.iter().rposition(|entry| entry.kind() == "compaction") else {
            projection.add(path, 0..path.len(), RowKind::Path);
            return projection;
        };
        let compaction = path[at];
        projection.compaction = Some(compaction);
        let kept = kept_from(path);
        if with_summed_up {
            projection.add(path, 0..kept, RowKind::SummedUp);
        }
        for part in [Part::System, Part::Summary] {
            projection.rows.push(Row { entry: compaction, at, part, place: RowKind::Compaction });
        }
        projection.add(path, kept..at, RowKind::Kept);
        projection.add(path, at + 1..path.len(), RowKind::Path);
        projection
    }

    fn add(&mut self, path: &[&'a Entry], range: Range<usize>, place: RowKind) {
        for at in range {
            let entry = path[at];
            let place = match entry.kind() {
                "compaction" if place == RowKind::Kept => RowKind::Superseded,
                "message" | "custom_message" | "branch_summary" | "compaction" => place,
                _ => continue,
            };
            self.rows.push(Row { entry, at, part: Part::Own, place });
        }
    }

    /// Takes model and thinking level from the whole path and collects the edits, the latest of each target.
    /// Reads from the end, and of what only the latest counts not more than that: what a compaction hides
    /// stays where it is.
    fn scan(&mut self, path: &[&Entry]) {
        let mut leveled = false;
        for entry in path.iter().rev() {
            match entry.kind() {
                "model_change" if self.model.is_none() => {
                    if let EntryBody::ModelChange { provider, model_id } = entry.body() {
                        self.model = Some((provider, model_id));
                    }
                }
                "thinking_level_change" if !leveled => {
                    if let EntryBody::ThinkingLevelChange { thinking_level } = entry.body() {
                        (self.thinking, leveled) = (Thinking::parse(&thinking_level), true);
                    }
                }
                "context_edit" => self.edits.take(entry),
                "message" if self.model.is_none() && entry.role() == Role::Assistant => {
                    if let Some(AgentMessage::Llm(Message::Assistant(answer))) = message_of(entry).as_deref()
                        && !is_program(&answer.model)
                    {
                        self.model = Some((answer.provider.clone(), answer.model.clone()));
                    }
                }
                _ => {}
            }
        }
    }

    /// What a model is told of a row; `None` where it is told nothing.
    pub fn told(&self, row: &Row<'_>) -> Option<Arc<AgentMessage>> {
        match row.place {
            RowKind::SummedUp | RowKind::Superseded => None,
            RowKind::Path | RowKind::Kept | RowKind::Compaction => {
                let message = original(row)?;
                // Those of the kept part are from before the compaction, which has its own.
                if row.place == RowKind::Kept && message.role() == "system" {
                    return None;
                }
                // Of a compaction an edit can only take everything away.
                self.edits.apply(row.entry, message)
            }
        }
    }
}

impl Row<'_> {
    /// Whether it is what an entry says by itself.
    pub fn is_own(&self) -> bool {
        self.part == Part::Own && self.place != RowKind::Superseded
    }
}

impl Edits {
    /// Those of a path.
    pub fn of(path: &[&Entry]) -> Self {
        Self::of_latest(path.iter().rev().filter(|entry| entry.kind() == "context_edit").copied())
    }

    /// Those of some entries, the latest first.
    pub(in crate::session) fn of_latest<'a>(changes: impl Iterator<Item = &'a Entry>) -> Self {
        let mut edits = Self::default();
        changes.for_each(|entry| edits.take(entry));
        edits
    }

    /// Takes an edit where there is none yet of its target: a path is read from its end.
    fn take(&mut self, entry: &Entry) {
        if let EntryBody::ContextEdit { target_id, replacement } = entry.body() {
            self.0.entry(target_id).or_insert_with(|| Edit { by: entry.id().to_string(), replacement });
        }
    }

    /// The edit of an entry.
    pub fn get(&self, id: &str) -> Option<&Edit> {
        self.0.get(id)
    }

    /// What an entry contributes by itself, edited where an edit targets it.
    pub fn own(&self, entry: &Entry) -> Option<Arc<AgentMessage>> {
        self.apply(entry, message_of(entry)?)
    }

    /// A message of an entry, edited where an edit targets that.
    pub(in crate::session) fn apply(
        &self,
        entry: &Entry,
        message: Arc<AgentMessage>,
    ) -> Option<Arc<AgentMessage>> {
        match self.0.get(entry.id()).map(|edit| &edit.replacement) {
            None => Some(message),
            Some(None) => None,
            Some(Some(replacement)) => Some(with_content(message, replacement)),
        }
    }
}

/// The first entry of a path of which anything is told but by a summary: that which its last compaction keeps.
pub fn kept_from(path: &[&Entry]) -> usize {
    let Some(at) = path.iter().rposition(|entry| entry.kind() == "compaction") else { return 0 };
    let EntryBody::Compaction { first_kept_entry_id: kept, .. } = path[at].body() else { return at };
    path[..at].iter().rposition(|entry| entry.id() == kept).unwrap_or(at)
}

/// The part of the way to a leaf that has to be known for what is told there: what steers it, then everything from
/// what the last compaction keeps on, which begins at the place that is given as well. What that compaction sums up
/// is not looked at.
pub fn told_path(tree: &Tree, leaf: Option<u32>) -> (Vec<&Entry>, usize) {
    let Some(kept) = leaf.filter(|_| tree.is_ordered()).and_then(|leaf| kept_place(tree, leaf)) else {
        let mut way: Vec<&Entry> = tree.way_back(leaf).map(|at| tree.entry(at)).collect();
        way.reverse();
        let from = kept_from(&way);
        return (way, from);
    };
    let mut way: Vec<u32> = tree.way_back(leaf).take_while(|at| *at >= kept).collect();
    let mut before: Vec<u32> = tree.steering(kept).collect();
    // Who answered last is the model of a conversation in which nobody has answered or chosen since.
    let answer = tree.way_back(Some(kept)).skip(1).find(|at| tree.role(*at) == Role::Assistant);
    if let Some(answer) = answer {
        before.insert(before.partition_point(|at| *at > answer), answer);
    }
    let from = before.len();
    way.extend(before);
    (way.into_iter().rev().map(|at| tree.entry(at)).collect(), from)
}

/// Where that begins which the last compaction on the way to a leaf keeps; `None` where there is none.
pub(in crate::session) fn kept_place(tree: &Tree, leaf: u32) -> Option<u32> {
    let mut ways = std::iter::once(leaf).chain(tree.steering(leaf));
    let compaction = ways.find(|at| tree.kind(*at) == "compaction")?;
    let EntryBody::Compaction { first_kept_entry_id: kept, .. } = tree.entry(compaction).body() else {
        return Some(compaction);
    };
    let kept = tree.index_of(&kept).filter(|kept| *kept < compaction);
    // On the way back every place is before the last one.
    let on_way =
        |kept: &u32| tree.way_back(Some(compaction)).take_while(|at| at >= kept).last() == Some(*kept);
    Some(kept.filter(on_way).unwrap_or(compaction))
}

/// What a row says, without a thought for edits.
pub fn original(row: &Row<'_>) -> Option<Arc<AgentMessage>> {
    match row.part {
        Part::Own => message_of(row.entry),
        Part::System => match row.entry.body() {
            EntryBody::Compaction { system_message, .. } => {
                system_message.map(|value| Arc::new(AgentMessage::Other(value)))
            }
            _ => None,
        },
        Part::Summary => summary(row.entry).map(Arc::new),
    }
}

/// The message that an entry contributes by itself.
pub fn message_of(entry: &Entry) -> Option<Arc<AgentMessage>> {
    match entry.kind() {
        "message" => entry.message_or(|| entry.message()),
        "custom_message" => entry.message_or(|| custom(entry)),
        "branch_summary" => entry.message_or(|| branch_summary(entry)),
        _ => None,
    }
}

fn summary(entry: &Entry) -> Option<AgentMessage> {
    let EntryBody::Compaction { summary, tokens_before, .. } = entry.body() else { return None };
    Some(AgentMessage::Other(json!({
        "role": "compactionSummary",
        "summary": summary,
        "tokensBefore": tokens_before,
        "timestamp": entry.time_ms(),
    })))
}

fn custom(entry: &Entry) -> Option<AgentMessage> {
    let EntryBody::CustomMessage { custom_type, content, display, details } = entry.body() else {
        return None;
    };
    let content = if content.is_null() { json!([]) } else { content };
    let mut value =
        json!({"role": "custom", "customType": custom_type, "content": content, "display": display});
    if let Some(details) = details {
        value["details"] = details;
    }
    value["timestamp"] = json!(entry.time_ms());
    Some(AgentMessage::Other(value))
}

fn branch_summary(entry: &Entry) -> Option<AgentMessage> {
    let EntryBody::BranchSummary { from_id, summary, .. } = entry.body() else { return None };
    (!summary.is_empty()).then(|| {
        AgentMessage::Other(json!({
            "role": "branchSummary",
            "summary": summary,
            "fromId": from_id,
            "timestamp": entry.time_ms(),
        }))
    })
}

/// The roles to which an edit can give another content; of everything else it can only take the message out.
pub const EDITED: [&str; 4] = ["user", "assistant", "toolResult", "custom"];

/// The message with another content; as it was when the replacement has none that fits.
fn with_content(message: Arc<AgentMessage>, replacement: &Value) -> Arc<AgentMessage> {
    if !EDITED.contains(&message.role()) {
        return message;
    }
    let Some(content) = replacement.get("content") else { return message };
    let Ok(mut value) = serde_json::to_value(&*message) else { return message };
    value["content"] = content.clone();
    serde_json::from_value(value).map_or(message, Arc::new)
}

/// Whether a program wrote in the place of a model, as Claude Code does as `<synthetic>`: sessions that were imported
/// hold that as answers.
pub(in crate::session) fn is_program(model: &str) -> bool {
    model.starts_with('<') && model.ends_with('>')
}
