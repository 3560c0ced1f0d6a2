//! One entry of a session: its position in the tree, its time, its type, and its line.
//!
//! Must not know files or the tree. A line is preserved byte for byte, whether or not this version
//! understands it; its content is decoded on demand. The line of a stored entry need not be in memory: of a
//! long session only the entries in use are.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use compact_str::CompactString;
use parking_lot::{Mutex, MutexGuard};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::body::{EntryBody, kind_and_rest};
use super::line_head::{self, Head};
use super::message::AgentMessage;
use super::role::Role;
use crate::base::clock;
use crate::base::lenient::replace_lone_surrogates;
use crate::llm::model::{AssistantMessage, Message, ToolResultMessage, UserMessage};

/// Entry types that determine what a model gets of a path, beside its messages: nothing else before the part
/// that the last compaction keeps has to be read.
pub(in crate::session) const CONTEXT_KINDS: [&str; 4] =
    ["compaction", "context_edit", "model_change", "thinking_level_change"];

/// An append-only text that can be read in pieces: a session file.
pub trait LineSource: Send + Sync {
    /// Reads `length` bytes from byte `from` on.
    fn read(&self, from: u64, length: u32) -> io::Result<String>;
}

/// Location of an entry's line.
enum Line {
    /// In memory.
    InMemory(Arc<str>),
    /// In a file.
    InFile { lines: Arc<dyn LineSource>, from: u64, length: u32 },
}

/// The fields that every entry has.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(default, borrow)]
    parent_id: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    timestamp: Cow<'a, str>,
}

#[derive(Deserialize)]
struct MessageLine<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
}

/// The part of an entry that is always in memory. Ids and timestamps as pi writes them are stored inline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) struct EntryHead {
    pub(in crate::session) id: CompactString,
    pub(in crate::session) parent_id: Option<CompactString>,
    pub(in crate::session) timestamp: CompactString,
    pub(in crate::session) kind: CompactString,
    pub(in crate::session) role: Role,
}

/// One entry of the tree.
pub struct Entry {
    head: EntryHead,
    line: Line,
    /// The entry's message for a context, decoded on first use and cached until it leaves the context.
    message: Mutex<Option<Arc<AgentMessage>>>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("place", &self.head).finish_non_exhaustive()
    }
}

impl Entry {
    /// Creates an entry. Fails only for an unknown body that is not an object with a `type`.
    pub fn new(id: String, parent_id: Option<String>, timestamp: String, body: &EntryBody) -> Option<Self> {
        let (kind, rest) = kind_and_rest(body)?;
        let quoted = |text: &str| serde_json::to_string(text).ok();
        let parent = parent_id.as_deref().map_or(Some("null".to_string()), quoted)?;
        let line = format!(
            r#"{{"type":{},"id":{},"parentId":{parent},"timestamp":{}{rest}"#,
            quoted(&kind)?,
            quoted(&id)?,
            quoted(&timestamp)?
        );
        let head = EntryHead {
            id: id.into(),
            parent_id: parent_id.map(Into::into),
            timestamp: timestamp.into(),
            role: Role::of(&kind, &line),
            kind: kind.into(),
        };
        Some(Self { head, line: Line::InMemory(line.into()), message: Mutex::default() })
    }

    /// Parses a line. The error describes the problem.
    pub fn parse(line: &str) -> Result<Self, String> {
        let head = EntryHead::parse(line)?;
        Ok(Self { head, line: Line::InMemory(line.into()), message: Mutex::default() })
    }

    /// Creates an entry whose line stays in its file.
    pub(in crate::session) fn in_file(
        head: EntryHead,
        lines: Arc<dyn LineSource>,
        from: u64,
        length: u32,
    ) -> Self {
        Self { head, line: Line::InFile { lines, from, length }, message: Mutex::default() }
    }

    /// Returns a copy if the line is in memory. Copies only the common fields.
    pub(in crate::session) fn copy_in_memory(&self) -> Option<Self> {
        let Line::InMemory(text) = &self.line else { return None };
        let message = Mutex::new(self.cached_message().clone());
        Some(Self { head: self.head.clone(), line: Line::InMemory(Arc::clone(text)), message })
    }

    /// Records that its line is now in that file.
    pub(in crate::session) fn set_location(&mut self, lines: Arc<dyn LineSource>, from: u64) {
        if let Ok(length) = u32::try_from(self.length()) {
            self.line = Line::InFile { lines, from, length };
        }
    }

    /// Returns the bytes of its line.
    pub(in crate::session) fn length(&self) -> u64 {
        match &self.line {
            Line::InMemory(text) => text.len() as u64,
            Line::InFile { length, .. } => u64::from(*length),
        }
    }

    /// Returns the same entry with another parent. The rest of its line is unchanged.
    pub(in crate::session) fn with_parent(&self, parent: Option<&str>) -> io::Result<Self> {
        let line = self.line()?;
        if self.parent_id() == parent {
            return Self::parse(&line).map_err(io::Error::other);
        }
        let mut fields: serde_json::Map<String, Value> =
            serde_json::from_str(&replace_lone_surrogates(&line))?;
        fields.insert("parentId".to_string(), parent.map_or(Value::Null, Value::from));
        Self::parse(&Value::Object(fields).to_string()).map_err(io::Error::other)
    }

    /// The id, unique in its session.
    pub fn id(&self) -> &str {
        &self.head.id
    }

    /// The id of its parent on its branch.
    pub fn parent_id(&self) -> Option<&str> {
        self.head.parent_id.as_deref()
    }

    /// The timestamp in ISO 8601.
    pub fn timestamp(&self) -> &str {
        &self.head.timestamp
    }

    /// Milliseconds since the epoch; 0 for an invalid timestamp.
    pub fn time_ms(&self) -> u64 {
        clock::parse_iso8601(&self.head.timestamp).unwrap_or(0)
    }

    /// pi's name of the entry's type.
    pub fn kind(&self) -> &str {
        &self.head.kind
    }

    /// The role of its message.
    pub fn role(&self) -> Role {
        self.head.role
    }

    /// The part that is always in memory.
    pub(in crate::session) fn head(&self) -> &EntryHead {
        &self.head
    }

    /// Returns the byte offset and length of its line in its file.
    pub(in crate::session) fn span(&self) -> Option<(u64, u32)> {
        match &self.line {
            Line::InMemory(_) => None,
            Line::InFile { from, length, .. } => Some((*from, *length)),
        }
    }

    /// Returns the line as in the file, without its line feed. Fails when the file can no longer be read.
    pub fn line(&self) -> io::Result<Cow<'_, str>> {
        match &self.line {
            Line::InMemory(text) => Ok(Cow::Borrowed(text)),
            Line::InFile { lines, from, length } => lines.read(*from, *length).map(Cow::Owned),
        }
    }

    /// Returns the line, or an empty string when the file can no longer be read.
    fn line_or_nothing(&self) -> Cow<'_, str> {
        self.line().unwrap_or_else(|error| {
            tracing::error!(entry = self.id(), %error, "an entry of the session cannot be read again");
            Cow::Borrowed("")
        })
    }

    /// Returns the line with invalid surrogates replaced, which pi can write.
    fn valid_line(&self) -> Cow<'_, str> {
        match self.line_or_nothing() {
            Cow::Borrowed(line) => replace_lone_surrogates(line),
            Cow::Owned(line) => match replace_lone_surrogates(&line) {
                Cow::Owned(mended) => Cow::Owned(mended),
                Cow::Borrowed(_) => Cow::Owned(line),
            },
        }
    }

    /// Returns its content. An unknown type or an invalid shape gives [`EntryBody::Unknown`].
    pub fn body(&self) -> EntryBody {
        let line = self.valid_line();
        serde_json::from_str(&line)
            .unwrap_or_else(|_| EntryBody::Unknown(serde_json::from_str(&line).unwrap_or(Value::Null)))
    }

    /// Returns the message of a `message` entry. The same as from [`Entry::body`], but decoded directly from
    /// the line: serde buffers each level of a tagged enum, and nearly all of a session is messages.
    pub(in crate::session) fn message(&self) -> Option<AgentMessage> {
        let line = self.valid_line();
        let line: MessageLine = serde_json::from_str(&line).ok()?;
        let text = line.message.get();
        let known = match self.head.role {
            Role::User => serde_json::from_str(text).map(|parsed: UserMessage| Message::User(parsed)),
            Role::Assistant => {
                serde_json::from_str(text).map(|parsed: AssistantMessage| Message::Assistant(parsed))
            }
            Role::Tool => {
                serde_json::from_str(text).map(|parsed: ToolResultMessage| Message::ToolResult(parsed))
            }
            Role::None | Role::Other => serde_json::from_str(text),
        };
        let known = known.map(|mut message| {
            // The role is already known, so its field lands in `extra`.
            let (Message::User(UserMessage { content, extra, .. })
            | Message::Assistant(AssistantMessage { content, extra, .. })
            | Message::ToolResult(ToolResultMessage { content, extra, .. })) = &mut message;
            extra.shift_remove("role");
            // Messages are kept for long; spare capacity for fields and parts would be half of their size.
            if extra.is_empty() {
                *extra = serde_json::Map::new();
            }
            content.shrink_to_fit();
            AgentMessage::Llm(message)
        });
        known.or_else(|_| serde_json::from_str(text).map(AgentMessage::Other)).ok()
    }

    fn cached_message(&self) -> MutexGuard<'_, Option<Arc<AgentMessage>>> {
        self.message.lock()
    }

    /// Returns the entry's message for a context, decoded once.
    pub(in crate::session) fn message_or_decode(
        &self,
        make: impl FnOnce() -> Option<AgentMessage>,
    ) -> Option<Arc<AgentMessage>> {
        let mut known = self.cached_message();
        if known.is_none() {
            *known = make().map(Arc::new);
        }
        known.clone()
    }

    /// Drops the decoded message; only the location of the line is kept.
    pub(in crate::session) fn drop_cached_message(&self) {
        *self.cached_message() = None;
    }

    /// Whether its message is cached.
    pub(crate) fn is_decoded(&self) -> bool {
        self.cached_message().is_some()
    }
}

impl EntryHead {
    /// Parses the fields of a line. The error describes the problem.
    pub(in crate::session) fn parse(line: &str) -> Result<Self, String> {
        line_head::parse_head(line).map_or_else(|| Self::decode(line), |head| Ok(Self::of(&head)))
    }

    /// Takes the fields of a parsed head.
    pub(in crate::session) fn of(head: &Head) -> Self {
        let Head { kind, id, parent_id, timestamp, role, .. } = head;
        Self {
            id: (*id).into(),
            parent_id: parent_id.map(Into::into),
            timestamp: (*timestamp).into(),
            kind: (*kind).into(),
            role: *role,
        }
    }

    /// Decodes the fields of any JSON line, in whatever form.
    pub(in crate::session) fn decode(line: &str) -> Result<Self, String> {
        let head: Fields = serde_json::from_str(line).map_err(|error| error.to_string())?;
        Ok(Self {
            id: head.id.into(),
            parent_id: head.parent_id.map(Into::into),
            timestamp: head.timestamp.into(),
            role: Role::of(&head.kind, line),
            kind: head.kind.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn entry(body: &EntryBody) -> Entry {
        Entry::new("0000000a".into(), None, "2025-11-20T23:30:11.042Z".into(), body).unwrap()
    }

    #[test]
    fn entry_fields_are_written_in_wire_order() {
        let made = entry(&EntryBody::ModelChange { provider: "p".into(), model_id: "m".into() });
        assert_eq!(
            made.line().unwrap(),
            r#"{"type":"model_change","id":"0000000a","parentId":null,"timestamp":"2025-11-20T23:30:11.042Z","provider":"p","modelId":"m"}"#
        );
        assert_eq!(made.body(), EntryBody::ModelChange { provider: "p".into(), model_id: "m".into() });
        assert_eq!(made.time_ms(), 1_763_681_411_042);
    }

    #[test]
    fn entry_decoded_message_has_no_spare_capacity() {
        let line = r#"{"type":"message","id":"1","parentId":null,"timestamp":"t","message":{"role":"user","content":[{"type":"text","text":"a"}],"timestamp":1}}"#;
        let read = Entry::parse(line).unwrap().message();
        let Some(AgentMessage::Llm(Message::User(said))) = read else { panic!("{read:?}") };
        assert_eq!((said.content.len(), said.content.capacity()), (1, 1));
        assert!(said.extra.is_empty());
    }

    #[test]
    fn entry_removed_message_is_written_as_null() {
        let made = entry(&EntryBody::ContextEdit { target_id: "x".into(), replacement: None });
        let line = made.line().unwrap();
        assert!(line.ends_with(r#""targetId":"x","replacement":null}"#), "{line}");
    }

    #[test]
    fn entry_unknown_kinds_roundtrip() {
        let line = r#"{"type":"hologram","id":"1","parentId":"0","depth":3,  "timestamp":"t"}"#;
        let read = Entry::parse(line).unwrap();
        assert_eq!(
            (read.line().unwrap(), read.kind(), read.parent_id()),
            (line.into(), "hologram", Some("0"))
        );
        let EntryBody::Unknown(value) = read.body() else { panic!("known?") };
        let written = entry(&EntryBody::Unknown(value)).line().unwrap().into_owned();
        assert!(written.ends_with(r#","depth":3}"#), "{written}");
        assert!(
            Entry::new("1".into(), None, String::new(), &EntryBody::Unknown(json!({"no": "type"}))).is_none()
        );
        assert!(entry(&EntryBody::Unknown(json!({"type": "bare"}))).line().unwrap().ends_with(r#".042Z"}"#));
    }

    #[test]
    fn entry_message_by_role_matches_generic_decoder() {
        let answer = r#""api":"a","provider":"p","model":"m","stopReason":"stop","odd":{"role":1}"#;
        for message in [
            r#"{"role":"user","content":"x","odd":1,"timestamp":3,"last":[]}"#.to_string(),
            format!(r#"{{"content":[{{"type":"text","text":"y"}}],{answer},"role":"assistant"}}"#),
            format!(r#"{{"role":"assistant","content":null,{answer}}}"#),
            r#"{"role":"toolResult","toolCallId":"c","toolName":"t","content":[],"isError":true}"#
                .to_string(),
            r#"{"role":"bashExecution","command":"ls"}"#.to_string(),
            r#"{"role":"user","content":7}"#.to_string(),
        ] {
            let line = format!(r#"{{"type":"message","id":"1","message":{message}}}"#);
            let wanted = serde_json::from_str(&message).map(AgentMessage::Llm);
            let wanted = wanted.or_else(|_| serde_json::from_str(&message).map(AgentMessage::Other)).unwrap();
            assert_eq!(Entry::parse(&line).unwrap().message(), Some(wanted), "{message}");
        }
    }

    #[test]
    fn entry_line_is_read_on_demand() {
        struct Text(&'static str);
        impl LineSource for Text {
            fn read(&self, from: u64, length: u32) -> io::Result<String> {
                let piece = self.0.get(from as usize..from as usize + length as usize);
                piece.map(str::to_string).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
            }
        }
        let line = r#"{"type":"session_info","id":"1","parentId":null,"timestamp":"t","name":"x"}"#;
        let there = |from| {
            Entry::in_file(EntryHead::parse(line).unwrap(), Arc::new(Text(line)), from, line.len() as u32)
        };
        let entry = there(0);
        assert_eq!((entry.line().unwrap(), entry.kind()), (line.into(), "session_info"));
        assert_eq!(entry.body(), EntryBody::SessionInfo { name: Some("x".into()) });
        let gone = there(9);
        assert!(gone.line().is_err());
        assert_eq!(gone.body(), EntryBody::Unknown(Value::Null));
        assert!(std::mem::size_of::<Entry>() <= 160, "{}", std::mem::size_of::<Entry>());
    }
}
