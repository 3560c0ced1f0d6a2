//! What was said before the messages that a front end has: it joins with the end of a conversation, and asks for
//! the rest piece by piece, as the user comes to it.
//!
//! Must not know who shows it. Pieces are read beside the session, which goes on meanwhile.

use std::sync::Arc;

use crate::base::error::Report;
use crate::runtime::controls::handle::Handle;
use crate::session::derived::recent::Bound;
use crate::session::format::message::{AgentMessage, Earlier, Piece};

/// Messages of a piece.
const PIECE: Bound = Bound { messages: 1000, bytes: 4 << 20 };
/// Words of the user before them, for the history of the prompt.
const SAID: Bound = Bound { messages: 2000, bytes: 2 << 20 };

impl Handle {
    /// The messages before those that a [`crate::runtime::Snapshot`] or another piece begins with; nothing where another
    /// session has taken the place of theirs.
    #[doc(hidden)]
    pub async fn earlier(&self, earlier: Earlier) -> Result<Piece, Report> {
        self.beside(move |session| session.before(&earlier, PIECE)).await
    }

    /// What the user said before those, oldest first; of very much of it the latest.
    #[doc(hidden)]
    pub async fn said_before(&self, earlier: Earlier) -> Result<Vec<Arc<AgentMessage>>, Report> {
        self.beside(move |session| session.said_before(&earlier, SAID)).await
    }
}
