//! Completions of the word at the caret of the prompt: the rows on offer and the selected one. Must not know
//! where rows come from.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::DropGuard;

use crate::ide::model::buffers::BufferId;
use crate::text::position::Byte;

/// Maximum number of rows on screen.
pub const ROWS_SHOWN: usize = 8;

/// State of the completion in a prompt.
#[derive(Debug, Default)]
pub struct CompletionState {
    /// The list, with or without rows.
    pub open: Option<Completion>,
    /// Version of the text and caret for which the list was last brought up to date.
    pub seen: Option<(u64, Byte)>,
    /// That version if its list had no rows: more may be found for it.
    pub emptied: Option<(u64, Byte)>,
    /// The version whose empty list was begun again, and how often.
    pub retried: (Option<(u64, Byte)>, u8),
    /// Start of the word whose list the user has closed.
    pub dismissed: Option<Byte>,
    /// Number of the last list.
    pub last: u64,
    /// The paths of the workspace as last walked, used until the next walk has ended.
    pub paths: Option<Arc<str>>,
    /// Whether a walk is under way.
    pub is_walking: bool,
    /// The symbols of the open files.
    pub symbols: Arc<[Reference]>,
    /// The texts that they are from: open files, each with its version.
    pub symbols_of: Vec<(BufferId, u64)>,
    /// The sessions of the folder, except the current one.
    pub sessions: Arc<[Reference]>,
    /// When they were listed, on the monotonic clock.
    pub sessions_listed: Option<Duration>,
}

/// A thing with a name that a message can refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its name, on one line.
    pub name: String,
    /// What stands in the message for it.
    pub insert: String,
    /// Its kind, and where it is.
    pub about: String,
}

/// The completions of one word.
#[derive(Debug)]
pub struct Completion {
    /// Its number, so that late results find the right list.
    pub number: u64,
    /// Where the word begins, with its sign.
    pub start: Byte,
    /// The word up to the caret, with its sign.
    pub word: String,
    /// The rows, the best one first.
    pub rows: Vec<CompletionRow>,
    /// Index of the selected row.
    pub selected: usize,
    /// Whether the user has selected a row.
    pub is_chosen: bool,
    /// Whether the rows are still those of an earlier word.
    pub is_stale: bool,
    /// A key that accepts the first row as soon as the rows are there: whether it also sends.
    pub awaited: Option<bool>,
    /// Cancels the search for rows on drop.
    pub search: Option<DropGuard>,
}

/// One completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionRow {
    /// The text that is shown, and put in place of the word.
    pub text: String,
    /// What is put there instead of the shown text.
    pub insert: Option<String>,
    /// Indices of its characters that match the word.
    pub matched: Vec<u32>,
    /// Dimmed text after it.
    pub detail: String,
    /// Whether Enter takes it without having been selected: it contains what was typed.
    pub is_likely: bool,
    /// Whether it is a complete message, which Enter sends.
    pub is_complete: bool,
}

impl Completion {
    /// Selects another row, from the last to the first and back.
    pub fn step(&mut self, by: isize) {
        let count = self.rows.len() as isize;
        if count > 0 {
            self.is_chosen = true;
            self.selected = (self.selected as isize + by).rem_euclid(count) as usize;
        }
    }

    /// Returns the rows on screen, the selected one among them, and the index of the first.
    pub fn shown(&self, height: usize) -> (usize, &[CompletionRow]) {
        let height = height.clamp(1, ROWS_SHOWN);
        let first = (self.selected + 1).saturating_sub(height);
        (first, &self.rows[first..self.rows.len().min(first + height)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completion(count: usize) -> Completion {
        let row = |n: usize| CompletionRow {
            text: n.to_string(),
            insert: None,
            matched: Vec::new(),
            detail: String::new(),
            is_likely: false,
            is_complete: false,
        };
        Completion {
            number: 1,
            start: Byte(0),
            word: "@".into(),
            rows: (0..count).map(row).collect(),
            selected: 0,
            is_chosen: false,
            is_stale: false,
            awaited: None,
            search: None,
        }
    }

    #[test]
    fn completion_selection_wraps_and_stays_visible() {
        let mut list = completion(10);
        list.step(-1);
        let (first, shown) = list.shown(3);
        assert_eq!((list.selected, first, shown.len(), list.is_chosen), (9, 7, 3, true));
        list.step(1);
        assert_eq!((list.selected, list.shown(3).0), (0, 0));
        let mut empty = completion(0);
        empty.step(1);
        assert_eq!((empty.selected, empty.shown(3).1.len()), (0, 0));
    }
}
