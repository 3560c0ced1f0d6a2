//! Rows of the editor as laid out by the last frame: which rows of which text are where. Used by drawing, the
//! mouse and motions by rows. Must not know how they were computed.

use ratatui::layout::{Position, Rect};

use crate::ide::model::buffers::BufferId;
use crate::ide::model::window_id::WindowId;
use crate::text::display::rows::Row;
use crate::text::position::{Byte, Line};
use crate::text::selection::Range;

/// A mark in a row of the scrollbar, in ascending priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BarMark {
    /// Lines differ from git's.
    Changed,
    /// Lines are new to git.
    Added,
    /// Lines are missing.
    Removed,
    /// Text written by the agent and not reviewed.
    Agent,
    /// A search match.
    Match,
    /// The cursor.
    Cursor,
}

/// A named item around the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breadcrumb {
    /// Its name.
    pub name: String,
    /// Its position.
    pub at: Byte,
}

/// One row of the scrollbar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BarCell {
    /// Whether its lines are on screen.
    pub is_thumb: bool,
    /// Its mark.
    pub mark: Option<BarMark>,
}

/// Selection by the mouse while its button is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DragSelection {
    /// Unit: 1 characters, 2 words, 3 lines.
    pub by: u8,
    /// The selection made by the first press.
    pub from: Range,
    /// In which file.
    pub buffer: BufferId,
    /// Version of its text at that time.
    pub version: u64,
}

/// Maximum gap in bytes between two rows that are treated as one part.
const GAP: usize = 1 << 10;

/// One view of a text on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleRows {
    /// In which window.
    pub window: WindowId,
    /// Of which file.
    pub buffer: BufferId,
    /// The row above it with its name, if any.
    pub title: Option<Rect>,
    /// Breadcrumbs: named items around its cursor, outermost first, where they are shown.
    pub crumbs: Vec<Breadcrumb>,
    /// Number of sticky header rows at the top.
    pub sticky: usize,
    /// Version of its text.
    pub version: u64,
    /// Width of a row in cells, where long lines are wrapped.
    pub wrap: Option<usize>,
    /// Area of its rows on the screen, including gutter and scrollbar.
    pub area: Rect,
    /// Width of the gutter in cells.
    pub gutter: u16,
    /// Cells for the text.
    pub cols: u16,
    /// The first column shown.
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
    /// Returns whether it contains a cell of the screen.
    pub fn contains(&self, col: u16, row: u16) -> bool {
        self.area.contains(Position::new(col, row))
    }

    /// The cells for text, on the screen.
    pub fn text_area(&self) -> Rect {
        Rect { x: self.area.x + self.gutter, width: self.cols, ..self.area }
    }

    /// Returns the rows that show a line, counted from the top.
    pub fn rows_of(&self, line: Line) -> std::ops::Range<u16> {
        let from = self.rows.partition_point(|row| row.line < line);
        let to = self.rows.partition_point(|row| row.line <= line);
        from as u16..to as u16
    }

    /// Returns the visible parts of the text, without folded text between them.
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

    /// Returns the row that shows a position, counted from the top.
    pub fn row_of(&self, at: Byte) -> Option<u16> {
        self.rows.iter().position(|row| row.contains(at)).map(|row| row as u16)
    }
}
