//! Projection of a path: the one traversal that decides which entries a model gets, in which order, and with
//! which edits. Both the context and the context report use it, so they cannot differ.
//!
//! Must not know files, tokens or who displays it. Entries that are not sent are not read.

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

/// Which part of an entry a row represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Its own message.
    Own,
    /// The system message of a compaction.
    System,
    /// The summary of a compaction.
    Summary,
}

/// Position of a row relative to the active compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// After it, or there is none.
    Path,
    /// Before it, and kept.
    Kept,
    /// It is the compaction.
    Compaction,
    /// Before it, and summarized: not sent.
    Summarized,
    /// Kept, but superseded: an older compaction or system message. Not sent.
    Superseded,
}

/// One message of a path.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// The entry's index on the path.
    pub at: usize,
    /// Its part.
    pub part: Part,
    /// Its position.
    pub kind: RowKind,
}

/// Replacement content of an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The entry that holds the edit.
    pub entry: String,
    /// `{content}`, or `None` when the entry is excluded.
    pub replacement: Option<Value>,
}

/// The latest edit of each entry that has one.
#[derive(Debug, Default)]
pub struct Edits(HashMap<String, Edit>);

/// The rows of a path as a model gets them.
#[derive(Debug, Default)]
pub struct Projection<'a> {
    /// First the summarized rows, then the sent ones in their order.
    pub rows: Vec<Row<'a>>,
    /// The manual edits.
    pub edits: Edits,
    /// The active compaction.
    pub compaction: Option<&'a Entry>,
    /// Provider and model id of the last answer or model change.
    pub model: Option<(String, String)>,
    /// The last thinking level that was set.
    pub thinking: Option<Thinking>,
}

impl<'a> Projection<'a> {
    /// Projects a path from the root to a leaf. Linear in its length.
    pub fn of(path: &[&'a Entry]) -> Self {
        Self::build(path, true)
    }

    /// The same without summarized rows.
    pub fn of_sent(path: &[&'a Entry]) -> Self {
        Self::build(path, false)
    }

    fn build(path: &[&'a Entry], with_summed_up: bool) -> Self {
        let mut projection = Self::default();
        projection.collect_settings(path);
        let Some(at) = path.iter().rposition(|entry| entry.kind() == "compaction") else {
            projection.add(path, 0..path.len(), RowKind::Path);
            return projection;
        };
        let compaction = path[at];
        projection.compaction = Some(compaction);
        let kept = first_kept_index(path);
        if with_summed_up {
            projection.add(path, 0..kept, RowKind::Summarized);
        }
        for part in [Part::System, Part::Summary] {
            projection.rows.push(Row { entry: compaction, at, part, kind: RowKind::Compaction });
        }
        projection.add(path, kept..at, RowKind::Kept);
        projection.add(path, at + 1..path.len(), RowKind::Path);
        projection
    }

    fn add(&mut self, path: &[&'a Entry], range: Range<usize>, row_kind: RowKind) {
        for at in range {
            let entry = path[at];
            let row_kind = match entry.kind() {
                "compaction" if row_kind == RowKind::Kept => RowKind::Superseded,
                "message" | "custom_message" | "branch_summary" | "compaction" => row_kind,
                _ => continue,
            };
            self.rows.push(Row { entry, at, part: Part::Own, kind: row_kind });
        }
    }

    /// Collects model, thinking level and the latest edit of each target from the whole path. Reads from the
    /// end and stops early where only the latest value matters, so entries before a compaction are not
    /// decoded.
    fn collect_settings(&mut self, path: &[&Entry]) {
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
                "context_edit" => self.edits.add(entry),
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

    /// Returns the message of a row; `None` when it is not sent.
    pub fn message(&self, row: &Row<'_>) -> Option<Arc<AgentMessage>> {
        match row.kind {
            RowKind::Summarized | RowKind::Superseded => None,
            RowKind::Path | RowKind::Kept | RowKind::Compaction => {
                let message = original(row)?;
                // System messages of the kept part precede the compaction, which has its own.
                if row.kind == RowKind::Kept && message.role() == "system" {
                    return None;
                }
                // An edit can only exclude a compaction, not replace it.
                self.edits.apply(row.entry, message)
            }
        }
    }
}

impl Row<'_> {
    /// Whether it is an entry's own message.
    pub fn is_own(&self) -> bool {
        self.part == Part::Own && self.kind != RowKind::Superseded
    }
}

impl Edits {
    /// Collects the edits of a path.
    pub fn of(path: &[&Entry]) -> Self {
        Self::of_latest(path.iter().rev().filter(|entry| entry.kind() == "context_edit").copied())
    }

    /// Collects the edits among entries that are ordered latest first.
    pub(in crate::session) fn of_latest<'a>(changes: impl Iterator<Item = &'a Entry>) -> Self {
        let mut edits = Self::default();
        changes.for_each(|entry| edits.add(entry));
        edits
    }

    /// Adds an edit unless its target has one: paths are read from the end.
    fn add(&mut self, entry: &Entry) {
        if let EntryBody::ContextEdit { target_id, replacement } = entry.body() {
            self.0.entry(target_id).or_insert_with(|| Edit { entry: entry.id().to_string(), replacement });
        }
    }

    /// Returns the edit of an entry.
    pub fn get(&self, id: &str) -> Option<&Edit> {
        self.0.get(id)
    }

    /// Returns an entry's own message with its edit applied.
    pub fn edited_message(&self, entry: &Entry) -> Option<Arc<AgentMessage>> {
        self.apply(entry, message_of(entry)?)
    }

    /// Applies an edit of the entry to a message.
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

/// Returns the index of the first entry that is sent other than as a summary: the first that the last
/// compaction keeps.
pub fn first_kept_index(path: &[&Entry]) -> usize {
    let Some(at) = path.iter().rposition(|entry| entry.kind() == "compaction") else { return 0 };
    let EntryBody::Compaction { first_kept_entry_id: kept, .. } = path[at].body() else { return at };
    path[..at].iter().rposition(|entry| entry.id() == kept).unwrap_or(at)
}

/// Returns the part of a path that determines what is sent at a leaf: steering entries, then everything that
/// the last compaction keeps, with the index where that begins. Entries that the compaction summarizes are
/// not read.
pub fn sent_path(tree: &Tree, leaf: Option<u32>) -> (Vec<&Entry>, usize) {
    let Some(kept) = leaf.filter(|_| tree.is_ordered()).and_then(|leaf| kept_start(tree, leaf)) else {
        let mut path: Vec<&Entry> = tree.ancestors(leaf).map(|at| tree.entry(at)).collect();
        path.reverse();
        let from = first_kept_index(&path);
        return (path, from);
    };
    let mut path: Vec<u32> = tree.ancestors(leaf).take_while(|at| *at >= kept).collect();
    let mut before: Vec<u32> = tree.context_ancestors(kept).collect();
    // Without a model change or a later answer, the model is that of the last answer before the kept part.
    let answer = tree.ancestors(Some(kept)).skip(1).find(|at| tree.role(*at) == Role::Assistant);
    if let Some(answer) = answer {
        before.insert(before.partition_point(|at| *at > answer), answer);
    }
    let from = before.len();
    path.extend(before);
    (path.into_iter().rev().map(|at| tree.entry(at)).collect(), from)
}

/// Returns the index of the first entry kept by the last compaction before a leaf; `None` when there is none.
pub(in crate::session) fn kept_start(tree: &Tree, leaf: u32) -> Option<u32> {
    let mut indices = std::iter::once(leaf).chain(tree.context_ancestors(leaf));
    let compaction = indices.find(|at| tree.kind(*at) == "compaction")?;
    let EntryBody::Compaction { first_kept_entry_id: kept, .. } = tree.entry(compaction).body() else {
        return Some(compaction);
    };
    let kept = tree.index_of(&kept).filter(|kept| *kept < compaction);
    // Indices decrease on the way to the root.
    let on_way =
        |kept: &u32| tree.ancestors(Some(compaction)).take_while(|at| at >= kept).last() == Some(*kept);
    Some(kept.filter(on_way).unwrap_or(compaction))
}

/// Returns a row's message without edits.
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

/// Returns an entry's own message.
pub fn message_of(entry: &Entry) -> Option<Arc<AgentMessage>> {
    match entry.kind() {
        "message" => entry.message_or_decode(|| entry.message()),
        "custom_message" => entry.message_or_decode(|| custom(entry)),
        "branch_summary" => entry.message_or_decode(|| branch_summary(entry)),
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

/// Roles whose content an edit can replace; other messages can only be excluded.
pub const EDITABLE_ROLES: [&str; 4] = ["user", "assistant", "toolResult", "custom"];

/// Returns the message with another content; unchanged if the replacement does not fit.
fn with_content(message: Arc<AgentMessage>, replacement: &Value) -> Arc<AgentMessage> {
    if !EDITABLE_ROLES.contains(&message.role()) {
        return message;
    }
    let Some(content) = replacement.get("content") else { return message };
    let Ok(mut value) = serde_json::to_value(&*message) else { return message };
    value["content"] = content.clone();
    serde_json::from_value(value).map_or(message, Arc::new)
}

/// Whether the name is a placeholder for a program, such as Claude Code's `<synthetic>`: imported sessions
/// hold such messages as answers.
pub(in crate::session) fn is_program(model: &str) -> bool {
    model.starts_with('<') && model.ends_with('>')
}
