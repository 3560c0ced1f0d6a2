//! Context report: every part of the next request with its tokens, its origin, and why it is included. Plain
//! data, from the same traversal as the conversation itself.
//!
//! Must not know who displays it. Tokens are estimated as pi does; the provider's count is listed beside the
//! estimate.

use std::sync::Arc;

use serde_json::Value;

use crate::base::json::json;

use crate::agent::compaction::estimate;
use crate::agent::prompt::{tokens, tool_tokens};
use crate::agent::request::history;
use crate::llm::model::{AssistantMessage, Message, Model, StopReason};
use crate::runtime::agent_setup::prompt_report::PromptReport;
use crate::session::context::projection::{EDITABLE_ROLES, Part, Projection, Row, RowKind, original};
use crate::session::derived::outline::entry_line;
use crate::session::{
    Entry,
    context::{messages, pins},
};

/// The parts of the next request.
#[derive(Debug, Clone, Default)]
pub struct ContextReport {
    /// The model that receives it; `None` when no model is available.
    pub model: Option<Arc<Model>>,
    /// The parts in the order of the request, manually excluded ones included.
    pub items: Vec<ContextItem>,
    /// Number of messages covered by summaries.
    pub summarized: usize,
    /// The provider's last token count, including its answer, when it is still valid; and the estimate for
    /// what was added since.
    pub provider_count: Option<(u64, u64)>,
}

/// One part of the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextItem {
    /// Its type: a role, a part of the prompt, a tool.
    pub kind: String,
    /// Its beginning, on one line.
    pub preview: String,
    /// Estimated tokens.
    pub tokens: u64,
    /// The session entry that it comes from.
    pub entry: Option<String>,
    /// Why it is included, or is not.
    pub reason: ItemReason,
    /// The entry that a pin would apply to, when it can be pinned.
    pub pin: Option<String>,
    /// Whether that entry is pinned.
    pub pinned: bool,
    /// Whether it can be excluded or replaced.
    pub editable: bool,
    /// The full text, when the session does not hold it.
    pub text: Option<String>,
}

/// Why a part is included, or is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ItemReason {
    /// Part of the profile with this name.
    Profile(String),
    /// Read from this file.
    File(String),
    /// From the user's settings or arguments.
    Appended,
    /// An available tool.
    AvailableTool,
    /// An entry on the active path.
    #[default]
    OnPath,
    /// Kept by this compaction.
    Kept(String),
    /// A summary of this many messages.
    Summary(usize),
    /// The system message of this compaction.
    System(String),
    /// Replaced by an edit in this entry.
    Edited(String),
    /// A copy of this pinned entry.
    PinnedCopy(String),
    /// A copy of this entry, which is no longer pinned: the next compaction summarizes it.
    UnpinnedCopy(String),
    /// Not included: excluded by this entry.
    Excluded(String),
    /// Not included: summarized by this compaction.
    Summarized(String),
    /// Not included: superseded by a newer version.
    Superseded,
    /// Not included: shown to users only.
    UserOnly,
}

impl ItemReason {
    /// Whether the part is sent.
    pub fn is_sent(&self) -> bool {
        !matches!(self, Self::Excluded(_) | Self::Summarized(_) | Self::Superseded | Self::UserOnly)
    }

    /// Returns the reason's identifier, for scripts.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Profile(_) => "profile",
            Self::File(_) => "file",
            Self::Appended => "appended",
            Self::AvailableTool => "available",
            Self::OnPath => "path",
            Self::Kept(_) => "kept",
            Self::Summary(_) => "summary",
            Self::System(_) => "system",
            Self::Edited(_) => "edited",
            Self::PinnedCopy(_) => "pinned",
            Self::UnpinnedCopy(_) => "unpinned",
            Self::Excluded(_) => "excluded",
            Self::Summarized(_) => "summarized",
            Self::Superseded => "superseded",
            Self::UserOnly => "userOnly",
        }
    }

    /// Returns the entry, file or profile that the reason names.
    pub fn source(&self) -> Option<&str> {
        match self {
            Self::Profile(by)
            | Self::File(by)
            | Self::Kept(by)
            | Self::System(by)
            | Self::Edited(by)
            | Self::PinnedCopy(by)
            | Self::UnpinnedCopy(by)
            | Self::Excluded(by)
            | Self::Summarized(by) => Some(by),
            _ => None,
        }
    }

    /// Returns the reason as a sentence, for users.
    pub fn sentence(&self) -> String {
        match self {
            Self::Profile(id) => format!("profile {id}"),
            Self::File(path) => path.clone(),
            Self::Appended => "appended by the settings or arguments".to_string(),
            Self::AvailableTool => "available".to_string(),
            Self::OnPath => "on the path".to_string(),
            Self::Kept(by) => format!("kept by the compaction {by}"),
            Self::Summary(1) => "summary of one message".to_string(),
            Self::Summary(count) => format!("summary of {count} messages"),
            Self::System(by) => format!("goes with the compaction {by}"),
            Self::Edited(by) => format!("edited since {by}"),
            Self::PinnedCopy(origin) => format!("pinned: a copy of {origin}"),
            Self::UnpinnedCopy(origin) => format!("a copy of {origin} until the next compaction"),
            Self::Excluded(by) => format!("excluded since {by}"),
            Self::Summarized(by) => format!("summarized by {by}"),
            Self::Superseded => "something newer stands for it".to_string(),
            Self::UserOnly => "not sent to models".to_string(),
        }
    }
}

impl ContextReport {
    /// Builds the report from a path and the prompt before it. `all`: includes summarized messages.
    pub fn build(shown: Option<&PromptReport>, path: &[&Entry], all: bool) -> Self {
        let projection = Projection::of(path);
        let mut contents = Self { model: shown.map(|shown| shown.model.clone()), ..Self::default() };
        if let Some(shown) = shown {
            contents.items = prompt_items(shown);
        }
        let pinned = pins::pinned_ids(path);
        let summed = |row: &&Row<'_>| row.kind == RowKind::Summarized && row.entry.kind() != "compaction";
        contents.summarized = projection.rows.iter().filter(summed).count();
        for row in &projection.rows {
            if row.kind == RowKind::Summarized && !all {
                continue;
            }
            let Some(mut item) = entry_item(&projection, row, contents.summarized) else { continue };
            let origin = pins::origin(row.entry);
            if let Some(of) = &origin
                && matches!(item.reason, ItemReason::OnPath | ItemReason::Kept(_))
            {
                let is_pinned = pinned.contains(of);
                item.reason = if is_pinned {
                    ItemReason::PinnedCopy(of.clone())
                } else {
                    ItemReason::UnpinnedCopy(of.clone())
                };
            }
            item.pin = item.pin.map(|own| origin.unwrap_or(own));
            item.pinned = item.pin.as_ref().is_some_and(|entry| pinned.contains(entry));
            contents.items.push(item);
        }
        contents.provider_count = provider_count(path);
        contents
    }

    /// Returns the estimated tokens of all parts.
    pub fn tokens(&self) -> u64 {
        self.items.iter().filter(|item| item.reason.is_sent()).map(|item| item.tokens).sum()
    }

    /// Returns the model's context window; `None` when unknown.
    pub fn window(&self) -> Option<u64> {
        self.model.as_ref().map(|model| model.context_window).filter(|window| *window > 0)
    }

    /// Returns the total and its share of the window, as a sentence.
    pub fn total_sentence(&self) -> String {
        let tokens = self.tokens();
        let mut sentence = match (self.window(), &self.model) {
            (Some(window), Some(model)) => {
                let share = tokens.saturating_mul(100) / window;
                format!("{tokens} of {window} tokens of {}/{} ({share}%)", model.provider, model.id)
            }
            (None, Some(model)) => format!("{tokens} tokens for {}/{}", model.provider, model.id),
            (_, None) => format!("{tokens} tokens"),
        };
        sentence.push_str(", estimated");
        if let Some((counted, since)) = self.provider_count {
            sentence.push_str(&format!(
                "; the provider counted {counted} at the last answer, about {since} since"
            ));
        }
        sentence
    }

    /// Returns the report as JSON.
    pub fn json(&self) -> Value {
        let item = |item: &ContextItem| {
            json!({
                "kind": item.kind, "preview": item.preview, "tokens": item.tokens, "entry": item.entry,
                "sent": item.reason.is_sent(), "reason": item.reason.name(), "by": item.reason.source(),
                "why": item.reason.sentence(), "pinned": item.pinned,
            })
        };
        json!({
            "provider": self.model.as_ref().map(|model| model.provider.clone()),
            "model": self.model.as_ref().map(|model| model.id.clone()),
            "window": self.window(),
            "tokens": self.tokens(),
            "counted": self.provider_count.map(|(counted, since)| json!({"atLastAnswer": counted, "since": since})),
            "summarized": self.summarized,
            "items": self.items.iter().map(item).collect::<Vec<_>>(),
        })
    }
}

/// Returns the parts of the prompt and the tools. Each document is one item.
fn prompt_items(shown: &PromptReport) -> Vec<ContextItem> {
    let mut items = Vec::new();
    let count = |text: &str| tokens(text) as u64;
    let put = |title: &str, tokens: u64, reason: ItemReason, text: &str| ContextItem {
        kind: title.to_string(),
        preview: entry_line::line(text),
        tokens,
        reason,
        text: Some(text.to_string()),
        ..ContextItem::default()
    };
    for part in &shown.parts {
        let (title, text) = (format!("system: {}", part.name), &part.text);
        let profile = || ItemReason::Profile(shown.profile.to_string());
        match part.name {
            "documents" => {
                let mut rest = count(text);
                for (path, text) in &shown.documents {
                    let tokens = count(text).min(rest);
                    rest -= tokens;
                    items.push(put(
                        "instructions",
                        tokens,
                        ItemReason::File(path.display().to_string()),
                        text,
                    ));
                }
                if rest > 0 {
                    items.push(put(&title, rest, profile(), "what stands around the instructions"));
                }
            }
            "appended" => items.push(put(&title, count(text), ItemReason::Appended, text)),
            _ => items.push(put(&title, count(text), profile(), text)),
        }
    }
    for tool in &shown.tools {
        let title = format!("tool {}", tool.name);
        let text = format!("{}\n\n{:#}", tool.description, tool.parameters);
        items.push(put(&title, tool_tokens(tool) as u64, ItemReason::AvailableTool, &text));
    }
    items
}

fn entry_item(projection: &Projection<'_>, row: &Row<'_>, summed_up: usize) -> Option<ContextItem> {
    let by = || projection.compaction.map(|entry| entry.id().to_string()).unwrap_or_default();
    let sent = projection.message(row);
    let original_message = original(row);
    let message = sent.as_ref().or(original_message.as_ref());
    let role = message.map_or(row.entry.kind(), |message| message.role()).to_string();
    let for_model = sent.as_ref().map(|message| history::for_model(message));
    let reason = match (row.kind, &for_model) {
        (RowKind::Summarized, _) => ItemReason::Summarized(by()),
        (RowKind::Superseded, _) => ItemReason::Superseded,
        (_, Some(None)) => ItemReason::UserOnly,
        (_, None) => match projection.edits.get(row.entry.id()) {
            Some(edit) if original_message.is_some() && edit.replacement.is_none() => {
                ItemReason::Excluded(edit.entry.clone())
            }
            _ if row.kind == RowKind::Kept && original_message.is_some() => ItemReason::Superseded,
            // An empty summary: a compaction without a system message.
            _ => return None,
        },
        (RowKind::Compaction, _) if row.part == Part::System => ItemReason::System(by()),
        (RowKind::Compaction, _) => ItemReason::Summary(summed_up),
        // An entry whose original was restored is sent unchanged, so it has no edit.
        (row_kind, _) => match projection.edits.get(row.entry.id()).filter(|_| sent != original_message) {
            Some(edit) => ItemReason::Edited(edit.entry.clone()),
            None if row_kind == RowKind::Kept => ItemReason::Kept(by()),
            None => ItemReason::OnPath,
        },
    };
    let tokens = match for_model {
        Some(Some(message)) => estimate::of_message(&message),
        _ => message.map_or(0, |message| estimate::of_agent_message(message)),
    };
    let words = match (row.part, message) {
        (Part::Own, Some(message)) => entry_line::of_agent_message(message),
        _ => entry_line::of_entry(row.entry),
    };
    let own = row.is_own() && row.kind != RowKind::Summarized;
    Some(ContextItem {
        editable: own && EDITABLE_ROLES.contains(&role.as_str()),
        pin: (own && pins::is_pinnable(row.entry)).then(|| row.entry.id().to_string()),
        kind: role,
        preview: words,
        tokens,
        entry: Some(row.entry.id().to_string()),
        reason,
        pinned: false,
        text: None,
    })
}

/// Returns the provider's count at the last answer that no later summary or edit invalidates, and the
/// estimate for what was added since.
fn provider_count(path: &[&Entry]) -> Option<(u64, u64)> {
    let mut since = 0;
    for message in history::messages(&messages::build(path)).iter().rev() {
        if let Message::Assistant(AssistantMessage { usage, stop_reason, .. }) = message
            && usage.total_tokens > 0
            && !matches!(stop_reason, StopReason::Error | StopReason::Aborted)
        {
            return Some((usage.total_tokens, since));
        }
        since += estimate::of_message(message);
    }
    None
}
