//! Recorded keys and the last change, for repetition. Must not know what they do.

use crate::tui::input::Key;

/// Maximum number of recorded keys.
const KEYS_MAX: usize = 10_000;

/// The last change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LastChange {
    /// A command, by its id.
    Command(&'static str),
    /// Text typed without anything in between.
    Typed(String),
}

/// What can be repeated.
#[derive(Debug, Default)]
pub struct Macros {
    /// The recorded keys.
    pub keys: Vec<Key>,
    /// The keys so far, while recording.
    recording: Option<Vec<Key>>,
    /// How many of them there were when the last command began.
    command_start: usize,
    /// The last change.
    pub change: Option<LastChange>,
    /// Whether typing is in progress.
    typing: bool,
    /// Whether the recorded keys are being pressed.
    pub replaying: bool,
    /// Nesting depth of replays.
    pub depth: usize,
}

impl Macros {
    /// Whether keys are being recorded.
    pub fn is_recording(&self) -> bool {
        self.recording.is_some()
    }

    /// Starts recording.
    pub fn record(&mut self) {
        self.recording = Some(Vec::new());
        self.command_start = 0;
    }

    /// Stops recording and returns the number of keys. The keys of the command that stops it, including the
    /// way through a palette, are excluded.
    pub fn stop(&mut self) -> usize {
        if let Some(mut keys) = self.recording.take() {
            keys.truncate(self.command_start);
            self.keys = keys;
        }
        self.keys.len()
    }

    /// Records a key; `fresh` if it begins something. Returns whether the limit was exceeded.
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

    /// Replaces the last recorded key by others, which do the same when they are pressed again.
    pub fn replace_last_key(&mut self, keys: &[Key]) {
        if let Some(recording) = self.recording.as_mut().filter(|keys| !keys.is_empty()) {
            recording.pop();
            recording.extend(keys);
        }
    }

    /// A completion has replaced the end of what was typed.
    pub fn note_completed(&mut self, old: &str, new: &str) {
        if let Some(LastChange::Typed(text)) = &mut self.change
            && let Some(kept) = text.strip_suffix(old)
        {
            *text = format!("{kept}{new}");
            self.typing = true;
        }
    }

    /// Records a command; `changes` says whether it changes a text.
    pub fn note_command(&mut self, id: &'static str, changes: bool) {
        self.typing = false;
        if changes {
            self.change = Some(LastChange::Command(id));
        }
    }
}
