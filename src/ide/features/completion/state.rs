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
    /// Bytes before the caret that it replaced when it was asked for.
    pub back: usize,
    /// Bytes behind the caret that it replaces.
    pub after: usize,
    /// Whether the source was asked for the rest.
    pub is_resolved: bool,
}

/// Which row of a list: rows keep their place while other sources answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowIndex {
    /// Index of its source.
    pub source: u32,
    /// Its index among the rows of the source.
    pub row: u32,
}

/// What is shown beside the list.
#[derive(Debug)]
pub struct Documentation {
    /// The row that it is about.
    pub row: RowIndex,
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
    /// Their rows, by source.
    pub rows: Vec<Vec<Row>>,
    /// Those that match the word, the best one first.
    pub matches: Vec<rank::Match>,
    /// The line up to the caret for which these were found among all rows there are.
    pub ranked: Option<String>,
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
            ranked: None,
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
        self.matches.get(self.selected).map(|found| self.row(found.row))
    }

    /// Returns a row.
    pub fn row(&self, at: RowIndex) -> &Row {
        &self.rows[at.source as usize][at.row as usize]
    }

    /// Returns the source of a row.
    pub fn source(&self, at: RowIndex) -> &Source {
        &self.sources[at.source as usize]
    }

    /// Adds what a source answers.
    pub fn add(&mut self, source: Source, rows: Vec<Row>) {
        self.sources.push(source);
        self.rows.push(rows);
        self.ranked = None;
    }

    /// Takes away the rows of the sources that are asked again: of all, or of one that has answered.
    pub fn take_stale(&mut self, answered: Option<Origin>) -> Vec<Vec<Row>> {
        let mut gone = Vec::new();
        for (source, rows) in self.sources.iter_mut().zip(&mut self.rows) {
            if source.is_stale && answered.is_none_or(|origin| origin == source.origin) {
                (source.is_stale, source.is_incomplete) = (false, false);
                gone.push(std::mem::take(rows));
            }
        }
        if !gone.is_empty() {
            (self.documentation, self.ranked) = (None, None);
            self.matches.clear();
        }
        gone
    }

    /// Returns what the user has selected: its label, and who offers it.
    pub fn chosen(&self) -> Option<(String, Origin)> {
        let found = self.matches.get(self.selected).filter(|_| self.is_chosen)?;
        Some((self.row(found.row).item.label.clone(), self.source(found.row).origin))
    }

    /// Selects what the user had selected among other rows, if it is still there.
    pub fn choose(&mut self, (label, origin): &(String, Origin)) {
        let is_it = |found: &rank::Match| {
            self.row(found.row).item.label == *label && self.source(found.row).origin == *origin
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
        let grown = self.word.len() as isize - self.asked as isize;
        // What does not match a word does not match a longer one.
        let is_longer = self.ranked.as_ref().is_some_and(|ranked| self.before.starts_with(ranked));
        let found = std::mem::take(&mut self.matches);
        self.matches = if is_longer {
            let found = found.into_iter().map(|found| (found.row, self.row(found.row)));
            rank::rank(found, &self.before, grown)
        } else {
            rank::rank(self.all_rows(), &self.before, grown)
        };
        self.ranked = Some(self.before.clone());
        let at = kept.and_then(|row| self.matches.iter().position(|found| found.row == row));
        self.is_chosen = at.is_some();
        self.selected = at.unwrap_or_else(|| self.preselected());
        self.documentation_at = Some(now + REST);
        let shown = self.selected_row().is_some();
        let row = self.matches.get(self.selected).map(|found| found.row);
        self.documentation.take_if(|known| !shown || Some(known.row) != row);
    }

    /// Returns all rows in the order of the sources.
    fn all_rows(&self) -> impl Iterator<Item = (RowIndex, &Row)> {
        let sources = (0..).zip(&self.rows);
        sources.flat_map(|(source, rows)| {
            (0..).zip(rows).map(move |(row, found)| (RowIndex { source, row }, found))
        })
    }

    /// Returns the index of the match that is selected first: the one that the server wants, unless another one matches better
    /// what was typed.
    fn preselected(&self) -> usize {
        let best = self.matches.first().map(|found| found.score);
        let wanted = |found: &rank::Match| {
            let is_as_good = self.word.is_empty() || Some(found.score) == best;
            is_as_good && self.row(found.row).item.is_preselected
        };
        self.matches.iter().position(wanted).unwrap_or(0)
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

    fn row(label: &str) -> Row {
        let item = Item { label: label.to_string(), filter: label.to_string(), ..Item::default() };
        Row { item, back: 0, after: 0, is_resolved: true }
    }

    fn list() -> OpenList {
        OpenList::new(BufferId(1), CancellationToken::new().drop_guard())
    }

    fn labels(open: &OpenList) -> Vec<&str> {
        open.matches.iter().map(|found| open.row(found.row).item.label.as_str()).collect()
    }

    fn typed(open: &mut OpenList, word: &str) {
        (open.word, open.before) = (word.to_string(), word.to_string());
        open.rank(Duration::ZERO);
    }

    #[test]
    fn completions_of_sources_asked_again_stay_until_each_has_answered() {
        let mut open = list();
        open.add(source(Origin::Server(1), true), vec![row("a")]);
        open.add(source(Origin::Snippets, false), vec![row("b")]);
        open.add(source(Origin::Server(2), true), vec![row("c")]);
        assert_eq!(open.take_stale(Some(Origin::Server(1))).len(), 1);
        typed(&mut open, "");
        assert_eq!(labels(&open), ["b", "c"]);
        open.add(source(Origin::Server(1), false), vec![row("d")]);
        assert_eq!(open.take_stale(None).len(), 1);
        typed(&mut open, "");
        assert_eq!(labels(&open), ["b", "d"], "an answer that came stays");
        assert!(
            open.sources.iter().all(|source| !source.is_incomplete),
            "none is asked again for what is gone"
        );
    }

    #[test]
    fn completions_of_a_longer_word_are_those_among_all_rows() {
        let names = ["expr", "print", "pprint", "Print", "reprint", "p_r", "other", "prr"];
        let (mut narrowed, mut step) = (list(), String::new());
        narrowed.add(source(Origin::Server(1), false), names.map(row).into());
        typed(&mut narrowed, "");
        for letter in "print".chars() {
            step.push(letter);
            typed(&mut narrowed, &step);
            let mut whole = list();
            whole.add(source(Origin::Server(1), false), names.map(row).into());
            typed(&mut whole, &step);
            assert_eq!(labels(&narrowed), labels(&whole), "{step}");
        }
        typed(&mut narrowed, "p");
        assert_eq!(labels(&narrowed).len(), 7, "a shorter word has others again");
        narrowed.add(source(Origin::Snippets, false), vec![row("pr")]);
        typed(&mut narrowed, "pr");
        assert!(labels(&narrowed).contains(&"pr"), "an answer that came is looked at");
    }

    #[test]
    fn completion_that_the_server_wants_is_selected_unless_another_matches_better() {
        let mut open = list();
        let mut rows: Vec<Row> = ["alpha", "beta", "alpine"].map(row).into();
        rows[1].item.is_preselected = true;
        rows[2].item.is_preselected = true;
        open.add(source(Origin::Server(1), false), rows);
        let mut selected = |word: &str| {
            typed(&mut open, word);
            open.selected_row().unwrap().item.label.clone()
        };
        assert_eq!([selected(""), selected("al"), selected("alph")], ["beta", "alpine", "alpha"]);
    }
}
