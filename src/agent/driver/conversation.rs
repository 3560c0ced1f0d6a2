//! The conversation that a driver has a model go on with: read, replaced, told in the tools that there are. Must not
//! know where it is kept.

use super::{Driver, Listener};
use crate::agent::request::translate;
use crate::llm::model::Message;

impl<L: Listener> Driver<L> {
    /// Tells the conversation anew with the next request, because other tools are there.
    pub fn tell_anew(&mut self) {
        self.told = None;
    }

    /// Goes on with another conversation.
    pub fn set_history(&mut self, history: Vec<Message>) {
        (self.setup.history, self.told, self.unread) = (history, Some(0), false);
    }

    /// Goes on with the conversation that the listener keeps, which is read when it is needed: a session that is
    /// only looked at has no second copy of it.
    pub fn read_history_later(&mut self) {
        self.set_history(Vec::new());
        self.unread = true;
    }

    /// Adds a message that the listener keeps already.
    pub fn add_kept(&mut self, message: Message) {
        // Otherwise it is read with the others.
        if !self.unread {
            self.setup.history.push(message);
        }
    }

    /// Reads the conversation that the listener keeps, unless it was.
    pub(super) fn read_history(&mut self) {
        if std::mem::take(&mut self.unread)
            && let Some(kept) = self.listener.history()
        {
            self.set_history(kept);
        }
    }

    /// Brings the history into the words of the tools that there are now. Every call of it is answered
    /// whenever a model is asked, so what was told once stays as it is.
    pub(super) fn tell(&mut self) {
        self.read_history();
        if self.told.is_none()
            && let Some(kept) = self.listener.history()
        {
            self.setup.history = kept;
        }
        let new = self.setup.history.split_off(self.told.unwrap_or(0).min(self.setup.history.len()));
        self.setup.history.extend(translate::translate(new, &self.all));
        self.told = Some(self.setup.history.len());
    }
}
