//! The open review: which file and hunk are selected. Must not know how it is drawn, nor what keys do.

use crate::ide::core::state::State;
use crate::ide::features::diff::rows::DiffRows;
use crate::ide::features::review::file::{Compared, ReviewedFile};
use crate::ide::features::review::state::{Decision, Review};
use crate::workspace::checkpoint::Name;

/// Below this width only one of the columns is shown.
const WIDE: u16 = 100;
/// From this width of the hunks' column on the texts are side by side.
const SIDE_BY_SIDE: u16 = 110;

/// Returns the width below which only one of the columns is shown: none shows both to a screen reader.
pub fn both_columns_from(state: &State) -> u16 {
    if state.is_accessible() { u16::MAX } else { WIDE }
}

/// A column of the review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Column {
    /// The list of files.
    #[default]
    Files,
    /// The hunks of the selected file.
    Hunks,
}

/// The open review.
#[derive(Debug, Default)]
pub struct ReviewView {
    /// The selected file.
    pub selected: usize,
    /// The column that the arrow keys move in.
    pub column: Column,
    /// The rows of its texts.
    pub rows: DiffRows,
    /// Files of which the first one that has changed is selected once the comparison is there.
    pub wanted: Vec<Name>,
    /// Whether the first comparison is still running.
    pub is_loading: bool,
    /// What the rows show: the file, the state that was compared, and the keys of its hunks.
    shown: Option<(Name, Compared, Vec<u64>)>,
}

impl ReviewView {
    /// Returns a view that waits for the comparison.
    pub fn new() -> Self {
        Self { is_loading: true, ..Self::default() }
    }

    /// Returns the view with the texts one below the other, unless the user chooses otherwise.
    #[must_use]
    pub fn stacked(mut self, is_stacked: bool) -> Self {
        self.rows.layout_choice = self.rows.layout_choice.or(is_stacked.then_some(false));
        self
    }

    /// Returns the name of the selected file.
    pub fn name(&self) -> Option<&Name> {
        self.shown.as_ref().map(|(name, ..)| name)
    }

    /// Returns whether the texts are side by side in a column of this width: unless the user has chosen, not
    /// when there is only one.
    pub fn is_side_by_side(&self, cols: u16) -> bool {
        let has_both = self.rows.old.as_ref().is_some_and(|old| !old.is_empty()) && !self.rows.new.is_empty();
        self.rows.layout_choice.unwrap_or(has_both && cols >= SIDE_BY_SIDE) && cols >= WIDE / 2
    }

    /// Follows changed files: the selected file stays selected, and its selected line.
    pub fn update(&mut self, review: &Review) {
        let known = self.name().and_then(|name| review.index_of(name));
        self.selected = known.unwrap_or(self.selected).min(review.files.len().saturating_sub(1));
        self.show(review);
    }

    /// Selects another file.
    pub fn select_file(&mut self, review: &Review, at: usize) {
        self.selected = at.min(review.files.len().saturating_sub(1));
        self.show(review);
    }

    fn show(&mut self, review: &Review) {
        let Some(file) = review.files.get(self.selected) else {
            (self.shown, self.rows) = (None, self.empty_rows());
            return;
        };
        let now = (file.name.clone(), file.compared.clone(), file.keys.clone());
        if self.shown.as_ref() == Some(&now) {
            return;
        }
        if self.name() != Some(&file.name) || file.texts().is_none() {
            self.rows = self.empty_rows();
        }
        if let Some(pair) = file.texts() {
            self.rows.set_texts(pair.old.clone(), pair.new.clone(), pair.runs.clone());
        }
        self.shown = Some(now);
    }

    /// Returns rows without texts, in the layout that the user chose.
    fn empty_rows(&self) -> DiffRows {
        let mut rows = DiffRows::default();
        rows.layout_choice = self.rows.layout_choice;
        rows
    }

    /// Returns the selected file.
    pub fn file<'a>(&self, review: &'a Review) -> Option<&'a ReviewedFile> {
        review.files.get(self.selected).filter(|file| Some(&file.name) == self.name())
    }

    /// Returns the index of the selected hunk in the selected file.
    pub fn hunk(&self, review: &Review) -> Option<usize> {
        let last = self.file(review)?.keys.len().checked_sub(1)?;
        Some(self.rows.difference_index().min(last))
    }

    /// Selects the next or previous hunk without a decision, in any file, else any hunk. Returns whether there
    /// is one without a decision.
    pub fn go_to_hunk(&mut self, review: &Review, forward: bool) -> bool {
        let count: usize = review.files.iter().map(|file| file.keys.len()).sum();
        let Some(here) = self.hunk(review) else { return false };
        let is_open = |(file, hunk): (usize, usize)| {
            let file = &review.files[file];
            review.decision(&file.name, file.keys[hunk]) == Decision::Open
        };
        let (mut at, mut next) = ((self.selected, here), None);
        for _ in 0..count {
            at = step(review, at, forward);
            next.get_or_insert(at);
            if is_open(at) {
                self.select_hunk(review, at);
                return true;
            }
        }
        if let Some(next) = next {
            self.select_hunk(review, next);
        }
        false
    }

    /// Selects a hunk of a file.
    pub fn select_hunk(&mut self, review: &Review, (file, hunk): (usize, usize)) {
        self.select_file(review, file);
        self.rows.select_run(hunk);
    }
}

/// Returns the hunk after or before another one, wrapping around. Every file has at least one.
fn step(review: &Review, (file, hunk): (usize, usize), forward: bool) -> (usize, usize) {
    let files = review.files.len();
    if forward && hunk + 1 < review.files[file].keys.len() {
        (file, hunk + 1)
    } else if forward {
        ((file + 1) % files, 0)
    } else if hunk > 0 {
        (file, hunk - 1)
    } else {
        let file = (file + files - 1) % files;
        (file, review.files[file].keys.len().saturating_sub(1))
    }
}
