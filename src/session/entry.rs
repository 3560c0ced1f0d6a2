//! One line of a session file: the header and every kind of entry, in pi's version 3.
//!
//! Must not know files or the tree. A line is kept byte for byte as it came, whatever of it
//! this version understands; what it means is decoded on demand.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::message::AgentMessage;
use crate::base::clock;
use crate::llm::model::Usage;

/// The version of the format that is read and written.
pub const VERSION: u64 = 3;

/// The first line of a session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The session's id.
    pub id: String,
    /// ISO 8601, when the session began.
    pub timestamp: String,
    /// The working folder of the session.
    pub cwd: String,
    /// File of the session from which this one was forked.
    pub parent_session: Option<String>,
    /// The line as it stands in the file, without its line feed.
    pub line: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeaderLine {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default = "first_version")]
    version: u64,
    id: String,
    timestamp: String,
    #[serde(default)]
    cwd: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent_session: Option<String>,
}

/// pi's first format had no version field.
fn first_version() -> u64 {
    1
}

/// Why a line is not the header of a session that can be continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderError {
    /// Not a header at all.
    NotASession,
    /// A header of a version that this program does not read.
    Version(u64),
}

impl Header {
    /// The header of a new session that begins at `now_ms`.
    pub fn new(id: String, now_ms: u64, cwd: String) -> Self {
        let line = HeaderLine {
            kind: "session".to_string(),
            version: VERSION,
            id,
            timestamp: clock::iso8601(now_ms),
            cwd,
            parent_session: None,
        };
        let text = serde_json::to_string(&line).expect("a struct of strings and numbers always serialises");
        Self::from_parts(line, text)
    }

    /// Reads a first line.
    pub fn parse(line: &str) -> Result<Self, HeaderError> {
        let parsed: HeaderLine = serde_json::from_str(line).map_err(|_| HeaderError::NotASession)?;
        match (parsed.kind.as_str(), parsed.version) {
            ("session", VERSION) => Ok(Self::from_parts(parsed, line.to_string())),
            ("session", other) => Err(HeaderError::Version(other)),
            _ => Err(HeaderError::NotASession),
        }
    }

    fn from_parts(parsed: HeaderLine, line: String) -> Self {
        let HeaderLine { id, timestamp, cwd, parent_session, .. } = parsed;
        Self { id, timestamp, cwd, parent_session, line }
    }
}

/// What an entry says, beside its place in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum EntryBody {
    /// A message of the conversation.
    Message {
        /// The message.
        message: AgentMessage,
    },
    /// Another model answers from here on.
    ModelChange {
        /// Provider id.
        provider: String,
        /// The provider's name of the model.
        model_id: String,
    },
    /// Another thinking level from here on.
    ThinkingLevelChange {
        /// The level's name.
        thinking_level: String,
    },
    /// A summary that stands for the path before the first kept entry.
    Compaction {
        /// For the model.
        summary: String,
        /// Where the kept part begins; the entry's own id when nothing is kept.
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
        /// The system message that holds from here on; those of the kept part are dropped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        system_message: Option<Value>,
    },
    /// What happened on a branch that was left.
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
        /// Whose data.
        custom_type: String,
        /// The data.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
    /// A message that is not the person's, in the context.
    CustomMessage {
        /// Whose message.
        custom_type: String,
        /// A text or a list of parts.
        #[serde(default)]
        content: Value,
        /// Whether front ends show it.
        #[serde(default)]
        display: bool,
        /// For front ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
    /// A name for an entry, or its removal.
    Label {
        /// The entry.
        target_id: String,
        /// The name; `None` takes it away.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// Facts about the whole session.
    SessionInfo {
        /// Its name, one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Tokens spent outside the conversation.
    Usage {
        /// For what, such as `cache_warm`.
        kind: String,
        /// Provider id.
        provider: String,
        /// Model id.
        model: String,
        /// How much.
        usage: Usage,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Another content for an earlier entry, in the context only.
    ContextEdit {
        /// The entry.
        target_id: String,
        /// `{content}`, or `None` to leave the entry out.
        #[serde(default)]
        replacement: Option<Value>,
    },
    /// A kind that this version does not know: the whole object as it came.
    #[serde(skip)]
    Unknown(Value),
}

/// The fields that every entry has.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    #[serde(rename = "type")]
    kind: String,
    id: String,
    #[serde(default)]
    parent_id: Option<String>,
    #[serde(default)]
    timestamp: String,
}

#[derive(Deserialize)]
struct MessageLine<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
}

/// One entry of the tree.
#[derive(Debug)]
pub struct Entry {
    id: String,
    parent_id: Option<String>,
    timestamp: String,
    kind: String,
    line: Box<str>,
    /// What the entry adds to a context, decoded when first asked for.
    message: OnceLock<Option<Arc<AgentMessage>>>,
}

impl Entry {
    /// A new entry. Fails only for an unknown body that is not an object with a `type`.
    pub fn new(id: String, parent_id: Option<String>, timestamp: String, body: EntryBody) -> Option<Self> {
        let (kind, rest) = kind_and_rest(&body)?;
        let quoted = |text: &str| serde_json::to_string(text).ok();
        let parent = parent_id.as_deref().map_or(Some("null".to_string()), quoted)?;
        let line = format!(
            r#"{{"type":{},"id":{},"parentId":{parent},"timestamp":{}{rest}"#,
            quoted(&kind)?,
            quoted(&id)?,
            quoted(&timestamp)?
        );
        let message = OnceLock::new();
        if let EntryBody::Message { message: value } = body {
            message.get_or_init(|| Some(Arc::new(value)));
        }
        Some(Self { id, parent_id, timestamp, kind, line: line.into_boxed_str(), message })
    }

    /// Reads a line. The error says what is wrong with it.
    pub fn parse(line: &str) -> Result<Self, String> {
        let head: Head = serde_json::from_str(line).map_err(|error| error.to_string())?;
        Ok(Self {
            id: head.id,
            parent_id: head.parent_id,
            timestamp: head.timestamp,
            kind: head.kind,
            line: line.into(),
            message: OnceLock::new(),
        })
    }

    /// Unique in its session.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The entry before it on its branch.
    pub fn parent_id(&self) -> Option<&str> {
        self.parent_id.as_deref()
    }

    /// ISO 8601.
    pub fn timestamp(&self) -> &str {
        &self.timestamp
    }

    /// Milliseconds since the epoch; 0 for a time stamp that cannot be read.
    pub fn time_ms(&self) -> u64 {
        clock::parse_iso8601(&self.timestamp).unwrap_or(0)
    }

    /// pi's name of the entry's kind.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The line as it stands in the file, without its line feed.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// What it says. A kind or a shape that this version does not know gives
    /// [`EntryBody::Unknown`].
    pub fn body(&self) -> EntryBody {
        serde_json::from_str(&self.line)
            .unwrap_or_else(|_| EntryBody::Unknown(serde_json::from_str(&self.line).unwrap_or(Value::Null)))
    }

    /// The message of a `message` entry. The same as from [`Entry::body`], but read straight from
    /// the line: a tagged enum inside of others is copied once for each of them, and messages
    /// are nearly all of a session.
    pub(super) fn message(&self) -> Option<AgentMessage> {
        let line: MessageLine = serde_json::from_str(&self.line).ok()?;
        let text = line.message.get();
        let known = serde_json::from_str(text).map(AgentMessage::Llm);
        known.or_else(|_| serde_json::from_str(text).map(AgentMessage::Other)).ok()
    }

    /// The entry's message for a context, decoded once.
    pub(super) fn message_or(
        &self,
        make: impl FnOnce() -> Option<AgentMessage>,
    ) -> Option<Arc<AgentMessage>> {
        self.message.get_or_init(|| make().map(Arc::new)).clone()
    }
}

/// The body's kind, and its other fields as JSON text with a leading comma (if any) and the
/// closing brace. Splicing text keeps pi's order of fields without a second copy of the body.
fn kind_and_rest(body: &EntryBody) -> Option<(String, String)> {
    if let EntryBody::Unknown(value) = body {
        let mut fields = value.as_object()?.clone();
        let kind = fields.get("type")?.as_str()?.to_string();
        fields.retain(|name, _| !matches!(name.as_str(), "type" | "id" | "parentId" | "timestamp"));
        let text = serde_json::to_string(&fields).ok()?;
        return Some((kind, with_comma(&text[1..])));
    }
    let text = serde_json::to_string(body).ok()?;
    // An internally tagged enum writes its tag first; tags are plain ASCII words.
    let after = text.strip_prefix(r#"{"type":""#)?;
    let (kind, rest) = after.split_once('"')?;
    Some((kind.to_string(), rest.to_string()))
}

fn with_comma(rest: &str) -> String {
    if rest == "}" { rest.to_string() } else { format!(",{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(body: EntryBody) -> Entry {
        Entry::new("0000000a".into(), None, "2025-11-20T23:30:11.042Z".into(), body).unwrap()
    }

    #[test]
    fn new_entries_have_the_wire_order_of_fields() {
        let made = entry(EntryBody::ModelChange { provider: "p".into(), model_id: "m".into() });
        assert_eq!(
            made.line(),
            r#"{"type":"model_change","id":"0000000a","parentId":null,"timestamp":"2025-11-20T23:30:11.042Z","provider":"p","modelId":"m"}"#
        );
        assert_eq!(made.body(), EntryBody::ModelChange { provider: "p".into(), model_id: "m".into() });
        assert_eq!(made.time_ms(), 1_763_681_411_042);
    }

    #[test]
    fn a_removed_message_is_written_as_null() {
        let made = entry(EntryBody::ContextEdit { target_id: "x".into(), replacement: None });
        assert!(made.line().ends_with(r#""targetId":"x","replacement":null}"#), "{}", made.line());
    }

    #[test]
    fn unknown_kinds_survive_and_can_be_written() {
        let line = r#"{"type":"hologram","id":"1","parentId":"0","depth":3,  "timestamp":"t"}"#;
        let read = Entry::parse(line).unwrap();
        assert_eq!((read.line(), read.kind(), read.parent_id()), (line, "hologram", Some("0")));
        let EntryBody::Unknown(value) = read.body() else { panic!("known?") };
        let written = entry(EntryBody::Unknown(value));
        assert!(written.line().ends_with(r#","depth":3}"#), "{}", written.line());
        assert!(
            Entry::new("1".into(), None, String::new(), EntryBody::Unknown(json!({"no": "type"}))).is_none()
        );
        assert!(entry(EntryBody::Unknown(json!({"type": "bare"}))).line().ends_with(r#".042Z"}"#));
    }

    #[test]
    fn headers_of_other_versions_are_named() {
        assert_eq!(
            Header::parse(r#"{"type":"session","version":4,"id":"a","timestamp":"t","cwd":"/"}"#),
            Err(HeaderError::Version(4))
        );
        assert_eq!(
            Header::parse(r#"{"type":"session","id":"a","timestamp":"t","cwd":"/"}"#),
            Err(HeaderError::Version(1))
        );
        assert_eq!(Header::parse("# a readme"), Err(HeaderError::NotASession));
        assert_eq!(
            Header::parse(r#"{"type":"message","id":"a","timestamp":"t"}"#),
            Err(HeaderError::NotASession)
        );
        let header = Header::new("id".into(), 0, "/w".into());
        assert_eq!(Header::parse(&header.line).unwrap(), header);
    }
}
