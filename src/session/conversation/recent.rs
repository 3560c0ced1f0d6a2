//! A conversation without all of its messages: its end, what stands before that, and who answers in it.

use std::sync::Arc;

use super::Session;
use crate::session::SessionContext;
use crate::session::derived::recent::{self, Bound, Chosen};
use crate::session::format::message::{AgentMessage, Earlier, Piece};

impl Session {
    /// The leaf, where the conversation can be looked at from its end: where an entry stands before its parent it
    /// cannot.
    fn end(&self) -> Option<u32> {
        self.tree.leaf_index().filter(|_| self.tree.is_ordered())
    }

    /// The end of [`Session::context`]. Decodes no more than that.
    pub fn recent(&self, bound: Bound) -> Piece {
        match self.end() {
            Some(leaf) => recent::last(&self.tree, leaf, bound),
            None => Piece { messages: self.context().messages, earlier: None },
        }
    }

    /// The piece before another one, wherever the leaf is now; nothing where that is of another session.
    pub fn before(&self, earlier: &Earlier, bound: Bound) -> Piece {
        recent::before(&self.tree, earlier, bound)
    }

    /// What the user said before a piece, oldest first: the latest of it.
    pub fn said_before(&self, earlier: &Earlier, bound: Bound) -> Vec<Arc<AgentMessage>> {
        recent::said_before(&self.tree, earlier, bound)
    }

    /// Who answers, as [`Session::context`] has it.
    pub fn chosen(&self) -> Chosen {
        match self.end() {
            Some(leaf) => recent::chosen(&self.tree, leaf),
            None => Chosen::from(&self.context()),
        }
    }

    /// How many messages [`Session::context`] has. Where `known` is how many it had at a place on the way, only what
    /// follows is read.
    pub fn count(&self, known: Option<(u32, usize)>) -> usize {
        match self.end() {
            Some(leaf) => recent::count(&self.tree, leaf, known),
            None => self.context().messages.len(),
        }
    }

    /// [`Session::context`] for a caller that keeps its messages: nothing of them stays in memory here.
    pub fn take_context(&self) -> SessionContext {
        let context = self.context();
        self.forget();
        context
    }

    /// Looks at the messages since the last compaction or edit, the latest first, until something is found.
    pub fn find_recent<T>(&self, mut find: impl FnMut(&AgentMessage) -> Option<T>) -> Option<T> {
        if let Some(leaf) = self.end() {
            return recent::find(&self.tree, leaf, find);
        }
        let context = self.context();
        let since = context.messages.get(context.kept..).unwrap_or_default();
        since.iter().rev().find_map(|message| find(message))
    }
}
