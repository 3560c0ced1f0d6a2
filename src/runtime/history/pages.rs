//! Pages of older messages: a front end starts with the end of a conversation and loads the rest page by
//! page.
//!
//! Must not know who displays them. Pages are read concurrently with the session.

use std::sync::Arc;

use crate::base::error::Report;
use crate::runtime::controls::handle::Handle;
use crate::session::derived::recent::Bound;
use crate::session::format::message::{AgentMessage, Earlier, Piece};

/// Limits of a page.
const PIECE: Bound = Bound { messages: 1000, bytes: 4 << 20 };
/// Limits of the older user messages for the prompt's history.
const SAID: Bound = Bound { messages: 2000, bytes: 2 << 20 };

impl Handle {
    /// Returns the messages before those that a [`crate::runtime::Snapshot`] or another page starts with;
    /// empty when another session has replaced theirs.
    #[doc(hidden)]
    pub async fn earlier(&self, earlier: Earlier) -> Result<Piece, Report> {
        self.beside(move |session| session.before(&earlier, PIECE)).await
    }

    /// Returns the user's messages before those, oldest first; only the latest when there are very many.
    #[doc(hidden)]
    pub async fn said_before(&self, earlier: Earlier) -> Result<Vec<Arc<AgentMessage>>, Report> {
        self.beside(move |session| session.said_before(&earlier, SAID)).await
    }
}
