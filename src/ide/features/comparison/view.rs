//! State of a comparison: the two points, what differs, and which part of it is shown. Must not know how it is
//! drawn.

use crate::patch::diff::LineDiff;
use crate::runtime::restore::comparison::Comparison;
use crate::runtime::restore::target::PreviewPath;

/// A compared point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// Its entry.
    pub entry: String,
    /// What it says, in one line.
    pub text: String,
}

/// A comparison of two points.
#[derive(Debug)]
pub struct ComparisonView {
    /// The points: `-` lines belong to the first, `+` lines to the second.
    pub points: [Point; 2],
    /// What differs.
    pub found: Comparison,
    /// The selected row: 0 is the conversation, the others are the files in order.
    pub selected: usize,
    /// The first row shown of the selected difference.
    pub top: usize,
}

impl ComparisonView {
    /// Returns a comparison with its first difference selected.
    pub fn new(points: [Point; 2], found: Comparison) -> Self {
        let only_files =
            found.conversation.rows.is_empty() && found.files.as_ref().is_ok_and(|files| !files.is_empty());
        Self { points, found, selected: usize::from(only_files), top: 0 }
    }

    /// The files that differ.
    pub fn files(&self) -> &[PreviewPath] {
        self.found.files.as_deref().unwrap_or_default()
    }

    /// Returns the difference of the selected row; `None` for a file that is not text or too long.
    pub fn current(&self) -> Option<&LineDiff> {
        match self.selected.checked_sub(1) {
            None => Some(&self.found.conversation),
            Some(file) => self.files().get(file)?.diff.as_ref(),
        }
    }

    /// Selects another row; its difference is shown from the start.
    pub fn step(&mut self, by: isize) {
        self.selected = self.selected.saturating_add_signed(by).min(self.files().len());
        self.top = 0;
    }

    /// Scrolls the difference.
    pub fn scroll(&mut self, by: isize) {
        let last = self.current().map_or(0, |diff| diff.rows.len().saturating_sub(1));
        self.top = self.top.saturating_add_signed(by).min(last);
    }
}
