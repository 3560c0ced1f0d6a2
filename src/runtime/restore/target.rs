//! Restore targets, previews and results. Plain data; must not know how a restore is carried out.

use serde_json::Value;

use crate::base::json::json;

use crate::llm::model::UserMessage;
use crate::llm::model::message::join_text;
use crate::patch::diff::LineDiff;
use crate::workspace::checkpoint::{Applied, Conflict, Decision, Decisions, Name, Node};

/// What a restore changes.
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
    /// Parses the scope.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "conversation" => Some(Self::Conversation),
            "code" => Some(Self::Code),
            "both" => Some(Self::Both),
            _ => None,
        }
    }
}

/// Decision for all conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConflictChoice {
    /// Keep the present version.
    #[default]
    Ours,
    /// Replace it with the recorded version.
    Theirs,
    /// Write the recorded version to a file beside it.
    KeepBoth,
}

impl From<ConflictChoice> for Decision {
    fn from(take: ConflictChoice) -> Self {
        match take {
            ConflictChoice::Ours => Self::Ours,
            ConflictChoice::Theirs => Self::Theirs,
            ConflictChoice::KeepBoth => Self::KeepBoth,
        }
    }
}

/// Placeholder for the entry at which the conversation is.
pub const CURRENT_ENTRY: &str = "";

/// Target of a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreTarget {
    /// The state at an entry.
    To(String, RestoreScope),
    /// The present state without the changes of the turn of an entry; the conversation stays.
    RevertTurn(String),
}

impl RestoreTarget {
    /// Replaces [`HERE`] with an entry.
    #[must_use]
    #[doc(hidden)]
    pub fn resolve_current(self, here: Option<&str>) -> Self {
        let entry =
            |entry: String| if entry == CURRENT_ENTRY { here.unwrap_or_default().to_string() } else { entry };
        match self {
            Self::To(to, scope) => Self::To(entry(to), scope),
            Self::RevertTurn(entry_id) => Self::RevertTurn(entry(entry_id)),
        }
    }
}

/// One path of a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(hidden)]
pub struct PreviewPath {
    /// The path.
    pub name: Name,
    /// The present node.
    pub from: Option<Node>,
    /// The node after the restore; for a conflict the recorded one.
    pub to: Option<Node>,
    /// The text diff; `None` for files that are not text or too long.
    pub diff: Option<LineDiff>,
    /// Whether the changes of both sides were merged.
    pub merged: bool,
    /// The conflict, if both sides changed it and a decision is needed.
    pub conflict: Option<Conflict>,
}

impl PreviewPath {
    /// Returns the change as git's status letter; `U` for a conflict.
    pub fn letter(&self) -> char {
        match (self.from, self.to) {
            _ if self.conflict.is_some() => 'U',
            (None, _) => 'A',
            (_, None) => 'D',
            (Some(Node::File { .. }), Some(Node::File { .. })) => 'M',
            _ => 'T',
        }
    }

    /// Returns it as JSON.
    pub fn json(&self) -> Value {
        json!({
            "path": self.name.to_string(),
            "status": self.letter().to_string(),
            "added": self.diff.as_ref().map(|diff| diff.added),
            "removed": self.diff.as_ref().map(|diff| diff.removed),
            "merged": self.merged,
            "conflict": self.conflict.as_ref().map(|conflict| conflict.reason.text()),
            "outcome": self.conflict.as_ref().map(|conflict| conflict.decision.outcome()),
        })
    }
}

/// The preview of a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preview {
    /// Where to.
    pub target: RestoreTarget,
    /// Changed paths and conflicts, sorted by path; folders only when no other path implies them.
    #[doc(hidden)]
    pub files: Vec<PreviewPath>,
    /// Paths that differ but are kept, and why.
    #[doc(hidden)]
    pub skipped: Vec<(Name, &'static str)>,
}

impl Preview {
    /// Returns the number of conflicts.
    pub fn conflicts(&self) -> usize {
        self.files.iter().filter(|file| file.conflict.is_some()).count()
    }

    /// Returns the same decision for all of them.
    #[doc(hidden)]
    pub fn decide(&self, decision: Decision) -> Decisions {
        let conflicts = self.files.iter().filter(|file| file.conflict.is_some());
        conflicts.map(|file| (file.name.clone(), decision)).collect()
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let skipped =
            self.skipped.iter().map(|(name, reason)| json!({"path": name.to_string(), "why": reason}));
        json!({
            "files": self.files.iter().map(PreviewPath::json).collect::<Vec<_>>(), "left": skipped.collect::<Vec<_>>(),
            "conflicts": self.conflicts(),
        })
    }
}

/// The result of a restore.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Restored {
    /// Where to.
    pub target: RestoreTarget,
    /// Changes made on disk.
    #[doc(hidden)]
    pub applied: Applied,
    /// Conflicts that were kept unchanged.
    #[doc(hidden)]
    pub conflicts: Vec<Conflict>,
    /// Paths where both sides' changes were merged.
    #[doc(hidden)]
    pub merged: Vec<Name>,
    /// The entry that holds the previous state; `None` when files were not touched.
    pub undo: Option<String>,
    /// The user message that goes back to the prompt, when the conversation moved before it.
    pub message: Option<UserMessage>,
}

impl Restored {
    /// For programs.
    pub fn json(&self) -> Value {
        let failed =
            self.applied.failed.iter().map(|(name, reason)| json!({"path": name.to_string(), "why": reason}));
        let conflicts = self.conflicts.iter().map(|conflict| {
            let reason = conflict.reason.text();
            json!({"path": conflict.name.to_string(), "why": reason, "outcome": conflict.decision.outcome()})
        });
        let merged = self.merged.iter().map(ToString::to_string);
        json!({
            "done": self.applied.done, "failed": failed.collect::<Vec<_>>(),
            "conflicts": conflicts.collect::<Vec<_>>(), "merged": merged.collect::<Vec<_>>(), "undo": self.undo,
            "text": self.message.as_ref().map(|said| join_text(&said.content)),
        })
    }

    /// Returns a result without file changes.
    pub(super) fn without_files(target: RestoreTarget) -> Self {
        let applied = Applied::default();
        Self { target, applied, conflicts: Vec::new(), merged: Vec::new(), undo: None, message: None }
    }
}
