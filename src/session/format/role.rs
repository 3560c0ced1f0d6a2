//! Role of an entry's message, found without decoding it.
//!
//! Must not know the content. With it a tree of a hundred thousand entries can be drawn and filtered while
//! their lines stay in the file.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Role of an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The entry is not a message.
    #[default]
    None,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool result.
    Tool,
    /// Any other: the system, a command that the user ran, an extension.
    Other,
}

/// The text after the common fields in a message's line, as this program and pi write it.
const START: &str = r#""message":{"role":""#;

#[derive(Deserialize)]
struct MessageLine<'a> {
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RoleField {
    role: String,
}

impl Role {
    /// Returns the role of an entry with this type and line.
    pub(in crate::session) fn of(kind: &str, line: &str) -> Self {
        if kind == "message" { Self::quick(line).unwrap_or_else(|| Self::slow(line)) } else { Self::None }
    }

    /// Finds the role at the usual position. No brace precedes it, so it is the entry's own message: inside a
    /// string its quotes would be escaped.
    fn quick(line: &str) -> Option<Self> {
        let at = line.find(START)?;
        if line.get(1..at)?.contains(['{', '[']) {
            return None;
        }
        let rest = &line[at + START.len()..];
        let name = &rest[..rest.find('"')?];
        (!name.contains('\\')).then(|| Self::named(name))
    }

    fn slow(line: &str) -> Self {
        let message = serde_json::from_str::<MessageLine>(line).ok().and_then(|entry| entry.message);
        let message_role = message.and_then(|message| serde_json::from_str::<RoleField>(message.get()).ok());
        message_role.map_or(Self::Other, |message_role| Self::named(&message_role.role))
    }

    pub(in crate::session) fn named(name: &str) -> Self {
        match name {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "toolResult" => Self::Tool,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_fast_and_slow_paths_agree() {
        let cases = [
            (r#"{"type":"message","id":"a","message":{"role":"user","content":"x"}}"#, Role::User),
            (r#"{"type":"message","message":{"content":[],"role":"assistant"}}"#, Role::Assistant),
            (r#"{"type":"message","message": {"role":"toolResult"}}"#, Role::Tool),
            (r#"{"type":"message","message":{"role":"us\u0065r"}}"#, Role::User),
            (r#"{"type":"message","message":{"role":"bashExecution"}}"#, Role::Other),
            (
                r#"{"type":"message","x":{"message":{"role":"user"}},"message":{"role":"toolResult"}}"#,
                Role::Tool,
            ),
            (
                r#"{"type":"message","x":"\"message\":{\"role\":\"user\"","message":{"role":"toolResult"}}"#,
                Role::Tool,
            ),
            (r#"{"type":"message"}"#, Role::Other),
        ];
        for (line, role) in cases {
            assert_eq!(Role::of("message", line), role, "{line}");
            assert_eq!(Role::slow(line), role, "{line}");
        }
        assert_eq!(Role::of("label", cases[0].0), Role::None);
    }
}
