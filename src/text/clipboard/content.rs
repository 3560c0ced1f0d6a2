//! A text that was taken out of another one, and how it is put back. Must not know where it is
//! kept.

use std::sync::Arc;

/// How a text is put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContentShape {
    /// Between characters.
    #[default]
    Chars,
    /// As whole lines; the texts end with a line feed.
    Lines,
    /// As a rectangle: one text for each row.
    Block,
}

/// What a register holds: one text for each range that it was taken from, or for each row of
/// a rectangle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    /// The texts. They can be long, and copies share them.
    pub texts: Arc<Vec<String>>,
    /// How they are put back.
    pub shape: ContentShape,
    /// How wide a rectangle was, in columns; its rows can be shorter.
    pub width: usize,
}

impl Content {
    /// Texts and how they are put back.
    pub fn new(texts: Vec<String>, shape: ContentShape) -> Self {
        Self { texts: Arc::new(texts), shape, width: 0 }
    }

    /// One text between characters.
    pub fn chars(text: impl Into<String>) -> Self {
        Self::new(vec![text.into()], ContentShape::Chars)
    }

    /// All texts as one; the rows of a rectangle and texts that are no lines are joined by line
    /// feeds.
    pub fn joined(&self) -> String {
        let between = if self.shape == ContentShape::Lines { "" } else { "\n" };
        self.texts.join(between)
    }

    /// Adds a text to the end of this one; lines make the whole of it lines.
    pub fn append(&mut self, more: Self) {
        if self.texts.is_empty() {
            *self = more;
            return;
        }
        let texts = Arc::make_mut(&mut self.texts);
        if more.shape == ContentShape::Lines && self.shape != ContentShape::Lines {
            for text in texts.iter_mut() {
                text.push('\n');
            }
        }
        let begins_line = self.shape == ContentShape::Lines && more.shape != ContentShape::Lines;
        if more.shape == ContentShape::Lines || self.shape == ContentShape::Lines {
            self.shape = ContentShape::Lines;
        }
        if texts.len() == more.texts.len() {
            for (old, new) in texts.iter_mut().zip(more.texts.iter()) {
                old.push_str(new);
                if begins_line {
                    old.push('\n');
                }
            }
        } else {
            texts.extend(more.texts.iter().cloned());
        }
    }
}
