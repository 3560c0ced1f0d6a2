//! Partial views of a conversation: its end, the pages before that, and its model.

use std::sync::Arc;

use super::Session;
use crate::session::SessionContext;
use crate::session::derived::recent::{self, ModelChoice, PageLimit};
use crate::session::format::message::{AgentMessage, MessagePage, PagePosition};

impl Session {
    /// Returns the leaf, if the conversation can be read from its end: not when an entry precedes its parent
    /// in the file.
    fn ordered_leaf(&self) -> Option<u32> {
        self.tree.leaf_index().filter(|_| self.tree.is_ordered())
    }

    /// Returns the end of [`Session::context`]. Decodes no more than that.
    pub fn recent(&self, bound: PageLimit) -> MessagePage {
        match self.ordered_leaf() {
            Some(leaf) => recent::last_page(&self.tree, leaf, bound),
            None => MessagePage { messages: self.context().messages, earlier: None },
        }
    }

    /// Returns the page before another one, wherever the leaf is now; empty when that belongs to another
    /// session.
    pub fn page_before(&self, earlier: &PagePosition, bound: PageLimit) -> MessagePage {
        recent::page_before(&self.tree, earlier, bound)
    }

    /// Returns the user's messages before a page, oldest first; only the latest.
    pub fn user_messages_before(&self, earlier: &PagePosition, bound: PageLimit) -> Vec<Arc<AgentMessage>> {
        recent::user_messages_before(&self.tree, earlier, bound)
    }

    /// Returns model and thinking level, as in [`Session::context`].
    pub fn model_choice(&self) -> ModelChoice {
        match self.ordered_leaf() {
            Some(leaf) => recent::model_choice(&self.tree, leaf),
            None => ModelChoice::from(&self.context()),
        }
    }

    /// Returns the number of messages in [`Session::context`]. If `known` has the number at an ancestor, only
    /// later entries are read.
    pub fn count_messages(&self, known: Option<(u32, usize)>) -> usize {
        match self.ordered_leaf() {
            Some(leaf) => recent::count_messages(&self.tree, leaf, known),
            None => self.context().messages.len(),
        }
    }

    /// [`Session::context`] for a caller that keeps its messages: none of them stays cached here.
    pub fn take_context(&self) -> SessionContext {
        let context = self.context();
        self.drop_cached_messages();
        context
    }

    /// Searches the messages since the last compaction or edit, latest first.
    pub fn find_recent<T>(&self, mut find: impl FnMut(&AgentMessage) -> Option<T>) -> Option<T> {
        if let Some(leaf) = self.ordered_leaf() {
            return recent::find_latest(&self.tree, leaf, find);
        }
        let context = self.context();
        let since = context.messages.get(context.kept..).unwrap_or_default();
        since.iter().rev().find_map(|message| find(message))
    }
}
