//! An edit of a document, with its author and the resulting selection.

use super::changes::ChangeSet;
use super::rope::Text;
use super::selection::Selection;
use crate::text::file_format::format::Format;

/// Author of an edit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Author {
    /// The user at the keyboard.
    #[default]
    User,
    /// The agent; the text, made by [`agents_edit`], identifies the edit.
    Agent(String),
    /// The user, reverting one edit of the agent, or all of one turn: the text of that edit, or the turn's
    /// part of it.
    Revert(String),
    /// The file changed on disk and was reloaded.
    External,
    /// Cleanup before saving.
    Formatter,
    /// A plugin of this name, called by the user.
    Plugin(String),
}

/// Separator in the name of an agent's edit.
const EDIT: &str = " edit ";

/// Returns the name of the agent's edit number `edit` in a turn.
pub fn agent_edit_name(turn: u64, edit: u64) -> String {
    format!("run {turn}{EDIT}{edit}")
}

/// Returns the turn's part of the name of an agent's edit.
pub fn turn_name(edit: &str) -> &str {
    edit.split_once(EDIT).map_or(edit, |(turn, _)| turn)
}

/// Returns the turn number of an agent's edit; later turns have greater numbers.
pub fn turn_number(edit: &str) -> u64 {
    turn_name(edit).strip_prefix("run ").and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Whether `by` names an agent's edit, or its turn.
pub fn belongs_to(edit: &str, by: &str) -> bool {
    edit == by || turn_name(edit) == by
}

/// How an edit is grouped with the previous one in the undo tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// Always a separate step.
    #[default]
    Separate,
    /// Joins a burst of typing that it continues.
    Typing,
    /// Joins a burst of deletions that it continues.
    Erasing,
    /// Joins the last edit, if that is the author's.
    Joined,
}

/// An edit: the change, the resulting selection (mapped through the change when `None`), the author, and the
/// undo grouping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// The change.
    pub changes: ChangeSet,
    /// The selection afterwards.
    pub selection: Option<Selection>,
    /// The author.
    pub author: Author,
    /// The undo grouping.
    pub grouping: Grouping,
    /// The text's format from then on, if it changes.
    pub format: Option<Format>,
    /// The precomputed result, if any.
    pub prepared: Option<PreparedChange>,
}

/// The precomputed result of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedChange {
    /// The changed text.
    pub after: Text,
    /// The inverse change.
    pub backward: ChangeSet,
}

impl PreparedChange {
    /// Computes it; slow for changes with many edits.
    pub fn new(changes: &ChangeSet, text: &Text) -> Self {
        let mut after = text.clone();
        changes.apply(&mut after);
        Self { after, backward: changes.invert(text) }
    }
}

impl Transaction {
    /// Creates an edit of the user that is a separate undo step.
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

    /// Precomputes the result of applying it to its text, in a task: then even a large change only exchanges
    /// texts.
    #[must_use]
    pub fn prepare(mut self, text: &Text) -> Self {
        let ready = PreparedChange::new(&self.changes, text);
        self.changes.prepare();
        ready.backward.prepare();
        self.prepared = Some(ready);
        self
    }

    /// Sets the undo grouping.
    #[must_use]
    pub fn group(mut self, grouping: Grouping) -> Self {
        self.grouping = grouping;
        self
    }

    /// Sets the text's format from then on; undo restores the old one.
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
