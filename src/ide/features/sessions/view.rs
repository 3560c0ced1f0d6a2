//! The tree of the session, on top of the panes: which rows are there, which one is selected, and what
//! is known of them. Must not know how rows are drawn, or which keys move between them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use compact_str::CompactString;

use crate::ide::core::tasks::latest_request::LatestRequest;
use crate::session::derived::outline::turn::Turn;
use crate::session::derived::outline::{Filter, Outline, Row};

/// Rows beside those on the screen whose words are asked for, too.
const PREFETCH_ROWS: usize = 50;

/// The session tree.
#[derive(Debug)]
pub struct SessionView {
    /// Counts the views of this run, so that what comes late finds the right one.
    pub number: u64,
    /// When it was opened, in milliseconds since the epoch: ages are told from then.
    pub now_ms: u64,
    /// What the user calls the session.
    pub name: Option<String>,
    /// Which entries have rows.
    pub filter: Filter,
    /// The rows; nothing before they have come.
    pub outline: Option<Outline>,
    /// Which of them are shown: those in no fold, and where something is looked for, those that say it.
    pub shown: Vec<u32>,
    /// Which of the shown ones is selected.
    pub selected: usize,
    /// What was looked for, and which entries say it.
    pub matches: Option<(String, HashSet<String>)>,
    /// The turn of the row that is selected; that of the one before until it has come.
    pub turn: Option<Turn>,
    /// Whose turn was asked for.
    pub requested_turn: Option<CompactString>,
    /// Which entry is wanted selected once the rows are there.
    pending_selection: Option<CompactString>,
    /// Requests for the rows.
    pub outlines: LatestRequest,
    /// Searches in what the entries say.
    pub searches: LatestRequest,
    folded: HashSet<CompactString>,
    texts: HashMap<CompactString, Option<String>>,
}

/// What has to be asked for before everything on the screen can be told.
#[derive(Debug, PartialEq, Eq)]
pub enum Missing {
    /// What these entries say.
    Texts(Vec<String>),
    /// The turn of this one.
    Turn(String),
}

impl SessionView {
    /// A view whose rows are still to come.
    pub fn new(number: u64, now_ms: u64, name: Option<String>) -> Self {
        Self {
            number,
            now_ms,
            name,
            filter: Filter::default(),
            outline: None,
            shown: Vec::new(),
            selected: 0,
            matches: None,
            turn: None,
            requested_turn: None,
            pending_selection: None,
            outlines: LatestRequest::default(),
            searches: LatestRequest::default(),
            folded: HashSet::new(),
            texts: HashMap::new(),
        }
    }

    /// Takes the rows. The row that was selected stays so where it is still there; at first it is where
    /// the conversation is.
    pub fn set_outline(&mut self, outline: Outline) {
        let kept = self.pending_selection.take().or_else(|| self.selected_row().map(|row| row.id.clone()));
        let here = outline.leaf_row.map(|at| outline.rows[at as usize].id.clone());
        self.outline = Some(outline);
        self.requested_turn = None;
        self.update_shown();
        let found = [kept, here].into_iter().flatten().find_map(|id| self.index_of(&id));
        self.selected = found.unwrap_or(0);
    }

    /// Asks anew for the rows of another filter; the selection stays.
    pub fn set_filter(&mut self, filter: Filter) {
        self.pending_selection = self.selected_row().map(|row| row.id.clone());
        (self.filter, self.matches) = (filter, None);
    }

    /// Has rows for all entries, and this one selected once they are there.
    pub fn select_when_loaded(&mut self, entry: &str) {
        self.filter = Filter::All;
        self.pending_selection = Some(entry.into());
    }

    /// Shows only what says something, or everything again.
    pub fn set_matches(&mut self, found: Option<(String, HashSet<String>)>) {
        let kept = self.selected_row().map(|row| row.id.clone());
        self.matches = found;
        self.update_shown();
        self.selected = kept.and_then(|id| self.index_of(&id)).unwrap_or(0);
    }

    fn index_of(&self, id: &str) -> Option<usize> {
        let outline = self.outline.as_ref()?;
        self.shown.iter().position(|at| outline.rows[*at as usize].id == id)
    }

    /// Finds out which rows are shown, once for every outline and every search.
    fn update_shown(&mut self) {
        let rows = self.outline.as_ref().map_or(0, |outline| outline.rows.len());
        self.shown = self.shown_in(0..rows);
        self.selected = self.selected.min(self.shown.len().saturating_sub(1));
    }

    /// Which of these rows are shown.
    fn shown_in(&self, rows: Range<usize>) -> Vec<u32> {
        let Some(outline) = &self.outline else { return Vec::new() };
        let mut shown = Vec::new();
        let mut at = rows.start;
        while at < rows.end {
            let row = &outline.rows[at];
            if self.matches.as_ref().is_none_or(|(_, ids)| ids.contains(row.id.as_str())) {
                shown.push(at as u32);
            }
            at += 1 + if self.is_folded(row) { row.descendants as usize } else { 0 };
        }
        shown
    }

    /// Hides what is below the selected row, or shows it again; from a row with nothing below it, of the
    /// row above that has.
    pub fn fold(&mut self, close: bool) {
        let Some(outline) = &self.outline else { return };
        let Some(at) = self.shown.get(self.selected).map(|at| *at as usize) else { return };
        let holds = |row: usize| row + outline.rows[row].descendants as usize >= at;
        let row = match outline.rows[at].descendants {
            0 if close => (0..at).rev().find(|row| holds(*row)),
            _ => Some(at),
        };
        let Some(row) = row else { return };
        let id = outline.rows[row].id.clone();
        let below = row + 1..row + 1 + outline.rows[row].descendants as usize;
        if close {
            self.folded.insert(id);
        } else {
            self.folded.remove(&id);
        }
        if self.matches.is_some() {
            return;
        }
        // Only what is below the row comes or goes: a session of any length folds at once.
        let inner = if close { Vec::new() } else { self.shown_in(below.clone()) };
        let place = |row: usize| self.shown.partition_point(|at| (*at as usize) < row);
        let (from, to) = (place(below.start), place(below.end));
        self.shown.splice(from..to, inner);
        self.selected = self.shown.partition_point(|at| (*at as usize) < row);
    }

    /// Whether something is hidden below a row.
    pub fn is_folded(&self, row: &Row) -> bool {
        row.descendants > 0 && self.matches.is_none() && self.folded.contains(&row.id)
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize) {
        let last = self.shown.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// Goes to the next place where the conversation parts or ends, or to the one before.
    pub fn step_to_branch(&mut self, by: isize) {
        let Some(outline) = &self.outline else { return };
        let parts = |place: usize| {
            let at = self.shown[place] as usize;
            let next = outline.rows.get(at + 1);
            outline.rows[at].starts || next.is_none_or(|next| next.starts)
        };
        let found = if by > 0 {
            (self.selected + 1..self.shown.len()).find(|place| parts(*place))
        } else {
            (0..self.selected).rev().find(|place| parts(*place))
        };
        self.selected = found.unwrap_or(self.selected);
    }

    /// The row at a place of the shown ones.
    pub fn row(&self, place: usize) -> Option<(u32, &Row)> {
        let at = *self.shown.get(place)?;
        Some((at, &self.outline.as_ref()?.rows[at as usize]))
    }

    /// The selected row.
    pub fn selected_row(&self) -> Option<&Row> {
        self.row(self.selected).map(|(_, row)| row)
    }

    /// What a row says, once it is known.
    pub fn text_of(&self, row: &Row) -> Option<&str> {
        self.texts.get(&row.id)?.as_deref()
    }

    /// Takes what rows say.
    pub fn set_texts(&mut self, words: Vec<(String, String)>) {
        for (id, words) in words {
            self.texts.insert(id.into(), Some(words));
        }
    }

    /// What was changed of the session is asked for anew.
    pub fn invalidate(&mut self) {
        self.texts.clear();
        self.requested_turn = None;
    }

    /// What there is to ask for. Nothing is asked for twice.
    pub fn missing(&mut self, rows: usize) -> Vec<Missing> {
        let mut missing = Vec::new();
        let Some(outline) = &self.outline else { return missing };
        let page = self.page(rows);
        let near = page.start.saturating_sub(PREFETCH_ROWS)..(page.end + PREFETCH_ROWS).min(self.shown.len());
        let ids = self.shown[near].iter().map(|at| &outline.rows[*at as usize].id);
        let unknown: Vec<CompactString> = ids.filter(|id| !self.texts.contains_key(*id)).cloned().collect();
        if !unknown.is_empty() {
            missing.push(Missing::Texts(unknown.iter().map(ToString::to_string).collect()));
            self.texts.extend(unknown.into_iter().map(|id| (id, None)));
        }
        let selected = self.selected_row().map(|row| row.id.clone());
        if let Some(id) = selected.filter(|id| self.requested_turn.as_ref() != Some(id)) {
            missing.push(Missing::Turn(id.to_string()));
            self.requested_turn = Some(id);
        }
        missing
    }

    /// The places on a screen of so many rows.
    pub fn page(&self, rows: usize) -> Range<usize> {
        let rows = rows.max(1);
        let first = self.selected / rows * rows;
        first..(first + rows).min(self.shown.len())
    }

    /// The next filter.
    pub fn next_filter(&self) -> Filter {
        let at = Filter::ALL.iter().position(|filter| *filter == self.filter).unwrap_or(0);
        Filter::ALL[(at + 1) % Filter::ALL.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::derived::outline::outline;
    use crate::session::{Entry, Tree};

    /// `a` with two branches: `b c`, and `d`.
    fn view() -> SessionView {
        let mut tree = Tree::default();
        for (id, parent) in [("a", "null"), ("b", "\"a\""), ("c", "\"b\""), ("d", "\"a\"")] {
            let line = format!(
                r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"user"}}}}"#
            );
            tree.push(Entry::parse(&line).unwrap()).unwrap();
        }
        let mut view = SessionView::new(1, 0, None);
        view.set_outline(outline(&tree, &HashMap::new(), Filter::Turns));
        view
    }

    fn shown(view: &SessionView) -> String {
        (0..view.shown.len()).filter_map(|place| view.row(place)).map(|(_, row)| row.id.as_str()).collect()
    }

    #[test]
    fn session_tree_selection_survives_folding() {
        let mut view = view();
        assert_eq!((shown(&view), view.selected), ("abcd".into(), 3));
        view.step(-1);
        view.fold(true);
        assert_eq!((shown(&view), view.selected), ("abd".into(), 1), "c has nothing below it, b has");
        view.fold(false);
        assert_eq!((shown(&view), view.selected), ("abcd".into(), 1));
        view.step(-9);
        view.fold(true);
        assert_eq!((shown(&view), view.selected), ("a".into(), 0));
        view.fold(true);
        assert_eq!(shown(&view), "a");
    }

    #[test]
    fn session_tree_nested_folds_survive_unfolding() {
        let mut view = view();
        view.step(-2);
        view.fold(true);
        view.step(-1);
        view.fold(true);
        assert_eq!((shown(&view), view.selected), ("a".into(), 0));
        view.fold(false);
        assert_eq!((shown(&view), view.selected), ("abd".into(), 0), "b is still folded");
        view.update_shown();
        assert_eq!(shown(&view), "abd", "as if it were laid out anew");
    }

    #[test]
    fn session_tree_search_shows_only_matches() {
        let mut view = view();
        view.set_matches(Some(("x".into(), ["c".to_string(), "d".to_string()].into())));
        assert_eq!((shown(&view), view.selected), ("cd".into(), 1));
        view.set_matches(None);
        assert_eq!((shown(&view), view.selected), ("abcd".into(), 3));
    }

    #[test]
    fn session_tree_leap_stops_at_forks() {
        let mut view = view();
        view.step(-9);
        let mut places = vec![view.selected];
        for _ in 0..4 {
            view.step_to_branch(1);
            places.push(view.selected);
        }
        assert_eq!(places, [0, 1, 2, 3, 3]);
        view.step_to_branch(-1);
        assert_eq!(view.selected, 2);
    }

    #[test]
    fn session_tree_refetches_turn_after_new_outline() {
        let mut view = view();
        let asks = |view: &mut SessionView| view.missing(9).contains(&Missing::Turn("d".into()));
        assert_eq!((asks(&mut view), asks(&mut view)), (true, false));
        let again = view.outline.clone().unwrap();
        view.set_outline(again);
        assert_eq!((asks(&mut view), asks(&mut view)), (true, false), "it may be another one now");
        view.invalidate();
        assert!(asks(&mut view));
    }

    #[test]
    fn session_tree_requests_each_text_once() {
        let mut view = view();
        let words = Missing::Texts(["a", "b", "c", "d"].map(String::from).to_vec());
        assert_eq!(view.missing(10), [words, Missing::Turn("d".into())]);
        assert_eq!(view.missing(10), []);
        view.step(-1);
        assert_eq!(view.missing(10), [Missing::Turn("c".into())]);
        view.set_texts(vec![("a".into(), "hello".into())]);
        let row = view.row(0).unwrap().1.clone();
        assert_eq!(view.text_of(&row), Some("hello"));
    }
}
