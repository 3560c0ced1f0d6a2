//! Somebody who waits to be elsewhere in the conversation, until a summary is written. Plain data.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::event::Snapshot;
use super::outfit::Equipment;
use crate::base::error::Report;

/// Who waits, and what he is told beside the conversation.
pub(super) struct Moving {
    /// Gets the answer.
    pub(super) reply: oneshot::Sender<Result<Snapshot, Report>>,
    /// What the agent works with.
    pub(super) equipment: Arc<Equipment>,
}
