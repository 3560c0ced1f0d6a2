//! Ways back in a session, what they would do and what they did. Plain data; must not know how one goes them.

use crate::llm::model::UserMessage;
use crate::patch::diff::LineDiff;
use crate::workspace::checkpoint::{Applied, Conflict, Name, Node};

/// What goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The conversation; files stay.
    Conversation,
    /// The files; the conversation stays.
    Code,
    /// Both.
    Both,
}

impl What {
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

/// Stands for the entry at which the conversation is.
pub const HERE: &str = "";

/// Where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// To how it was at an entry.
    To(String, What),
    /// To how it would be without the turn that an entry belongs to; the conversation stays.
    Without(String),
}

impl Way {
    /// The same with an entry in the place of [`HERE`].
    #[must_use]
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
pub struct Shown {
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

/// What a way back would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Where to.
    pub way: Way,
    /// What changes and what has to be decided, by path; folders only where nothing else tells of them.
    pub files: Vec<Shown>,
    /// What stays though it was different, and why.
    pub left: Vec<(Name, &'static str)>,
}

impl Preview {
    /// How many paths wait for a decision.
    pub fn conflicts(&self) -> usize {
        self.files.iter().filter(|file| file.conflict.is_some()).count()
    }
}

/// What a way back did.
#[derive(Debug, Clone, PartialEq)]
pub struct Restored {
    /// Where to.
    pub way: Way,
    /// What was done on the disk.
    pub applied: Applied,
    /// What stayed because both sides had changed it.
    pub conflicts: Vec<Conflict>,
    /// What both sides had changed and was put together.
    pub merged: Vec<Name>,
    /// The entry at which one finds what was there before; `None` where files were not touched.
    pub undo: Option<String>,
    /// What the person may want to say differently, where the conversation went before his words.
    pub said: Option<UserMessage>,
}

impl Restored {
    /// A way on which no file was looked at.
    pub(super) fn nothing(way: Way) -> Self {
        let applied = Applied::default();
        Self { way, applied, conflicts: Vec::new(), merged: Vec::new(), undo: None, said: None }
    }
}
