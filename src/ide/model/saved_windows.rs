//! Window layout and open files, to be restored at the next start. Plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::ide::model::pane_sizes::PaneSizes;
use crate::ide::model::windows::Shape;

/// The view of a file in a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The file, absolute.
    pub path: PathBuf,
    /// The cursor's line, from 1.
    pub line: usize,
    /// Its one-based column in cells.
    pub column: usize,
    /// The first line on screen, from 0.
    pub top: usize,
}

/// The saved layout and open files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedWindows {
    /// The windows.
    pub windows: Shape,
    /// The views of the windows, from the top left.
    pub views: Vec<View>,
    /// Index of the active window.
    pub active: usize,
    /// The files in the order in which they were opened.
    pub order: Vec<PathBuf>,
    /// The chosen sizes of the panes.
    pub sizes: PaneSizes,
    /// Files that no longer exist.
    pub missing: Vec<PathBuf>,
}
