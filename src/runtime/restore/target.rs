//! Ways back in a session, what they would do and what they did. Plain data; must not know how one goes them.

use serde_json::Value;

use crate::base::json::json;

use crate::llm::model::UserMessage;
use crate::llm::model::message::join_text;
use crate::patch::diff::LineDiff;
use crate::workspace::checkpoint::{Applied, Conflict, Decision, Decisions, Name, Node};

/// What goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestoreScope {
    /// The conversation; files stay.
    Conversation,
    /// The files; the conversation stays.
    Code,
    /// Both.
    Both,
}

impl RestoreScope {
    /// By its word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "conversation" => Some(Self::Conversation),
            "code" => Some(Self::Code),
            "both" => Some(Self::Both),
            _ => None,
        }
    }
}

/// What is done about everything that both sides changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConflictChoice {
    /// What is there stays.
    #[default]
    Mine,
    /// What was recorded takes its place.
    Theirs,
    /// What was recorded is written beside it.
    Beside,
}

impl From<ConflictChoice> for Decision {
    fn from(take: ConflictChoice) -> Self {
        match take {
            ConflictChoice::Mine => Self::Mine,
            ConflictChoice::Theirs => Self::Theirs,
            ConflictChoice::Beside => Self::Beside,
        }
    }
}

/// Stands for the entry at which the conversation is.
pub const HERE: &str = "";

/// Where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreTarget {
    /// To how it was at an entry.
    To(String, RestoreScope),
    /// To how it would be without the turn that an entry belongs to; the conversation stays.
    Without(String),
}

impl RestoreTarget {
    /// The same with an entry in the place of [`HERE`].
    #[must_use]
    #[doc(hidden)]
    pub fn from(self, here: Option<&str>) -> Self {
        let entry = |entry: String| if entry == HERE { here.unwrap_or_default().to_string() } else { entry };
        match self {
            Self::To(to, what) => Self::To(entry(to), what),
            Self::Without(of) => Self::Without(entry(of)),
        }
    }
}

/// One path of a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(hidden)]
pub struct PreviewPath {
    /// Which.
    pub name: Name,
    /// What is there.
    pub from: Option<Node>,
    /// What is to be there; of a conflict what was recorded.
    pub to: Option<Node>,
    /// How the texts differ; `None` where they are none, or too long.
    pub diff: Option<LineDiff>,
    /// Whether both sides' changes were put together.
    pub merged: bool,
    /// Where both sides changed it and somebody has to decide.
    pub conflict: Option<Conflict>,
}

impl PreviewPath {
    /// What happens to it, in git's letters; `U` where somebody has to decide.
    pub fn letter(&self) -> char {
        match (self.from, self.to) {
            _ if self.conflict.is_some() => 'U',
            (None, _) => 'A',
            (_, None) => 'D',
            (Some(Node::File { .. }), Some(Node::File { .. })) => 'M',
            _ => 'T',
        }
    }

    /// For scripts and programs.
    pub fn json(&self) -> Value {
        json!({
            "path": self.name.to_string(),
            "status": self.letter().to_string(),
            "added": self.diff.as_ref().map(|diff| diff.added),
            "removed": self.diff.as_ref().map(|diff| diff.removed),
            "merged": self.merged,
            "conflict": self.conflict.as_ref().map(|conflict| conflict.clash.words()),
            "outcome": self.conflict.as_ref().map(|conflict| conflict.decision.outcome()),
        })
    }
}

/// What a way back would do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preview {
    /// Where to.
    pub way: RestoreTarget,
    /// What changes and what has to be decided, by path; folders only where nothing else tells of them.
    #[doc(hidden)]
    pub files: Vec<PreviewPath>,
    /// What stays though it was different, and why.
    #[doc(hidden)]
    pub left: Vec<(Name, &'static str)>,
}

impl Preview {
    /// How many paths wait for a decision.
    pub fn conflicts(&self) -> usize {
        self.files.iter().filter(|file| file.conflict.is_some()).count()
    }

    /// The same decision for all of them.
    #[doc(hidden)]
    pub fn decide(&self, decision: Decision) -> Decisions {
        let conflicts = self.files.iter().filter(|file| file.conflict.is_some());
        conflicts.map(|file| (file.name.clone(), decision)).collect()
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let left = self.left.iter().map(|(name, why)| json!({"path": name.to_string(), "why": why}));
        json!({
            "files": self.files.iter().map(PreviewPath::json).collect::<Vec<_>>(), "left": left.collect::<Vec<_>>(),
            "conflicts": self.conflicts(),
        })
    }
}

/// What a way back did.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Restored {
    /// Where to.
    pub way: RestoreTarget,
    /// What was done on the disk.
    #[doc(hidden)]
    pub applied: Applied,
    /// What stayed because both sides had changed it.
    #[doc(hidden)]
    pub conflicts: Vec<Conflict>,
    /// What both sides had changed and was put together.
    #[doc(hidden)]
    pub merged: Vec<Name>,
    /// The entry at which one finds what was there before; `None` where files were not touched.
    pub undo: Option<String>,
    /// What the user may want to say differently, where the conversation went before his words.
    pub said: Option<UserMessage>,
}

impl Restored {
    /// For programs.
    pub fn json(&self) -> Value {
        let failed =
            self.applied.failed.iter().map(|(name, why)| json!({"path": name.to_string(), "why": why}));
        let conflicts = self.conflicts.iter().map(|conflict| {
            let why = conflict.clash.words();
            json!({"path": conflict.name.to_string(), "why": why, "outcome": conflict.decision.outcome()})
        });
        let merged = self.merged.iter().map(ToString::to_string);
        json!({
            "done": self.applied.done, "failed": failed.collect::<Vec<_>>(),
            "conflicts": conflicts.collect::<Vec<_>>(), "merged": merged.collect::<Vec<_>>(), "undo": self.undo,
            "text": self.said.as_ref().map(|said| join_text(&said.content)),
        })
    }

    /// A way on which no file was looked at.
    pub(super) fn nothing(way: RestoreTarget) -> Self {
        let applied = Applied::default();
        Self { way, applied, conflicts: Vec::new(), merged: Vec::new(), undo: None, said: None }
    }
}
