//! Content of a terminal at one moment, as plain data.

use std::sync::Arc;

use ratatui::style::Style;

use crate::tui::screen::CursorShape;

/// Adjacent cells of one style. A character that is not exactly one cell wide, or that has marks, is a
/// separate run, so that the columns of all others are those of the emulator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its first column.
    pub x: u16,
    /// Its number of columns.
    pub cols: u16,
    /// Its text, which may contain anything.
    pub text: String,
    /// Its style, over the pane's own.
    pub style: Style,
    /// Whether it is selected.
    pub selected: bool,
}

/// A row, without blank cells in the pane's own style.
pub type Row = Vec<Run>;

/// Modes set by the programs inside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Modes {
    /// Whether cursor keys are in application mode.
    pub app_cursor: bool,
    /// Pastes are marked.
    pub bracketed_paste: bool,
    /// The wheel is cursor keys.
    pub wheel_keys: bool,
    /// Which mouse events are reported.
    pub mouse: MouseReporting,
    /// Whether mouse reports use the SGR form, without a limit.
    pub sgr_mouse: bool,
    /// The focus is reported.
    pub focus: bool,
}

/// Reported mouse events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MouseReporting {
    /// None.
    #[default]
    Off,
    /// Buttons.
    Clicks,
    /// And movements while a button is held.
    Drags,
    /// And all other movements.
    Moves,
}

/// Content of a terminal.
#[derive(Debug, Clone, Default)]
pub struct Grid {
    /// The rows from the top. An unchanged row keeps its allocation.
    pub rows: Vec<Arc<Row>>,
    /// Number of columns.
    pub cols: u16,
    /// Column and row of the cursor. `None` if it is hidden or scrolled away.
    pub cursor: Option<(u16, u16)>,
    /// The cursor's shape.
    pub shape: CursorShape,
    /// Title set by programs inside; shown, but not trusted.
    pub title: Option<String>,
    /// Modes set by the programs.
    pub modes: Modes,
    /// Number of rows it is scrolled back.
    pub back: usize,
    /// Whether anything is selected.
    pub is_selected: bool,
}
