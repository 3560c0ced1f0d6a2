//! Where a conversation can go from, and what there is to see of it on the way.

use std::collections::HashMap;

use super::Session;
use crate::llm::model::{Message, Usage, UserMessage};
use crate::session::derived::outline::turn::{self, Turn};
use crate::session::derived::outline::{self, Filter, Outline, words};
use crate::session::format::error::SessionError;
use crate::session::restore::checkpoints;
use crate::session::{AgentMessage, EntryBody, Role};

impl Session {
    /// The tree as rows.
    pub fn outline(&self, filter: Filter) -> Outline {
        let labels: HashMap<String, String> = self.labels();
        outline::outline(&self.tree, &labels, filter)
    }

    /// What an entry says, in a line; `None` when there is no such entry.
    pub fn words(&self, id: &str) -> Option<String> {
        self.tree.get(id).map(words::of)
    }

    /// The turn that an entry belongs to; `None` when there is no such entry.
    pub fn turn(&self, id: &str) -> Option<Turn> {
        turn::of(&self.tree, id)
    }

    /// The entry that leads back from the last way back of the workspace, whichever branch that is on.
    pub fn way_back(&self) -> Option<String> {
        checkpoints::of(self.tree.entry(self.restored?))?.undo
    }

    /// What was spent on the way to the leaf.
    pub fn spent(&mut self) -> Usage {
        self.sums.to(&self.tree, self.tree.leaf_index())
    }

    /// Behind which entry a conversation goes on that goes another way from this one: behind it, but of what
    /// the user said before it, and he gets his words back.
    pub fn way_to(&self, id: &str) -> Result<(Option<String>, Option<UserMessage>), SessionError> {
        let Some(entry) = self.tree.get(id) else { return Err(SessionError::NoSuchEntry(id.to_string())) };
        if entry.role() != Role::User {
            return Ok((Some(id.to_string()), None));
        }
        let before = entry.parent_id().filter(|parent| self.tree.contains(parent)).map(str::to_string);
        match entry.body() {
            EntryBody::Message { message: AgentMessage::Llm(Message::User(said)) } => {
                Ok((before, Some(said)))
            }
            _ => Ok((Some(id.to_string()), None)),
        }
    }
}
