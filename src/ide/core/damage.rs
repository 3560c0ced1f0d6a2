//! What must be drawn again. Must not know how.

use std::ops::Range;

use crate::ide::model::buffers::BufferId;
use crate::text::position::Line;

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
    /// The terminals.
    Terminal,
    /// The last line.
    Status,
    /// Whatever floats on top.
    Overlay,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 8] = [
        Self::Files,
        Self::Tabs,
        Self::Editor,
        Self::Transcript,
        Self::Prompt,
        Self::Terminal,
        Self::Status,
        Self::Overlay,
    ];
}

/// The parts that changed since the last frame.
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
    /// This part must be drawn again.
    pub fn add(&mut self, part: Part) {
        if !self.parts.contains(&part) {
            self.parts.push(part);
        }
    }

    /// One edit inside the editor's line with the caret: it must be drawn again, and no other.
    pub fn add_caret_line(&mut self) {
        self.caret_line = true;
    }

    /// These lines of a file, the last one too, have other colors.
    pub fn add_recolored(&mut self, buffer: BufferId, lines: Range<Line>) {
        match &mut self.recolored {
            None => self.recolored = Some((buffer, lines)),
            Some((other, known)) if *other == buffer => {
                *known = known.start.min(lines.start)..known.end.max(lines.end);
            }
            Some(_) => self.add(Part::Editor),
        }
    }

    /// The lines of a file that have other colors, the last one too.
    pub fn recolored_lines(&self) -> Option<&(BufferId, Range<Line>)> {
        self.recolored.as_ref()
    }

    /// This row of the terminals' pane must be drawn again, the title being the first.
    pub fn add_terminal_row(&mut self, row: u16) {
        self.terminal_rows.push(row);
    }

    /// The rows of the terminals' pane that must be drawn.
    pub fn terminal_rows(&self) -> &[u16] {
        &self.terminal_rows
    }

    /// What the editor shows must be found again; it may turn out that little of it differs.
    pub fn mark_editor_stale(&mut self) {
        self.is_editor_stale = true;
    }

    /// Places may have changed: lay out and draw everything.
    pub fn add_all(&mut self) {
        self.is_everything = true;
    }

    /// Takes what there is.
    #[must_use]
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Whether everything must be laid out and drawn.
    pub fn is_all(&self) -> bool {
        self.is_everything
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
        self.is_everything
            || !self.parts.is_empty()
            || self.is_caret_line()
            || self.is_editor_stale
            || !self.terminal_rows.is_empty()
            || self.recolored.is_some()
    }
}
