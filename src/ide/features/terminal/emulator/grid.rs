//! What a terminal shows at one moment, as plain data.

use std::sync::Arc;

use ratatui::style::Style;

use crate::tui::screen::CursorShape;

/// Cells of one style beside each other. A character that is not exactly one cell wide, or that has marks,
/// is a run of its own, so that the columns of all others are those of the emulator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its first column.
    pub x: u16,
    /// How many columns it takes.
    pub cols: u16,
    /// Its text; anything at all.
    pub text: String,
    /// Its style, to be put over the pane's own.
    pub style: Style,
    /// Whether it is selected.
    pub selected: bool,
}

/// One row. Blank cells in the pane's own style are left out.
pub type Row = Vec<Run>;

/// What programs inside have asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Modes {
    /// Cursor keys are those of applications.
    pub app_cursor: bool,
    /// Pastes are marked.
    pub bracketed_paste: bool,
    /// The wheel is cursor keys.
    pub wheel_keys: bool,
    /// What of the mouse is reported.
    pub mouse: MouseReporting,
    /// Reports of the mouse are those without a limit.
    pub sgr_mouse: bool,
    /// The focus is reported.
    pub focus: bool,
}

/// What of the mouse is reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MouseReporting {
    /// Nothing.
    #[default]
    Off,
    /// Buttons.
    Clicks,
    /// And moves while one is held.
    Drags,
    /// And all other moves.
    Moves,
}

/// What a terminal shows.
#[derive(Debug, Clone, Default)]
pub struct Grid {
    /// The rows, the topmost first. One that is the same as before is the same allocation.
    pub rows: Vec<Arc<Row>>,
    /// How many columns there are.
    pub cols: u16,
    /// Where the cursor is: column and row. `None` where it is hidden or scrolled away.
    pub cursor: Option<(u16, u16)>,
    /// The cursor's shape.
    pub shape: CursorShape,
    /// What programs inside call the terminal; shown, never believed.
    pub title: Option<String>,
    /// What they have asked for.
    pub modes: Modes,
    /// How many rows it is scrolled back.
    pub back: usize,
    /// Whether anything is selected.
    pub is_selected: bool,
}
