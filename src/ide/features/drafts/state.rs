//! State of the feature: whose message is in the prompt, those of the other sessions, and when to write.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::ide::core::options::Options;
use crate::ide::core::slots::Slot;
use crate::ide::features::drafts::store::DraftStore;
use crate::ide::model::draft::Draft;
use crate::llm::model::UserMessage;

/// Slot of the feature's state.
pub const DRAFTS: Slot<Drafts> = Slot::new();

/// State of the feature.
#[derive(Debug)]
pub struct Drafts {
    /// Whether messages are kept for the next start.
    pub is_kept: bool,
    /// Where they are kept.
    pub store: Arc<DraftStore>,
    /// The session whose message is in the prompt; `None` before the first is connected.
    pub owner: Option<Owner>,
    /// The messages of sessions that were left in this run, by their names in the store.
    pub left: BTreeMap<String, Draft>,
    /// [`Prompt::revision`](crate::ide::model::prompt::Prompt::revision) of the message last written or shown.
    pub seen: (u64, u64, usize),
    /// Whether the owner's stored message is still being read: what would be written instead waits for it.
    pub is_loading: bool,
    /// When to write, on the monotonic clock.
    pub due: Option<Duration>,
    /// Whether the user was told that the message cannot be kept.
    pub is_reported: bool,
    /// Number of sessions connected so far.
    pub switches: u64,
    /// Messages that came before the session that they belong to.
    pub arriving: Vec<UserMessage>,
    number: u64,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Its id.
    pub session: String,
    /// Whether it has a file, so that it can be continued.
    pub is_stored: bool,
}

impl Drafts {
    /// Returns the state from the options.
    pub fn from_options(options: &Options) -> Self {
        Self {
            is_kept: options.keep_drafts,
            store: Arc::new(DraftStore::new(&options.state, &options.workspace)),
            owner: None,
            left: BTreeMap::new(),
            seen: (0, 0, 0),
            is_loading: false,
            due: None,
            is_reported: false,
            switches: 0,
            arriving: Vec::new(),
            number: 0,
        }
    }

    /// Returns the name of the owner's message in the store.
    pub fn name(&self) -> Option<String> {
        let owner = self.owner.as_ref()?;
        Some(self.store.name_of(Some(&*owner.session).filter(|_| owner.is_stored)))
    }

    /// Returns the number of the next write.
    pub fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }
}
