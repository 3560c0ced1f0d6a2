//! Navigation targets of a conversation, and information about them.

use std::collections::HashMap;

use super::Session;
use crate::llm::model::{Message, Usage, UserMessage};
use crate::session::derived::comparison::{self, Points};
use crate::session::derived::outline::turn::{self, Turn, TurnSummary};
use crate::session::derived::outline::{self, Filter, Outline, entry_line};
use crate::session::format::error::SessionError;
use crate::session::restore::checkpoints;
use crate::session::{AgentMessage, EntryBody, Role};

impl Session {
    /// Returns the tree as rows.
    pub fn outline(&self, filter: Filter) -> Outline {
        let labels: HashMap<String, String> = self.labels();
        outline::outline(&self.tree, &labels, filter)
    }

    /// Returns an entry's text as one line; `None` when there is no such entry.
    pub fn entry_line(&self, id: &str) -> Option<String> {
        self.tree.get(id).map(entry_line::of_entry)
    }

    /// Returns the turn of an entry; `None` when there is no such entry.
    pub fn turn(&self, id: &str) -> Option<Turn> {
        turn::turn_of(&self.tree, id)
    }

    /// Returns what a turn was and did, for each of these messages of the user; other entries are skipped.
    pub fn turn_summaries(&self, ids: &[String]) -> Vec<(String, TurnSummary)> {
        turn::summaries(&self.tree, ids)
    }

    /// Returns two entries to be compared; `None` when one of them is missing.
    pub fn points(&self, from: &str, to: &str) -> Option<Points> {
        comparison::points(&self.tree, from, to)
    }

    /// Returns the entry that undoes the last restore of the workspace, on any branch.
    pub fn undo_entry(&self) -> Option<String> {
        checkpoints::from_entry(self.tree.entry(self.last_restore?))?.undo
    }

    /// Returns the usage along the path to the leaf.
    pub fn usage(&mut self) -> Usage {
        self.usage_totals.usage_to(&self.tree, self.tree.leaf_index())
    }

    /// Returns the entry after which a branch from this one continues: the entry itself, but for a user
    /// message the one before it, together with the message, which goes back to the prompt.
    pub fn branch_point(&self, id: &str) -> Result<(Option<String>, Option<UserMessage>), SessionError> {
        let Some(entry) = self.tree.get(id) else { return Err(SessionError::NoSuchEntry(id.to_string())) };
        if entry.role() != Role::User {
            return Ok((Some(id.to_string()), None));
        }
        let before = entry.parent_id().filter(|parent| self.tree.contains(parent)).map(str::to_string);
        match entry.body() {
            EntryBody::Message { message: AgentMessage::Llm(Message::User(message)) } => {
                Ok((before, Some(message)))
            }
            _ => Ok((Some(id.to_string()), None)),
        }
    }
}
