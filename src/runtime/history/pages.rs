//! Pages of older messages: a front end starts with the end of a conversation and loads the rest page by
//! page.
//!
//! Must not know who displays them. Pages are read concurrently with the session.

use std::sync::Arc;

use crate::base::error::Report;
use crate::runtime::controls::handle::Handle;
use crate::session::derived::recent::PageLimit;
use crate::session::format::message::{AgentMessage, MessagePage, PagePosition};

/// Limits of a page.
const PAGE: PageLimit = PageLimit { messages: 1000, bytes: 4 << 20 };
/// Limits of the older user messages for the prompt's history.
const USER_MESSAGES: PageLimit = PageLimit { messages: 2000, bytes: 2 << 20 };

impl Handle {
    /// Returns the messages before those that a [`crate::runtime::Snapshot`] or another page starts with;
    /// empty when another session has replaced theirs.
    #[doc(hidden)]
    pub async fn earlier_messages(&self, earlier: PagePosition) -> Result<MessagePage, Report> {
        self.read_session_copy(move |session| session.page_before(&earlier, PAGE)).await
    }

    /// Returns the user's messages before those, oldest first; only the latest when there are very many.
    #[doc(hidden)]
    pub async fn earlier_user_messages(
        &self,
        earlier: PagePosition,
    ) -> Result<Vec<Arc<AgentMessage>>, Report> {
        self.read_session_copy(move |session| session.user_messages_before(&earlier, USER_MESSAGES)).await
    }
}
