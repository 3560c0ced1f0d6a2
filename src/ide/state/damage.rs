//! What must be drawn again. Must not know how.

use std::ops::Range;

/// The parts of the screen that are drawn on their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The file tree.
    Files,
    /// The line of open files.
    Tabs,
    /// The text.
    Editor,
    /// The agent's conversation.
    Transcript,
    /// The agent's prompt with the queue above it.
    Prompt,
    /// The last line.
    Status,
    /// Whatever floats on top.
    Overlay,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 7] =
        [Self::Files, Self::Tabs, Self::Editor, Self::Transcript, Self::Prompt, Self::Status, Self::Overlay];
}

/// The parts that changed since the last frame.
#[derive(Debug, Clone, Default)]
pub struct Damage {
    parts: Vec<Part>,
    editor_rows: Option<Range<u16>>,
    everything: bool,
}

impl Damage {
    /// This part must be drawn again.
    pub fn add(&mut self, part: Part) {
        if !self.parts.contains(&part) {
            self.parts.push(part);
        }
    }

    /// Some rows of the editor must be drawn again.
    pub fn editor_rows(&mut self, rows: Range<u16>) {
        let rows = match self.editor_rows.take() {
            Some(old) => old.start.min(rows.start)..old.end.max(rows.end),
            None => rows,
        };
        self.editor_rows = Some(rows);
    }

    /// Places may have changed: lay out and draw everything.
    pub fn all(&mut self) {
        self.everything = true;
    }

    /// Takes what there is: whether everything, which parts, which rows of the editor.
    pub fn take(&mut self) -> (bool, Vec<Part>, Option<Range<u16>>) {
        (std::mem::take(&mut self.everything), std::mem::take(&mut self.parts), self.editor_rows.take())
    }

    /// Whether anything changed.
    pub fn any(&self) -> bool {
        self.everything || !self.parts.is_empty() || self.editor_rows.is_some()
    }
}
