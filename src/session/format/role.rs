//! Who speaks in an entry, told without reading the entry's message.
//!
//! Must not know what is said. A tree of a hundred thousand entries can be drawn and sifted by it while
//! their lines stay in the file.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Who speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Nobody: the entry is no message.
    #[default]
    None,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool, with its answer.
    Tool,
    /// Whoever else: the system, a command that the user ran, an extension.
    Other,
}

/// How a message's line goes on behind the fields that every entry has, as this program and pi write it.
const START: &str = r#""message":{"role":""#;

#[derive(Deserialize)]
struct Said<'a> {
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Spoken {
    role: String,
}

impl Role {
    /// Who speaks in an entry of that kind with that line.
    pub(in crate::session) fn of(kind: &str, line: &str) -> Self {
        if kind == "message" { Self::quick(line).unwrap_or_else(|| Self::slow(line)) } else { Self::None }
    }

    /// Found at the usual place. Behind no other brace it can only be the entry's own message: inside of
    /// a text its quotes would be escaped.
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
        let message = serde_json::from_str::<Said>(line).ok().and_then(|said| said.message);
        let spoken = message.and_then(|message| serde_json::from_str::<Spoken>(message.get()).ok());
        spoken.map_or(Self::Other, |spoken| Self::named(&spoken.role))
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
