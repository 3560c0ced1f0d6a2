//! Partial views of a conversation: its end, the pages before that, and its model.

use std::sync::Arc;

use super::Session;
use crate::session::SessionContext;
use crate::session::derived::recent::{self, Bound, Chosen};
use crate::session::format::message::{AgentMessage, Earlier, Piece};

impl Session {
    /// Returns the leaf, if the conversation can be read from its end: not when an entry precedes its parent
    /// in the file.
    fn end(&self) -> Option<u32> {
        self.tree.leaf_index().filter(|_| self.tree.is_ordered())
    }

    /// Returns the end of [`Session::context`]. Decodes no more than that.
    pub fn recent(&self, bound: Bound) -> Piece {
        match self.end() {
            Some(leaf) => recent::last(&self.tree, leaf, bound),
            None => Piece { messages: self.context().messages, earlier: None },
        }
    }

    /// Returns the page before another one, wherever the leaf is now; empty when that belongs to another
    /// session.
    pub fn before(&self, earlier: &Earlier, bound: Bound) -> Piece {
        recent::before(&self.tree, earlier, bound)
    }

    /// Returns the user's messages before a page, oldest first; only the latest.
    pub fn said_before(&self, earlier: &Earlier, bound: Bound) -> Vec<Arc<AgentMessage>> {
        recent::said_before(&self.tree, earlier, bound)
    }

    /// Returns model and thinking level, as in [`Session::context`].
    pub fn chosen(&self) -> Chosen {
        match self.end() {
            Some(leaf) => recent::chosen(&self.tree, leaf),
            None => Chosen::from(&self.context()),
        }
    }

    /// Returns the number of messages in [`Session::context`]. If `known` has the number at an ancestor, only
    /// later entries are read.
    pub fn count(&self, known: Option<(u32, usize)>) -> usize {
        match self.end() {
            Some(leaf) => recent::count(&self.tree, leaf, known),
            None => self.context().messages.len(),
        }
    }

    /// [`Session::context`] for a caller that keeps its messages: none of them stays cached here.
    pub fn take_context(&self) -> SessionContext {
        let context = self.context();
        self.forget();
        context
    }

    /// Searches the messages since the last compaction or edit, latest first.
    pub fn find_recent<T>(&self, mut find: impl FnMut(&AgentMessage) -> Option<T>) -> Option<T> {
        if let Some(leaf) = self.end() {
            return recent::find(&self.tree, leaf, find);
        }
        let context = self.context();
        let since = context.messages.get(context.kept..).unwrap_or_default();
        since.iter().rev().find_map(|message| find(message))
    }
}
