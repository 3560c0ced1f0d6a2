//! An unsent message. Must not know where it is stored.

use std::ops::Range;

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
