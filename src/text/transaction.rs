//! An edit of a document with its author and what it selects afterwards.

use super::changes::ChangeSet;
use super::rope::Text;
use super::selection::Selection;
use crate::text::file_format::format::Format;

/// Who made an edit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Author {
    /// The user at the keyboard.
    #[default]
    User,
    /// The agent; the text, made by [`agents_edit`], tells which of its edits.
    Agent(String),
    /// The user, taking back one edit of the agent's alone, or all of one turn: the text of that
    /// edit, or the turn's part of it.
    Revert(String),
    /// The file changed on disk and was read again.
    External,
    /// What cleans a text before it is saved.
    Formatter,
    /// A plugin of this name, called by the user.
    Plugin(String),
}

/// What stands between the two parts of the name of an agent's edit.
const EDIT: &str = " edit ";

/// The name of the agent's edit number `edit` in a turn of its.
pub fn agent_edit_name(turn: u64, edit: u64) -> String {
    format!("run {turn}{EDIT}{edit}")
}

/// The turn's part of the name of an agent's edit.
pub fn turn_name(edit: &str) -> &str {
    edit.split_once(EDIT).map_or(edit, |(turn, _)| turn)
}

/// The number of the turn in which an agent's edit was made; later ones are greater.
pub fn turn_number(edit: &str) -> u64 {
    turn_name(edit).strip_prefix("run ").and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Whether `by` names an agent's edit, or the turn that it belongs to.
pub fn belongs_to(edit: &str, by: &str) -> bool {
    edit == by || turn_name(edit) == by
}

/// How an edit joins the one before it in the undo tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// Always a step of its own.
    #[default]
    Separate,
    /// Joins a burst of typing that it continues.
    Typing,
    /// Joins a burst of deletions that it continues.
    Erasing,
}

/// One edit: what changes, what is selected afterwards (mapped through the change when
/// `None`), who made it, and how it is undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// What was done.
    pub changes: ChangeSet,
    /// The selection afterwards.
    pub selection: Option<Selection>,
    /// Who made it.
    pub author: Author,
    /// How it is undone.
    pub grouping: Grouping,
    /// The text's format from then on, where it becomes another one.
    pub format: Option<Format>,
    /// What applying it comes to, where that was found beforehand.
    pub prepared: Option<PreparedChange>,
}

/// What a change makes of the text that it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedChange {
    /// The text with it.
    pub after: Text,
    /// What takes it back.
    pub backward: ChangeSet,
}

impl PreparedChange {
    /// Finds it; takes time for changes of many places.
    pub fn new(changes: &ChangeSet, text: &Text) -> Self {
        let mut after = text.clone();
        changes.apply(&mut after);
        Self { after, backward: changes.invert(text) }
    }
}

impl Transaction {
    /// An edit by the user, undone as a step of its own.
    pub fn new(changes: ChangeSet) -> Self {
        Self {
            changes,
            selection: None,
            author: Author::User,
            grouping: Grouping::Separate,
            format: None,
            prepared: None,
        }
    }

    /// Sets the selection afterwards.
    #[must_use]
    pub fn select(mut self, selection: Selection) -> Self {
        self.selection = Some(selection);
        self
    }

    /// Finds beforehand, in a task, what applying it to its text comes to: then a change of
    /// however many places is an exchange of texts.
    #[must_use]
    pub fn prepare(mut self, text: &Text) -> Self {
        let ready = PreparedChange::new(&self.changes, text);
        self.changes.prepare();
        ready.backward.prepare();
        self.prepared = Some(ready);
        self
    }

    /// Sets how it is undone.
    #[must_use]
    pub fn group(mut self, grouping: Grouping) -> Self {
        self.grouping = grouping;
        self
    }

    /// Sets the format that the text has from then on; undo brings the one before back.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets the author.
    #[must_use]
    pub fn with_author(mut self, author: Author) -> Self {
        self.author = author;
        self
    }
}
