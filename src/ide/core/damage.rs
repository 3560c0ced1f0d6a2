//! Damage: which parts of the screen must be redrawn. Must not know how.

use std::ops::Range;

use crate::ide::model::buffers::BufferId;
use crate::text::position::Line;

/// Parts of the screen that are drawn separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The file tree.
    Files,
    /// The line of open files.
    Tabs,
    /// The text.
    Editor,
    /// The line above the agent's conversation.
    AgentTitle,
    /// The agent's conversation.
    Transcript,
    /// The call that waits for approval, above the prompt.
    Approval,
    /// The agent's prompt with the queue of messages above it.
    Prompt,
    /// The terminals.
    Terminal,
    /// The tree of the session.
    SessionTree,
    /// The last line.
    Status,
    /// The completions at the editor's caret.
    Completions,
    /// The signature above the editor's caret.
    Signature,
    /// The complete messages of the cursor's line.
    LineMessages,
    /// The view that a pop-up stands above.
    View,
    /// The overlay on top.
    Overlay,
    /// The keys that continue a prefix.
    KeyHints,
    /// The current message, over everything.
    Toast,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 17] = [
        Self::Files,
        Self::Tabs,
        Self::Editor,
        Self::AgentTitle,
        Self::Transcript,
        Self::Approval,
        Self::Prompt,
        Self::Terminal,
        Self::SessionTree,
        Self::Status,
        Self::Completions,
        Self::Signature,
        Self::LineMessages,
        Self::View,
        Self::Overlay,
        Self::KeyHints,
        Self::Toast,
    ];
}

/// Parts that changed since the last frame.
#[derive(Debug, Clone, Default)]
pub struct Damage {
    parts: Vec<Part>,
    caret_line: bool,
    recolored: Option<(BufferId, Range<Line>)>,
    is_editor_stale: bool,
    terminal_rows: Vec<u16>,
    is_everything: bool,
}

impl Damage {
    /// Marks a part.
    pub fn add(&mut self, part: Part) {
        if !self.parts.contains(&part) {
            self.parts.push(part);
        }
    }

    /// Marks only the editor's line with the caret, after a single edit inside it.
    pub fn add_caret_line(&mut self) {
        self.caret_line = true;
    }

    /// Marks lines of a file whose colors changed, including the last one.
    pub fn add_recolored(&mut self, buffer: BufferId, lines: Range<Line>) {
        match &mut self.recolored {
            None => self.recolored = Some((buffer, lines)),
            Some((other, known)) if *other == buffer => {
                *known = known.start.min(lines.start)..known.end.max(lines.end);
            }
            Some(_) => self.add(Part::Editor),
        }
    }

    /// Returns the lines of a file whose colors changed, including the last one.
    pub fn recolored_lines(&self) -> Option<&(BufferId, Range<Line>)> {
        self.recolored.as_ref()
    }

    /// Marks a row of the terminal pane. Row 0 is the title.
    pub fn add_terminal_row(&mut self, row: u16) {
        self.terminal_rows.push(row);
    }

    /// The rows of the terminals' pane that must be drawn.
    pub fn terminal_rows(&self) -> &[u16] {
        &self.terminal_rows
    }

    /// Requests to compute the editor's content again; little of it may turn out to differ.
    pub fn mark_editor_stale(&mut self) {
        self.is_editor_stale = true;
    }

    /// Marks everything, including the layout.
    pub fn add_all(&mut self) {
        self.is_everything = true;
    }

    /// Takes the damage.
    #[must_use]
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Returns whether everything must be laid out and redrawn.
    pub fn is_all(&self) -> bool {
        self.is_everything
    }

    /// Returns the parts that must be redrawn.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Whether the caret's line must be drawn.
    pub fn is_caret_line(&self) -> bool {
        self.caret_line
    }

    /// Returns whether anything changed.
    pub fn any(&self) -> bool {
        self.is_everything
            || !self.parts.is_empty()
            || self.is_caret_line()
            || self.is_editor_stale
            || !self.terminal_rows.is_empty()
            || self.recolored.is_some()
    }
}
