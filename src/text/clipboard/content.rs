//! Copied or cut text, and how it is pasted. Must not know where it is stored.

use std::sync::Arc;

/// How a text is pasted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContentShape {
    /// Between characters.
    #[default]
    Chars,
    /// As whole lines; the texts end with a line feed.
    Lines,
    /// As a rectangle: one text per row.
    Block,
}

/// Content of a register: one text for each range that it was taken from, or for each row of a rectangle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    /// The texts. They can be long, and clones share them.
    pub texts: Arc<Vec<String>>,
    /// How they are pasted.
    pub shape: ContentShape,
    /// The width of a rectangle, in columns; its rows can be shorter.
    pub width: usize,
}

impl Content {
    /// Creates content from texts.
    pub fn new(texts: Vec<String>, shape: ContentShape) -> Self {
        Self { texts: Arc::new(texts), shape, width: 0 }
    }

    /// Creates content from one text, pasted between characters.
    pub fn chars(text: impl Into<String>) -> Self {
        Self::new(vec![text.into()], ContentShape::Chars)
    }

    /// Returns all texts as one; the rows of a rectangle and texts that are not lines are joined by line
    /// feeds.
    pub fn joined(&self) -> String {
        let between = if self.shape == ContentShape::Lines { "" } else { "\n" };
        self.texts.join(between)
    }

    /// Appends a text; if it is lines, the whole content becomes lines.
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
