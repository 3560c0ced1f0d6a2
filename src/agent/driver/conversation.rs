//! The driver's copy of the conversation: loaded, replaced, translated to the current tools. Must not know
//! where it is stored.

use super::{Driver, Listener};
use crate::agent::request::translate;
use crate::llm::model::Message;

impl<L: Listener> Driver<L> {
    /// Translates the whole conversation again with the next request, since the tools changed.
    pub fn retranslate_history(&mut self) {
        self.translated = None;
    }

    /// Replaces the conversation.
    pub fn set_history(&mut self, history: Vec<Message>) {
        (self.setup.history, self.translated, self.history_pending) = (history, Some(0), false);
    }

    /// Switches to the listener's conversation, loaded on first use: a session that is only viewed has no
    /// second copy of it.
    pub fn load_history_lazily(&mut self) {
        self.set_history(Vec::new());
        self.history_pending = true;
    }

    /// Adds a message that the listener has already stored.
    pub fn push_stored(&mut self, message: Message) {
        // Otherwise it is loaded with the others.
        if !self.history_pending {
            self.setup.history.push(message);
        }
    }

    /// Loads the listener's conversation, unless it is loaded.
    pub(super) fn load_history(&mut self) {
        if std::mem::take(&mut self.history_pending)
            && let Some(kept) = self.listener.history()
        {
            self.set_history(kept);
        }
    }

    /// Translates the history to the current tools. Every call in it has its results whenever a model is
    /// called, so messages that were translated once do not change.
    pub(super) fn translate_history(&mut self) {
        self.load_history();
        if self.translated.is_none()
            && let Some(kept) = self.listener.history()
        {
            self.setup.history = kept;
        }
        let new = self.setup.history.split_off(self.translated.unwrap_or(0).min(self.setup.history.len()));
        self.setup.history.extend(translate::translate(new, &self.all_tools));
        self.translated = Some(self.setup.history.len());
    }
}
