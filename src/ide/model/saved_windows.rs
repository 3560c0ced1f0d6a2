//! How open files are arranged in windows, so that they can be shown so again. Plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::ide::model::windows::Shape;

/// How a window looked at its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The file, absolute.
    pub path: PathBuf,
    /// The cursor's line, from 1.
    pub line: usize,
    /// Its column in cells, from 1.
    pub column: usize,
    /// The first line on screen, from 0.
    pub top: usize,
}

/// How what was open was arranged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedWindows {
    /// The windows.
    pub windows: Shape,
    /// What each shows, from the top left.
    pub views: Vec<View>,
    /// Which of them had the keys.
    pub active: usize,
    /// The files in the order in which they were opened.
    pub order: Vec<PathBuf>,
    /// Files that are there no longer.
    pub missing: Vec<PathBuf>,
}
