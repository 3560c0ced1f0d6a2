//! Pages of a conversation, the last one first: decodes only the requested part of a long one.
//!
//! Must not know files. All pages of a conversation, concatenated, are the messages of its context
//! ([`crate::session::context::messages::build`]).

use std::sync::Arc;

use crate::llm::model::{Message, Thinking};
use crate::session::context::messages::SessionContext;
use crate::session::context::projection::{self, Edits, Part, Row, RowKind};
use crate::session::format::body::EntryBody;
use crate::session::format::entry::Entry;
use crate::session::format::message::{AgentMessage, MessagePage, PagePosition};
use crate::session::format::role::Role;
use crate::session::tree::Tree;

/// Size of a page: it ends with the message that reaches one of these limits, and the messages that belong to
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimit {
    /// Number of messages.
    pub messages: usize,
    /// Bytes of their lines in the file.
    pub bytes: u64,
}

/// Model and thinking level of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelChoice {
    /// Provider and model id of the last answer or model change.
    pub model: Option<(String, String)>,
    /// The last thinking level that was set.
    pub thinking: Option<Thinking>,
}

impl From<&SessionContext> for ModelChoice {
    fn from(context: &SessionContext) -> Self {
        Self { model: context.model.clone(), thinking: context.thinking }
    }
}

/// The path to a leaf, read from its end, in a tree where every entry follows its parent in the file.
struct PathFromEnd<'t> {
    tree: &'t Tree,
    edits: Edits,
    /// Index of the active compaction, and of the first entry that it keeps.
    compaction: Option<(u32, u32)>,
}

impl<'t> PathFromEnd<'t> {
    fn new(tree: &'t Tree, leaf: u32) -> Self {
        let steering = || std::iter::once(leaf).chain(tree.context_ancestors(leaf));
        let changes = steering().filter(|at| tree.kind(*at) == "context_edit");
        let edits = Edits::of_latest(changes.map(|at| tree.entry(at)));
        let compaction = steering().find(|at| tree.kind(*at) == "compaction");
        let kept = compaction.and_then(|_| projection::kept_start(tree, leaf));
        Self { tree, edits, compaction: compaction.zip(kept) }
    }

    /// Returns the indices of the entries that the model gets, backward from one of them.
    fn backward_from(&self, at: Option<u32>) -> impl Iterator<Item = u32> {
        let kept = self.compaction.map_or(0, |(_, kept)| kept);
        self.tree.ancestors(at).take_while(move |at| *at >= kept)
    }

    /// Returns the message of the entry at an index as the model gets it. Decodes that entry without caching
    /// it.
    fn message(&self, at: u32) -> Option<Arc<AgentMessage>> {
        let (kind, _) = self.tree.kind_and_role(at);
        if !matches!(kind, "message" | "custom_message" | "branch_summary") {
            return None;
        }
        let entry = self.tree.entry(at);
        let known = entry.is_decoded();
        let message = self.edits.edited_message(entry);
        if !known {
            entry.drop_cached_message();
        }
        let is_kept = self.compaction.is_some_and(|(compaction, _)| at < compaction);
        message.filter(|message| !is_kept || message.role() != "system")
    }

    /// Returns the messages of the compaction, in the order in which the model gets them.
    fn compaction_messages(&self) -> impl Iterator<Item = Arc<AgentMessage>> {
        let compaction = self.compaction.map(|(at, _)| self.tree.entry(at));
        let message = |part| {
            let entry = compaction?;
            let row = Row { entry, at: 0, part, kind: RowKind::Compaction };
            self.edits.apply(entry, projection::original(&row)?)
        };
        [message(Part::System), message(Part::Summary)].into_iter().flatten()
    }
}

/// Returns the last page of the conversation at a leaf.
pub(in crate::session) fn last_page(tree: &Tree, leaf: u32, bound: PageLimit) -> MessagePage {
    page(tree, leaf, Some(leaf), bound)
}

/// Returns the page before another one; empty when that belongs to another tree.
pub(in crate::session) fn page_before(tree: &Tree, earlier: &PagePosition, bound: PageLimit) -> MessagePage {
    let indices = tree.index_of(&earlier.leaf).zip(tree.index_of(&earlier.first));
    indices
        .map_or_else(MessagePage::default, |(leaf, first)| page(tree, leaf, tree.parent_index(first), bound))
}

fn page(tree: &Tree, leaf: u32, from: Option<u32>, bound: PageLimit) -> MessagePage {
    let path = PathFromEnd::new(tree, leaf);
    let mut piece = MessagePage::default();
    let mut bytes = 0;
    for at in path.backward_from(from) {
        let Some(message) = path.message(at) else { continue };
        piece.messages.push(message);
        bytes += u64::from(tree.line_bytes(at));
        let is_full = piece.messages.len() >= bound.messages || bytes >= bound.bytes;
        // The result of a call stays with the answer that made the call.
        if is_full && tree.role(at) != Role::Tool {
            let id = |at| tree.entry(at).id().to_string();
            piece.earlier = Some(PagePosition { leaf: id(leaf), first: id(at) });
            break;
        }
    }
    piece.messages.reverse();
    if piece.earlier.is_none() {
        piece.messages.splice(0..0, path.compaction_messages());
    }
    piece
}

/// Returns the user's messages before a page, oldest first: the latest within these limits.
pub(in crate::session) fn user_messages_before(
    tree: &Tree,
    earlier: &PagePosition,
    bound: PageLimit,
) -> Vec<Arc<AgentMessage>> {
    let Some((leaf, first)) = tree.index_of(&earlier.leaf).zip(tree.index_of(&earlier.first)) else {
        return Vec::new();
    };
    let path = PathFromEnd::new(tree, leaf);
    let indices = path.backward_from(tree.parent_index(first)).filter(|at| tree.role(*at) == Role::User);
    let messages = indices.filter_map(|at| Some((at, path.message(at)?))).take(bound.messages);
    let mut bytes = 0;
    let within = messages.take_while(|(at, _)| {
        bytes += u64::from(tree.line_bytes(*at));
        bytes <= bound.bytes
    });
    let mut messages: Vec<Arc<AgentMessage>> = within.map(|(_, message)| message).collect();
    messages.reverse();
    messages
}

/// Returns the number of messages of the conversation at a leaf. `known` is the number at another leaf: if
/// that is an ancestor and no later entry changes its messages, only later entries are read.
pub(in crate::session) fn count_messages(tree: &Tree, leaf: u32, known: Option<(u32, usize)>) -> usize {
    let path = PathFromEnd::new(tree, leaf);
    let (mut count, mut known) = (0, known);
    for at in path.backward_from(Some(leaf)) {
        if let Some((_, before)) = known.filter(|(leaf, _)| *leaf == at) {
            return before + count;
        }
        known = known.filter(|_| !changes_context(tree, at));
        count += usize::from(path.message(at).is_some());
    }
    count + path.compaction_messages().count()
}

/// Whether an entry changes which earlier messages the model gets.
fn changes_context(tree: &Tree, at: u32) -> bool {
    matches!(tree.kind(at), "compaction" | "context_edit")
}

/// Searches the messages since the last compaction or edit, latest first.
pub(in crate::session) fn find_latest<T>(
    tree: &Tree,
    leaf: u32,
    mut find: impl FnMut(&AgentMessage) -> Option<T>,
) -> Option<T> {
    let path = PathFromEnd::new(tree, leaf);
    path.backward_from(Some(leaf))
        .take_while(|at| !changes_context(tree, *at))
        .find_map(|at| find(&*path.message(at)?))
}

/// Returns model and thinking level at a leaf.
pub(in crate::session) fn model_choice(tree: &Tree, leaf: u32) -> ModelChoice {
    let steering = || std::iter::once(leaf).chain(tree.context_ancestors(leaf));
    let of_kind = |kind: &'static str| steering().filter(move |at| tree.kind(*at) == kind);
    let level = of_kind("thinking_level_change").find_map(|at| match tree.entry(at).body() {
        EntryBody::ThinkingLevelChange { thinking_level } => Some(Thinking::parse(&thinking_level)),
        _ => None,
    });
    let changed = of_kind("model_change").find_map(|at| match tree.entry(at).body() {
        EntryBody::ModelChange { provider, model_id } => Some((at, (provider, model_id))),
        _ => None,
    });
    let since = changed.as_ref().map_or(0, |(at, _)| *at);
    let mut answers = tree
        .ancestors(Some(leaf))
        .take_while(|at| *at >= since)
        .filter(|at| tree.role(*at) == Role::Assistant);
    let answered = answers.find_map(|at| answer_model(tree.entry(at)));
    ModelChoice { model: answered.or_else(|| changed.map(|(_, model)| model)), thinking: level.flatten() }
}

/// Returns the model of an answer.
fn answer_model(entry: &Entry) -> Option<(String, String)> {
    match entry.message() {
        Some(AgentMessage::Llm(Message::Assistant(answer))) if !projection::is_program(&answer.model) => {
            Some((answer.provider, answer.model))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
