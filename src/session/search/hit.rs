//! Search hits. Plain data.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

/// Role of a searchable entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The user.
    User,
    /// A model.
    Assistant,
    /// A tool call.
    Tool,
    /// A summary.
    Summary,
    /// The name of a session.
    Name,
    /// The label of an entry.
    Label,
    /// A message of an extension.
    Note,
}

impl Role {
    /// All roles; the position is the role's number in the index.
    pub const ALL: [Self; 7] =
        [Self::User, Self::Assistant, Self::Tool, Self::Summary, Self::Name, Self::Label, Self::Note];

    /// Returns the name used in queries.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Summary => "summary",
            Self::Name => "name",
            Self::Label => "label",
            Self::Note => "note",
        }
    }

    /// Parses a name.
    pub fn parse(name: &str) -> Option<Self> {
        let named = |role: &Self| role.name() == name;
        Self::ALL.into_iter().find(named).or(match name {
            "me" | "you" | "person" => Some(Self::User),
            "model" | "agent" => Some(Self::Assistant),
            "toolResult" | "result" => Some(Self::Tool),
            _ => None,
        })
    }
}

/// An excerpt around a hit, on one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The text, without line feeds and other control characters.
    pub text: String,
    /// Byte ranges of the matching words, in order.
    pub marks: Vec<Range<usize>>,
}

impl Serialize for Snippet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let marks: Vec<[usize; 2]> = self.marks.iter().map(|mark| [mark.start, mark.end]).collect();
        crate::base::json::json!({"text": self.text, "marks": marks}).serialize(serializer)
    }
}

/// One search hit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The session's file.
    pub path: PathBuf,
    /// The session's id.
    pub session: String,
    /// The working folder of the session.
    pub cwd: String,
    /// The user's name for the session.
    pub title: String,
    /// The entry to go to: for a label its target.
    pub entry: String,
    /// Milliseconds since the epoch; 0 when the entry has no time.
    pub at_ms: u64,
    /// Its role.
    pub role: Role,
    /// The excerpt.
    pub snippet: Snippet,
}
