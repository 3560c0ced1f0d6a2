//! What must be drawn again. Must not know how.

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
    caret_line: bool,
    touched: bool,
    everything: bool,
}

impl Damage {
    /// This part must be drawn again.
    pub fn add(&mut self, part: Part) {
        if !self.parts.contains(&part) {
            self.parts.push(part);
        }
    }

    /// The editor's line with the caret must be drawn again, and no other.
    pub fn caret_line(&mut self) {
        self.caret_line = true;
    }

    /// What the editor shows must be found again; it may turn out that little of it differs.
    pub fn touch(&mut self) {
        self.touched = true;
    }

    /// Places may have changed: lay out and draw everything.
    pub fn all(&mut self) {
        self.everything = true;
    }

    /// Takes what there is.
    #[must_use]
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Whether everything must be laid out and drawn.
    pub fn is_all(&self) -> bool {
        self.everything
    }

    /// The parts that must be drawn.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Whether the caret's line must be drawn.
    pub fn is_caret_line(&self) -> bool {
        self.caret_line
    }

    /// Whether anything changed.
    pub fn any(&self) -> bool {
        self.everything || !self.parts.is_empty() || self.caret_line || self.touched
    }
}
