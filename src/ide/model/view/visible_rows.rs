//! What the editor shows, as the last frame laid it out: which rows of which text are where.
//! Drawing, the mouse and motions by rows all read it. Must not know how it was found.

use ratatui::layout::{Position, Rect};

use crate::ide::model::buffers::BufferId;
use crate::ide::model::window_id::WindowId;
use crate::text::display::rows::Row;
use crate::text::position::{Byte, Line};
use crate::text::selection::Range;

/// What a row of the scrollbar says about the lines that it stands for; what matters most
/// comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BarMark {
    /// Lines differ from git's.
    Changed,
    /// Lines are new to git.
    Added,
    /// Lines are missing.
    Removed,
    /// The agent wrote there and nobody has reviewed it.
    Agent,
    /// What was looked for stands there.
    Match,
    /// The cursor is there.
    Cursor,
}

/// A named thing around the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breadcrumb {
    /// What it is called.
    pub name: String,
    /// Where.
    pub at: Byte,
}

/// One row of the scrollbar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BarCell {
    /// Whether the screen shows these lines.
    pub is_thumb: bool,
    /// What is there.
    pub mark: Option<BarMark>,
}

/// What the mouse selects while its button is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DragSelection {
    /// By characters, words or lines: 1, 2, 3.
    pub by: u8,
    /// What was selected by the first press.
    pub from: Range,
    /// In which file.
    pub buffer: BufferId,
    /// The version of its text then.
    pub version: u64,
}

/// Bytes between two rows that are worth no part of their own.
const GAP: usize = 1 << 10;

/// One view of a text on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleRows {
    /// In which window.
    pub window: WindowId,
    /// Of which file.
    pub buffer: BufferId,
    /// The row above it with its name, if there is one.
    pub title: Option<Rect>,
    /// The named things around its cursor, outermost first, where they are shown.
    pub crumbs: Vec<Breadcrumb>,
    /// How many rows from the top are the heads of what the others are in.
    pub sticky: usize,
    /// The version of its text.
    pub version: u64,
    /// The cells of a row, where long lines are wrapped.
    pub wrap: Option<usize>,
    /// Where its rows are, on the screen, gutter and scrollbar included.
    pub area: Rect,
    /// Cells left of the text.
    pub gutter: u16,
    /// Cells for the text.
    pub cols: u16,
    /// The first column that is shown.
    pub left: usize,
    /// The rows, from the top.
    pub rows: Vec<Row>,
    /// The line of its cursor.
    pub caret: Line,
    /// The bracket at the cursor and its partner.
    pub bracket_pair: Option<(Byte, Byte)>,
    /// The scrollbar, if there is one.
    pub bar: Vec<BarCell>,
}

impl VisibleRows {
    /// Whether a cell of the screen belongs to it.
    pub fn contains(&self, col: u16, row: u16) -> bool {
        self.area.contains(Position::new(col, row))
    }

    /// The cells for text, on the screen.
    pub fn text_area(&self) -> Rect {
        Rect { x: self.area.x + self.gutter, width: self.cols, ..self.area }
    }

    /// Which rows show a line, counted from the top.
    pub fn rows_of(&self, line: Line) -> std::ops::Range<u16> {
        let from = self.rows.partition_point(|row| row.line < line);
        let to = self.rows.partition_point(|row| row.line <= line);
        from as u16..to as u16
    }

    /// What of the text is seen, without what is folded between it.
    pub fn visible_ranges(&self) -> Vec<std::ops::Range<Byte>> {
        let mut parts: Vec<std::ops::Range<Byte>> = Vec::new();
        for row in &self.rows {
            match parts.last_mut() {
                Some(part) if row.start <= part.end + GAP => part.end = row.end,
                _ => parts.push(row.start..row.end),
            }
        }
        parts
    }

    /// The row that shows a place, counted from the top.
    pub fn row_of(&self, at: Byte) -> Option<u16> {
        self.rows.iter().position(|row| row.contains(at)).map(|row| row as u16)
    }
}
