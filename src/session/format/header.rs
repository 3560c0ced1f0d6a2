//! Header of a session file: its first line, with id, start time and folder.
//!
//! Must not know files or entries. The line is preserved byte for byte.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::clock;

/// The format version that is written; earlier ones can be read.
pub const VERSION: u64 = 3;

/// The first line of a session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The session's id.
    pub id: String,
    /// Start time in ISO 8601.
    pub timestamp: String,
    /// The working folder of the session.
    pub cwd: String,
    /// File of the session from which this one was forked.
    pub parent_session: Option<String>,
    /// The format version, from 1 to [`VERSION`].
    pub version: u64,
    /// The line as in the file, without its line feed.
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
    /// Not a header.
    NotASession,
    /// A header with an unsupported version.
    Version(u64),
}

impl Header {
    /// Returns the header of a new session that starts at `now_ms`.
    pub fn new(id: String, now_ms: u64, cwd: String) -> Self {
        Self::with_parent(id, now_ms, cwd, None)
    }

    /// Returns the header of a session that starts at `now_ms` as a fork of another one.
    pub fn forked(id: String, now_ms: u64, cwd: String, parent: &Path) -> Self {
        Self::with_parent(id, now_ms, cwd, Some(parent.to_string_lossy().into_owned()))
    }

    fn with_parent(id: String, now_ms: u64, cwd: String, parent_session: Option<String>) -> Self {
        let timestamp = clock::iso8601(now_ms);
        let line =
            HeaderLine { kind: "session".to_string(), version: VERSION, id, timestamp, cwd, parent_session };
        let text = serde_json::to_string(&line).expect("a struct of strings and numbers always serialises");
        Self::from_parts(line, text)
    }

    /// Parses a first line, of this version or an earlier one.
    pub fn parse(line: &str) -> Result<Self, HeaderError> {
        let parsed: HeaderLine = serde_json::from_str(line).map_err(|_| HeaderError::NotASession)?;
        match (parsed.kind.as_str(), parsed.version) {
            ("session", 1..=VERSION) => Ok(Self::from_parts(parsed, line.to_string())),
            ("session", other) => Err(HeaderError::Version(other)),
            _ => Err(HeaderError::NotASession),
        }
    }

    /// Returns the header in the current version; other fields of the line are unchanged.
    pub(in crate::session) fn upgraded(&self) -> Self {
        let Ok(Value::Object(mut fields)) = serde_json::from_str(&self.line) else { return self.clone() };
        fields.insert("version".to_string(), VERSION.into());
        Self { version: VERSION, line: Value::Object(fields).to_string(), ..self.clone() }
    }

    fn from_parts(parsed: HeaderLine, line: String) -> Self {
        let HeaderLine { version, id, timestamp, cwd, parent_session, .. } = parsed;
        Self { id, timestamp, cwd, parent_session, version, line }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_other_versions_are_reported() {
        assert_eq!(
            Header::parse(r#"{"type":"session","version":4,"id":"a","timestamp":"t","cwd":"/"}"#),
            Err(HeaderError::Version(4))
        );
        let first = Header::parse(r#"{"type":"session","id":"a","provider":"p","timestamp":"t","cwd":"/"}"#);
        let first = first.unwrap();
        assert_eq!(first.version, 1);
        let line = r#"{"type":"session","id":"a","provider":"p","timestamp":"t","cwd":"/","version":3}"#;
        assert_eq!(first.upgraded(), Header::parse(line).unwrap());
        assert_eq!(Header::parse("# a readme"), Err(HeaderError::NotASession));
        assert_eq!(
            Header::parse(r#"{"type":"message","id":"a","timestamp":"t"}"#),
            Err(HeaderError::NotASession)
        );
        let header = Header::new("id".into(), 0, "/w".into());
        assert_eq!(Header::parse(&header.line).unwrap(), header);
    }
}
