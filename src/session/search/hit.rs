//! What was found. Plain data.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

/// Who says what an entry can be found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The user.
    User,
    /// A model.
    Assistant,
    /// A tool, of what it was asked.
    Tool,
    /// A summary of what was before, or of another branch.
    Summary,
    /// The name of a session.
    Name,
    /// The name of an entry.
    Label,
    /// A message of an extension.
    Note,
}

impl Role {
    /// Every one, at the place of its number in the index.
    pub const ALL: [Self; 7] =
        [Self::User, Self::Assistant, Self::Tool, Self::Summary, Self::Name, Self::Label, Self::Note];

    /// What a user writes for it.
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

    /// The role of that name.
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

/// A piece of what was found, in one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The text, without line feeds and other control characters.
    pub text: String,
    /// Where in it the words stand that were asked for, in bytes, in order.
    pub marks: Vec<Range<usize>>,
}

impl Serialize for Snippet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let marks: Vec<[usize; 2]> = self.marks.iter().map(|mark| [mark.start, mark.end]).collect();
        crate::base::json::json!({"text": self.text, "marks": marks}).serialize(serializer)
    }
}

/// One entry that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The session's file.
    pub path: PathBuf,
    /// The session's id.
    pub session: String,
    /// The working folder of the session.
    pub cwd: String,
    /// What a user calls the session.
    pub title: String,
    /// The entry to go to: for a label the one that it names.
    pub entry: String,
    /// Milliseconds since the epoch; 0 where the entry does not tell.
    pub at_ms: u64,
    /// Who says it.
    pub role: Role,
    /// Where the words stand.
    pub snippet: Snippet,
}
