//! An unsent message. Must not know where it is stored.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::llm::model::Part;
use crate::text::position::Byte;
use crate::text::rope::Text;

/// An unsent message: what was typed, and what is attached to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// The text.
    pub text: Text,
    /// The folded pastes in it.
    pub pastes: Vec<Range<Byte>>,
    /// The attachments beside the text.
    pub attached: Vec<Part>,
    /// What of it a move in the session has put there, unless the user has edited it since.
    pub filled: Option<FilledDraft>,
}

/// What an unsent message was before a move in the session put another message before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilledDraft {
    /// The text that the user had typed.
    pub typed: String,
    /// Number of attachments that came with the message, which are the first ones.
    pub attached: usize,
}

impl Draft {
    /// Returns whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.attached.is_empty() && is_blank(&self.text)
    }
}

/// Returns whether a text has nothing but white space.
pub fn is_blank(text: &Text) -> bool {
    text.chunks_from(Byte(0)).all(|chunk| chunk.trim().is_empty())
}
