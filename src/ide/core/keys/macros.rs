//! What can be done again: keys that were recorded, the last change. Must not know what they do.

use crate::tui::input::Key;

/// More keys than this are not recorded.
const KEYS_MAX: usize = 10_000;

/// The last change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LastChange {
    /// A command, by its id.
    Command(&'static str),
    /// Text that was typed without anything else in between.
    Typed(String),
}

/// What can be done again.
#[derive(Debug, Default)]
pub struct Macros {
    /// The recorded keys.
    pub keys: Vec<Key>,
    /// The keys so far, while they are recorded.
    recording: Option<Vec<Key>>,
    /// How many of them there were when the last command began.
    command_start: usize,
    /// The last change.
    pub change: Option<LastChange>,
    /// Whether typing goes on.
    typing: bool,
    /// Whether the recorded keys are being pressed.
    pub replaying: bool,
    /// How many replays run inside each other.
    pub depth: usize,
}

impl Macros {
    /// Whether keys are being recorded.
    pub fn is_recording(&self) -> bool {
        self.recording.is_some()
    }

    /// Begins to record.
    pub fn record(&mut self) {
        self.recording = Some(Vec::new());
        self.command_start = 0;
    }

    /// Ends it, and tells how many keys there are. What began the command that ends it, be it
    /// the way through a palette, is not among them.
    pub fn stop(&mut self) -> usize {
        if let Some(mut keys) = self.recording.take() {
            keys.truncate(self.command_start);
            self.keys = keys;
        }
        self.keys.len()
    }

    /// A key was pressed; `fresh` when it begins something. Tells whether it was one too many.
    pub fn note_key(&mut self, key: Key, fresh: bool) -> bool {
        let Some(keys) = &mut self.recording else { return false };
        if fresh {
            self.command_start = keys.len();
        }
        keys.push(key);
        if keys.len() <= KEYS_MAX {
            return false;
        }
        self.stop();
        true
    }

    /// A character was typed.
    pub fn note_typed(&mut self, c: char) {
        match &mut self.change {
            Some(LastChange::Typed(text)) if self.typing => text.push(c),
            _ => self.change = Some(LastChange::Typed(c.to_string())),
        }
        self.typing = true;
    }

    /// A command ran; whether it changes a text.
    pub fn note_command(&mut self, id: &'static str, changes: bool) {
        self.typing = false;
        if changes {
            self.change = Some(LastChange::Command(id));
        }
    }
}
