//! State of the feature: the list at the caret with its sources, and the signature. Plain data.

use std::ops::Range;
use std::time::Duration;

use tokio_util::sync::DropGuard;

use crate::ide::core::slots::Slot;
use crate::ide::features::completion::rank;
use crate::ide::model::buffers::BufferId;
use crate::lsp::answers::completion::Item;
use crate::lsp::client::AnsweredText;
use crate::lsp::position::Encoding;
use crate::text::position::Byte;
use crate::tui::widgets::line::Line;

/// Slot of the feature's state.
pub const COMPLETIONS: Slot<EditorCompletions> = Slot::new();

/// Maximum number of rows on screen.
pub const ROWS_SHOWN: usize = 10;
/// How long a row must be selected before its documentation is asked for.
pub const REST: Duration = Duration::from_millis(120);

/// State of the feature.
#[derive(Default)]
pub struct EditorCompletions {
    /// Whether lists may be shown by themselves at all.
    pub is_allowed: bool,
    /// Whether they are.
    pub is_on: bool,
    /// The list, with or without rows.
    pub open: Option<OpenList>,
    /// Number of the last list.
    pub last: u64,
    /// The character that was typed since the last update.
    pub typed: Option<char>,
    /// For what the list was last brought up to date.
    pub seen: Option<Seen>,
    /// Where the word begins whose list the user has closed.
    pub dismissed: Option<(BufferId, Byte)>,
    /// The signature of the call that is typed.
    pub signature: Option<ShownSignature>,
    /// Number of the last question for signatures.
    pub last_signature: u64,
}

/// A text, its version and its caret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Which text.
    pub buffer: BufferId,
    /// Its version.
    pub version: u64,
    /// Its primary caret.
    pub caret: Byte,
}

/// What answers with rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The language server of this number.
    Server(u32),
    /// Files and folders.
    Paths,
    /// The user's snippets.
    Snippets,
    /// Words of open files.
    Words,
}

/// An answer of a source.
pub struct Source {
    /// Who answered.
    pub origin: Origin,
    /// The text that a server answered about, and in which units.
    pub text: Option<(AnsweredText, Encoding)>,
    /// Whether it may have others once more is typed.
    pub is_incomplete: bool,
    /// Whether it was asked again: its rows stay until it has answered.
    pub is_stale: bool,
    /// Characters that accept a row without its own and are typed behind it.
    pub commit: Vec<char>,
    /// Whether it can say more about a row.
    pub resolves: bool,
}

/// A row.
pub struct Row {
    /// What is offered.
    pub item: Item,
    /// Index of its source.
    pub source: usize,
    /// Bytes before the caret that it replaced when it was asked for.
    pub back: usize,
    /// Bytes behind the caret that it replaces.
    pub after: usize,
    /// Whether the source was asked for the rest.
    pub is_resolved: bool,
}

/// What is shown beside the list.
#[derive(Debug, Default)]
pub struct Documentation {
    /// Index of the row that it is about.
    pub row: usize,
    /// Its lines.
    pub lines: Vec<Line>,
    /// Columns for which they are laid out.
    pub width: u16,
}

/// The list of a word.
pub struct OpenList {
    /// Its number, so that late answers find the right list.
    pub number: u64,
    /// The text.
    pub buffer: BufferId,
    /// Where the word begins.
    pub start: Byte,
    /// The word before the caret.
    pub word: String,
    /// Its length when the list was asked for.
    pub asked: usize,
    /// Its line up to the caret.
    pub before: String,
    /// The answers so far.
    pub sources: Vec<Source>,
    /// Their rows.
    pub rows: Vec<Row>,
    /// Those that match the word, the best one first.
    pub matches: Vec<rank::Match>,
    /// Index of the selected match.
    pub selected: usize,
    /// Whether the user has selected it.
    pub is_chosen: bool,
    /// Number of sources that have not answered.
    pub waiting: usize,
    /// Whether the user asked for it.
    pub is_by_hand: bool,
    /// Whether it stands above the caret's line; `None` until it was placed.
    pub is_above: Option<bool>,
    /// What is shown beside it.
    pub documentation: Option<Documentation>,
    /// When the documentation of the selected row is asked for, on the monotonic clock.
    pub documentation_at: Option<Duration>,
    /// Cancels the questions on drop.
    pub questions: DropGuard,
}

impl OpenList {
    /// Returns a list of a text without rows, whose questions end with it.
    pub fn new(buffer: BufferId, questions: DropGuard) -> Self {
        Self {
            number: 0,
            buffer,
            start: Byte(0),
            word: String::new(),
            asked: 0,
            before: String::new(),
            sources: Vec::new(),
            rows: Vec::new(),
            matches: Vec::new(),
            selected: 0,
            is_chosen: false,
            waiting: 0,
            is_by_hand: false,
            is_above: None,
            documentation: None,
            documentation_at: None,
            questions,
        }
    }

    /// Returns the selected row.
    pub fn selected_row(&self) -> Option<&Row> {
        self.matches.get(self.selected).map(|found| &self.rows[found.row as usize])
    }

    /// Removes the rows of the sources that are asked again: of all, or of one that has answered.
    pub fn drop_stale(&mut self, answered: Option<Origin>) {
        let is_gone =
            |source: &Source| source.is_stale && answered.is_none_or(|origin| origin == source.origin);
        if self.sources.iter().any(is_gone) {
            self.rows.retain(|row| !is_gone(&self.sources[row.source]));
            for source in self.sources.iter_mut().filter(|source| is_gone(source)) {
                (source.is_stale, source.is_incomplete) = (false, false);
            }
            // Its index is that of another row now.
            self.documentation = None;
        }
    }

    /// Returns what the user has selected: its label, and who offers it.
    pub fn chosen(&self) -> Option<(String, Origin)> {
        let row = self.selected_row().filter(|_| self.is_chosen)?;
        Some((row.item.label.clone(), self.sources[row.source].origin))
    }

    /// Selects what the user had selected among other rows, if it is still there.
    pub fn choose(&mut self, (label, origin): &(String, Origin)) {
        let is_it = |found: &rank::Match| {
            let row = &self.rows[found.row as usize];
            row.item.label == *label && self.sources[row.source].origin == *origin
        };
        if let Some(at) = self.matches.iter().position(is_it) {
            (self.selected, self.is_chosen) = (at, true);
        }
    }

    /// Returns how many bytes before the caret a row replaces now.
    pub fn back(&self, row: &Row) -> usize {
        (row.back + self.word.len()).saturating_sub(self.asked)
    }

    /// Selects another row, from the last to the first and back; `now` is on the monotonic clock.
    pub fn step(&mut self, by: isize, now: Duration) {
        let count = self.matches.len() as isize;
        if count > 0 {
            self.is_chosen = true;
            self.selected = (self.selected as isize + by).rem_euclid(count) as usize;
            self.documentation_at = Some(now + REST);
        }
    }

    /// Brings the matches up to date with the word.
    pub fn rank(&mut self, now: Duration) {
        let kept = self.matches.get(self.selected).filter(|_| self.is_chosen).map(|found| found.row);
        self.matches = rank::rank(&self.rows, &self.before, self.word.len() as isize - self.asked as isize);
        let at = kept.and_then(|row| self.matches.iter().position(|found| found.row == row));
        self.is_chosen = at.is_some();
        self.selected = at.unwrap_or_else(|| rank::preselected(&self.rows, &self.matches, &self.word));
        self.documentation_at = Some(now + REST);
        let shown = self.selected_row().is_some();
        let row = self.matches.get(self.selected).map(|found| found.row as usize);
        self.documentation.take_if(|known| !shown || Some(known.row) != row);
    }

    /// Returns the rows on screen, the selected one among them, and the index of the first.
    pub fn shown(&self, height: usize) -> (usize, &[rank::Match]) {
        let first = (self.selected + 1).saturating_sub(height.max(1));
        (first, &self.matches[first..self.matches.len().min(first + height)])
    }
}

/// The signature of the call that is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownSignature {
    /// In which text.
    pub buffer: BufferId,
    /// Where it began to be shown: the pop-up stays there.
    pub start: Byte,
    /// It, on one line.
    pub label: String,
    /// Bytes of the label with the parameter that is typed.
    pub parameter: Option<Range<usize>>,
    /// Index of the signature, and how many there are.
    pub place: (usize, usize),
    /// What is said about the parameter, on one line; may be empty.
    pub about: String,
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;

    fn source(origin: Origin, is_stale: bool) -> Source {
        Source { origin, text: None, is_incomplete: is_stale, is_stale, commit: Vec::new(), resolves: false }
    }

    fn row(source: usize) -> Row {
        Row { item: Item::default(), source, back: 0, after: 0, is_resolved: true }
    }

    #[test]
    fn completions_of_sources_asked_again_stay_until_each_has_answered() {
        let mut open = OpenList::new(BufferId(1), CancellationToken::new().drop_guard());
        open.sources = vec![
            source(Origin::Server(1), true),
            source(Origin::Snippets, false),
            source(Origin::Server(2), true),
        ];
        open.rows = (0..3).map(row).collect();
        let left = |open: &OpenList| open.rows.iter().map(|row| row.source).collect::<Vec<_>>();
        open.drop_stale(Some(Origin::Server(1)));
        assert_eq!(left(&open), [1, 2]);
        open.sources.push(source(Origin::Server(1), false));
        open.rows.push(row(3));
        open.drop_stale(None);
        assert_eq!(left(&open), [1, 3], "an answer that came stays");
        assert!(
            open.sources.iter().all(|source| !source.is_incomplete),
            "none is asked again for what is gone"
        );
    }
}
