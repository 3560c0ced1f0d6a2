//! Content of a session entry: every type of pi's version 3, as of its newest release.
//!
//! Must not know the tree or files. Unknown types are preserved unchanged.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::AgentMessage;
use crate::llm::model::Usage;

/// The content of an entry, without its position in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EntryBody {
    /// A message of the conversation.
    Message {
        /// The message.
        message: AgentMessage,
    },
    /// The model changed.
    ModelChange {
        /// Provider id.
        provider: String,
        /// The provider's name for the model.
        model_id: String,
    },
    /// The thinking level changed.
    ThinkingLevelChange {
        /// The level's name.
        thinking_level: String,
    },
    /// A summary that replaces the path before the first kept entry.
    Compaction {
        /// For the model.
        summary: String,
        /// The first entry of the kept part; the compaction's own id when nothing is kept.
        first_kept_entry_id: String,
        /// Context size before, in tokens.
        tokens_before: u64,
        /// Of the summarising request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// For front ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        /// Whether an extension made it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_hook: Option<bool>,
        /// The system message from here on; those of the kept part are dropped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        system_message: Option<Value>,
    },
    /// The summary of a branch that was left.
    BranchSummary {
        /// The leaf that was left.
        #[serde(default)]
        from_id: Option<String>,
        /// For the model.
        summary: String,
        /// Of the summarising request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// For front ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
        /// Whether an extension made it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_hook: Option<bool>,
    },
    /// Data of an extension or of ours (`bowline.*`), never in the context.
    Custom {
        /// Type of the data, with its owner's prefix.
        custom_type: String,
        /// The data.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
    /// A message in the context that is not from the user.
    CustomMessage {
        /// Type of the message, with its owner's prefix.
        custom_type: String,
        /// A text or a list of parts.
        #[serde(default)]
        content: Value,
        /// Whether front ends display it.
        #[serde(default)]
        display: bool,
        /// For front ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
    /// A label for an entry, or its removal.
    Label {
        /// The entry.
        target_id: String,
        /// The label; `None` removes it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// Facts about the whole session.
    SessionInfo {
        /// Its name, one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Usage outside of the conversation.
    Usage {
        /// Its purpose, such as `cache_warm`.
        kind: String,
        /// Provider id.
        provider: String,
        /// Model id.
        model: String,
        /// The usage.
        usage: Usage,
        /// A note.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Replacement content for an earlier entry, in the context only.
    ContextEdit {
        /// The entry.
        target_id: String,
        /// `{content}`, or `None` to exclude the entry.
        #[serde(default)]
        replacement: Option<Value>,
    },
    /// An unknown type: the whole object, unchanged.
    #[serde(skip)]
    Unknown(Value),
}

/// Returns the body's type, and its other fields as JSON text with a leading comma (if any) and the closing
/// brace. Splicing text keeps pi's field order without a second copy of the body.
pub(super) fn kind_and_rest(body: &EntryBody) -> Option<(String, String)> {
    if let EntryBody::Unknown(value) = body {
        let mut fields = value.as_object()?.clone();
        let kind = fields.get("type")?.as_str()?.to_string();
        fields.retain(|name, _| !matches!(name.as_str(), "type" | "id" | "parentId" | "timestamp"));
        let text = serde_json::to_string(&fields).ok()?;
        return Some((kind, with_comma(&text[1..])));
    }
    let text = serde_json::to_string(body).ok()?;
    // serde writes an internal tag first; tags are plain ASCII words.
    let after = text.strip_prefix(r#"{"type":""#)?;
    let (kind, rest) = after.split_once('"')?;
    Some((kind.to_string(), rest.to_string()))
}

fn with_comma(rest: &str) -> String {
    if rest == "}" { rest.to_string() } else { format!(",{rest}") }
}
