//! State of the session tree: its rows, the selected one, and their known texts. Must not know how rows are
//! drawn, or which keys move between them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use compact_str::CompactString;

use crate::ide::core::tasks::latest_request::LatestRequest;
use crate::ide::features::sessions::forest::Forest;
use crate::session::derived::outline::turn::{Turn, TurnSummary};
use crate::session::derived::outline::{Filter, Outline, Row};

/// Number of rows around those on the screen whose texts are requested, too.
const PREFETCH_ROWS: usize = 50;

/// Number of turns that are summed up at once, so that the session is not blocked: their entries are read.
const SUMMARIES_BATCH: usize = 8;

/// A search, and the entries that match.
pub type Matches = (String, HashSet<String>);

/// The session tree.
#[derive(Debug)]
pub struct SessionView {
    /// Number of the view in this run, so that late results find the right one.
    pub number: u64,
    /// The time, in milliseconds since the epoch, for the ages of entries.
    pub now_ms: u64,
    /// Which entries have rows.
    pub filter: Filter,
    /// The rows; `None` until they have arrived.
    pub outline: Option<Outline>,
    /// The shown rows: those not folded, and during a search those that match.
    pub shown: Vec<u32>,
    /// Index of the selected row among the shown ones.
    pub selected: usize,
    /// The search, and the matching entries.
    pub matches: Option<Matches>,
    /// The turn of the selected row; that of the previous one until it has arrived.
    pub turn: Option<Turn>,
    /// The entry of that turn.
    turn_entry: Option<CompactString>,
    /// The entry whose turn was requested.
    pub requested_turn: Option<CompactString>,
    /// The entry to select once the rows have arrived.
    pending_selection: Option<CompactString>,
    /// The entry that was to be selected when the rows arrived, and the one that was selected: another one where the
    /// filter shows no row for it.
    wanted: Option<(CompactString, CompactString)>,
    /// The rows that lead to the first of these two, the nearest first.
    before_wanted: Vec<CompactString>,
    /// The first row on the screen, as of the last frame.
    top: usize,
    /// The row to compare another one with, and its text.
    pub marked: Option<(CompactString, String)>,
    /// Whether the conversation is in another session.
    pub is_elsewhere: bool,
    /// Other sessions, shown in place of this one.
    pub forest: Option<Forest>,
    /// Whether the session has changed since the rows were requested.
    pub is_stale: bool,
    /// Whether rows are requested and have not arrived.
    pub is_loading: bool,
    /// The last press of the mouse: when, on which row, and its number in a row of clicks.
    pub pressed: Option<(Duration, usize, u8)>,
    /// Requests for the rows.
    pub outlines: LatestRequest,
    /// Searches of the texts of entries.
    pub searches: LatestRequest,
    folded: HashSet<CompactString>,
    /// First entries of the branches that are hidden.
    hidden: HashSet<CompactString>,
    texts: HashMap<CompactString, Option<String>>,
    /// Entries whose texts may have changed: shown until they are requested and have arrived again.
    outdated: HashSet<CompactString>,
    summaries: HashMap<CompactString, TurnSummary>,
    /// Entries whose summaries are known or requested.
    summarized: HashSet<CompactString>,
}

/// Data that is missing on the screen.
#[derive(Debug, PartialEq, Eq)]
pub enum Missing {
    /// The texts of these entries.
    Texts(Vec<String>),
    /// The summaries of the turns of these messages of the user.
    Summaries(Vec<String>),
    /// The turn of this entry.
    Turn(String),
}

impl SessionView {
    /// Returns a view without rows.
    pub fn new(number: u64, now_ms: u64) -> Self {
        Self {
            number,
            now_ms,
            filter: Filter::default(),
            outline: None,
            shown: Vec::new(),
            selected: 0,
            matches: None,
            turn: None,
            turn_entry: None,
            requested_turn: None,
            marked: None,
            is_elsewhere: false,
            pending_selection: None,
            wanted: None,
            before_wanted: Vec::new(),
            top: 0,
            forest: None,
            is_stale: false,
            is_loading: false,
            pressed: None,
            outlines: LatestRequest::default(),
            searches: LatestRequest::default(),
            folded: HashSet::new(),
            hidden: HashSet::new(),
            texts: HashMap::new(),
            outdated: HashSet::new(),
            summaries: HashMap::new(),
            summarized: HashSet::new(),
        }
    }

    /// Stores the rows. Keeps the selected row if it still exists, else the nearest one before it; initially the
    /// current position of the conversation is selected, and while it is, the selection follows the conversation.
    pub fn set_outline(&mut self, outline: Outline) {
        let selected = self.row(self.selected).filter(|(at, _)| !self.is_here(*at));
        let selected = selected.map(|(_, row)| row.id.clone());
        let wanted = self.pending_selection.take();
        if wanted.is_some() && self.selected_row().map(|row| &row.id) == wanted.as_ref() {
            self.before_wanted = self.rows_before_selected();
        }
        let screen_row = self.screen_row();
        // What the last turn did may have grown.
        if let Some(last) = self.outline.as_ref().and_then(|outline| outline.turn(0)) {
            self.summarized.remove(last);
        }
        let here = outline.leaf_row.map(|at| outline.rows[at as usize].id.clone());
        self.outline = Some(outline);
        self.requested_turn = None;
        self.update_shown();
        let kept = wanted.clone().or(selected);
        let near = || if wanted.is_some() { self.nearest(&self.before_wanted) } else { None };
        let found = kept.and_then(|id| self.index_of(&id)).or_else(near);
        let found = found.or_else(|| here.and_then(|id| self.index_of(&id)));
        // What stands for the current position if that is folded away or hidden.
        let above = || {
            let here = self.outline.as_ref()?.leaf_row?;
            self.shown.partition_point(|at| *at <= here).checked_sub(1)
        };
        self.selected = found.or_else(above).unwrap_or(0);
        if let Some(wanted) = wanted {
            self.top = self.selected.saturating_sub(screen_row);
            let instead = self.selected_row().map(|row| row.id.clone()).unwrap_or_default();
            self.wanted = Some((wanted, instead));
        }
    }

    /// Returns the entries of the rows that lead to the selected one, the nearest first.
    fn rows_before_selected(&self) -> Vec<CompactString> {
        let (Some(outline), Some((at, _))) = (&self.outline, self.row(self.selected)) else {
            return Vec::new();
        };
        let leads = |row: &usize| row + outline.rows[*row].descendants as usize >= at as usize;
        (0..=at as usize).rev().filter(leads).map(|row| outline.rows[row].id.clone()).collect()
    }

    /// Returns the index of the first of these entries that has a shown row.
    fn nearest(&self, entries: &[CompactString]) -> Option<usize> {
        let outline = self.outline.as_ref().filter(|_| !entries.is_empty())?;
        let wanted: HashMap<&str, usize> =
            entries.iter().enumerate().map(|(rank, id)| (id.as_str(), rank)).collect();
        let rank = |at: &u32| wanted.get(outline.rows[*at as usize].id.as_str()).copied();
        let found = self.shown.iter().enumerate().filter_map(|(index, at)| Some((rank(at)?, index)));
        found.min().map(|(_, index)| index)
    }

    /// Returns on which row of the screen the selected one is.
    fn screen_row(&self) -> usize {
        self.selected.saturating_sub(self.top)
    }

    /// Returns whether the conversation is at a row.
    pub fn is_here(&self, at: u32) -> bool {
        self.outline.as_ref().is_some_and(|outline| outline.leaf_row == Some(at))
    }

    /// Returns where the conversation is, for the row that is nearest to it. A message of the user stands for the point
    /// before it, so the conversation is behind it; without a row above it is before the first one.
    pub fn position_at(&self, (index, at): (usize, u32)) -> Option<&'static str> {
        let outline = self.outline.as_ref()?;
        match outline.leaf_row {
            None if index == 0 && self.matches.is_none() && !self.is_elsewhere => Some("you are before it"),
            Some(here) if here != at => None,
            Some(_) if outline.rows[at as usize].is_user() => Some("you are after it"),
            Some(_) => Some("you are here"),
            None => None,
        }
    }

    /// Changes the filter, which requires new rows; the selection stays, and returns with a row that this filter has
    /// not.
    pub fn set_filter(&mut self, filter: Filter) {
        let selected = self.selected_row().map(|row| row.id.clone());
        let wanted = self.wanted.take().filter(|(_, it)| selected.as_ref().is_none_or(|id| id == it));
        // Without rows there is nothing else to select.
        let pending = self.pending_selection.take().filter(|_| selected.is_none());
        self.pending_selection = wanted.map(|(wanted, _)| wanted).or(selected).or(pending);
        (self.filter, self.matches) = (filter, None);
    }

    /// Shows all entries, with this one selected once they have arrived.
    pub fn select_when_loaded(&mut self, entry: &str) {
        self.filter = Filter::All;
        self.pending_selection = Some(entry.into());
    }

    /// Shows only matching entries, or all of them.
    pub fn set_matches(&mut self, found: Option<Matches>) {
        let kept = self.selected_row().map(|row| row.id.clone());
        let screen_row = self.screen_row();
        self.matches = found;
        self.update_shown();
        self.selected = kept.and_then(|id| self.index_of(&id)).unwrap_or(0);
        self.top = self.selected.saturating_sub(screen_row);
    }

    fn index_of(&self, id: &str) -> Option<usize> {
        let outline = self.outline.as_ref()?;
        self.shown.iter().position(|at| outline.rows[*at as usize].id == id)
    }

    /// Computes the shown rows, once for every outline and every search.
    fn update_shown(&mut self) {
        let rows = self.outline.as_ref().map_or(0, |outline| outline.rows.len());
        self.shown = self.shown_in(0..rows);
        self.selected = self.selected.min(self.shown.len().saturating_sub(1));
    }

    /// Returns which of these rows are shown.
    fn shown_in(&self, rows: Range<usize>) -> Vec<u32> {
        let Some(outline) = &self.outline else { return Vec::new() };
        let mut shown = Vec::new();
        let mut at = rows.start;
        while at < rows.end {
            let row = &outline.rows[at];
            if self.matches.as_ref().is_none_or(|(_, ids)| ids.contains(row.id.as_str())) {
                shown.push(at as u32);
            }
            at += 1 + if self.is_closed(row) { row.descendants as usize } else { 0 };
        }
        shown
    }

    /// Folds or unfolds the selected row; if it has nothing below it, the nearest row above that has.
    pub fn fold(&mut self, close: bool) {
        let Some(outline) = &self.outline else { return };
        let Some(at) = self.shown.get(self.selected).map(|at| *at as usize) else { return };
        let holds = |row: usize| row + outline.rows[row].descendants as usize >= at;
        let row = match outline.rows[at].descendants {
            0 if close => (0..at).rev().find(|row| holds(*row)),
            _ => Some(at),
        };
        let Some(row) = row.filter(|row| !self.is_hidden(&outline.rows[*row])) else { return };
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
        // Only rows below it are added or removed: folding is fast in a session of any length.
        let inner = if close { Vec::new() } else { self.shown_in(below.clone()) };
        let shown_index = |row: usize| self.shown.partition_point(|at| (*at as usize) < row);
        let (from, to) = (shown_index(below.start), shown_index(below.end));
        self.shown.splice(from..to, inner);
        self.selected = self.shown.partition_point(|at| (*at as usize) < row);
    }

    /// Returns whether rows are hidden below a row.
    pub fn is_folded(&self, row: &Row) -> bool {
        row.descendants > 0 && self.matches.is_none() && self.folded.contains(&row.id) && !self.is_hidden(row)
    }

    /// Replaces the hidden branches, before rows are stored.
    pub fn set_hidden(&mut self, first_entries: impl IntoIterator<Item = String>) {
        self.hidden = first_entries.into_iter().map(Into::into).collect();
    }

    /// Hides the branch that begins at a row, or shows it again; the row stays selected. Returns whether it is hidden
    /// now.
    pub fn toggle_hidden(&mut self, row: &Row) -> bool {
        let is_hidden = !self.hidden.remove(&row.id);
        if is_hidden {
            self.hidden.insert(row.id.clone());
        }
        self.update_shown();
        self.selected = self.index_of(&row.id).unwrap_or(self.selected);
        is_hidden
    }

    /// Returns whether a hidden branch begins at a row, shown or not.
    pub fn is_branch_hidden(&self, row: &Row) -> bool {
        self.hidden.contains(&row.id)
    }

    /// Returns whether a row stands for a hidden branch. A search and the filters that list entries from everywhere
    /// show what is hidden, too.
    pub fn is_hidden(&self, row: &Row) -> bool {
        let is_applied = self.matches.is_none() && !matches!(self.filter, Filter::All | Filter::Labels);
        is_applied && self.is_branch_hidden(row)
    }

    /// Returns whether the rows below a row are not shown.
    fn is_closed(&self, row: &Row) -> bool {
        self.is_folded(row) || self.is_hidden(row)
    }

    /// Selects the line with this number of those that are shown.
    pub fn select_line(&mut self, index: usize) {
        match &mut self.forest {
            Some(forest) => forest.select(index),
            None => self.selected = index.min(self.shown.len().saturating_sub(1)),
        }
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize) {
        if let Some(forest) = &mut self.forest {
            return forest.step(by);
        }
        let last = self.shown.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// Goes to the next or the previous row where the conversation branches or ends, or to the next session.
    pub fn step_to_branch(&mut self, by: isize) {
        if let Some(forest) = &mut self.forest {
            return forest.step_to_root(by);
        }
        let Some(outline) = &self.outline else { return };
        let parts = |index: usize| {
            let at = self.shown[index] as usize;
            let next = outline.rows.get(at + 1);
            outline.rows[at].starts || next.is_none_or(|next| next.starts)
        };
        let found = if by > 0 {
            (self.selected + 1..self.shown.len()).find(|index| parts(*index))
        } else {
            (0..self.selected).rev().find(|index| parts(*index))
        };
        self.selected = found.unwrap_or(self.selected);
    }

    /// Returns a shown row by its index.
    pub fn row(&self, index: usize) -> Option<(u32, &Row)> {
        let at = *self.shown.get(index)?;
        Some((at, &self.outline.as_ref()?.rows[at as usize]))
    }

    /// The selected row; `None` while other sessions are shown.
    pub fn selected_row(&self) -> Option<&Row> {
        self.row(self.selected).map(|(_, row)| row).filter(|_| self.forest.is_none())
    }

    /// Returns the text of a row, once it is known.
    pub fn text_of(&self, row: &Row) -> Option<&str> {
        self.texts.get(&row.id)?.as_deref()
    }

    /// Stores texts of rows.
    pub fn set_texts(&mut self, words: Vec<(String, String)>) {
        for (id, words) in words {
            self.texts.insert(id.into(), Some(words));
        }
    }

    /// Returns what the turn of a row did, once it is known.
    pub fn summary_of(&self, row: &Row) -> Option<&TurnSummary> {
        self.summaries.get(&row.id)
    }

    /// Stores summaries of turns.
    pub fn set_summaries(&mut self, summaries: Vec<(String, TurnSummary)>) {
        self.summaries.extend(summaries.into_iter().map(|(id, summary)| (id.into(), summary)));
    }

    /// Makes texts and summaries be requested again after a change of the session.
    pub fn invalidate(&mut self) {
        self.summarized.clear();
        self.outdated = self.texts.keys().cloned().collect();
        self.requested_turn = None;
    }

    /// Returns what to request for so many rows on the screen, and whether the turn of the selected one is shown.
    /// Nothing is requested twice.
    pub fn missing(&mut self, rows: usize, with_turn: bool) -> Vec<Missing> {
        let mut missing = Vec::new();
        let Some(outline) = self.outline.as_ref().filter(|_| self.forest.is_none()) else { return missing };
        let page = self.page(rows);
        let on_page = self.shown[page.clone()].iter().map(|at| &outline.rows[*at as usize]);
        let turns = on_page.filter(|row| row.is_user() && !self.summarized.contains(&row.id));
        let turns: Vec<CompactString> = turns.map(|row| row.id.clone()).collect();
        let texts = self.missing_texts(page);
        if !texts.is_empty() {
            missing.push(Missing::Texts(texts));
        }
        missing.extend(
            turns
                .chunks(SUMMARIES_BATCH)
                .map(|ids| Missing::Summaries(ids.iter().map(ToString::to_string).collect())),
        );
        self.summarized.extend(turns);
        let selected = self.selected_row().filter(|_| with_turn).map(|row| row.id.clone());
        if let Some(id) = selected.filter(|id| self.requested_turn.as_ref() != Some(id)) {
            missing.push(Missing::Turn(id.to_string()));
            self.requested_turn = Some(id);
        }
        missing
    }

    /// Returns the entries on a page, and around it, whose texts are to be requested. Nothing is requested twice.
    pub fn missing_texts(&mut self, page: Range<usize>) -> Vec<String> {
        let Some(outline) = &self.outline else { return Vec::new() };
        let count = self.shown.len();
        let near = page.start.saturating_sub(PREFETCH_ROWS).min(count)..(page.end + PREFETCH_ROWS).min(count);
        let ids = self.shown[near].iter().map(|at| &outline.rows[*at as usize].id);
        let is_unknown = |id: &&CompactString| !self.texts.contains_key(*id) || self.outdated.contains(*id);
        let unknown: Vec<CompactString> = ids.filter(is_unknown).cloned().collect();
        let requested = unknown.iter().map(ToString::to_string).collect();
        for id in unknown {
            self.outdated.remove(&id);
            self.texts.entry(id).or_default();
        }
        requested
    }

    /// Stores the turn of an entry.
    pub fn set_turn(&mut self, entry: &str, turn: Option<Turn>) {
        if self.requested_turn.as_ref().is_some_and(|requested| requested == entry) {
            self.turn_entry = turn.is_some().then(|| entry.into());
            self.turn = turn;
        }
    }

    /// Returns whether a state of the files was recorded for a row; `None` until that is known.
    pub fn has_state(&self, row: &Row) -> Option<bool> {
        let turn = self.turn.as_ref().filter(|_| self.turn_entry.as_ref() == Some(&row.id))?;
        Some(turn.has_state)
    }

    /// Returns the lines on a screen of this height: those of the last frame, moved as far as the selected one needs.
    pub fn page(&self, rows: usize) -> Range<usize> {
        let rows = rows.max(1);
        let shown = || (self.selected, self.shown.len());
        let (selected, count) = self.forest.as_ref().map_or_else(shown, |it| (it.selected(), it.len()));
        let first = self.top.clamp((selected + 1).saturating_sub(rows), selected);
        // The last lines fill the screen, too.
        let first = first.min(count.saturating_sub(rows));
        first..(first + rows).min(count)
    }

    /// Remembers which lines a frame of this height has shown.
    pub fn keep_page(&mut self, rows: usize) {
        self.top = self.page(rows).start;
    }

    /// Returns the filter that is so many after this one; those before it have negative numbers.
    pub fn filter_after(&self, by: isize) -> Filter {
        let at = Filter::ALL.iter().position(|filter| *filter == self.filter).unwrap_or(0);
        Filter::ALL[(at as isize + by).rem_euclid(Filter::ALL.len() as isize) as usize]
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
        let mut view = SessionView::new(1, 0);
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
    fn session_tree_hidden_branch_leaves_one_row_and_is_found_by_search_and_filters() {
        let mut view = view();
        view.step(-2);
        let row = view.selected_row().unwrap().clone();
        assert_eq!((row.id.as_str(), view.toggle_hidden(&row)), ("b", true));
        assert_eq!((shown(&view), view.selected, view.is_hidden(&row)), ("abd".into(), 1, true));
        view.fold(true);
        assert_eq!(shown(&view), "abd", "what is hidden is not folded");
        view.set_matches(Some(("x".into(), ["c".to_string()].into())));
        assert_eq!(shown(&view), "c");
        view.set_matches(None);
        assert_eq!(shown(&view), "abd");
        let outline = view.outline.clone().unwrap();
        view.set_filter(Filter::All);
        view.set_outline(outline.clone());
        assert_eq!((shown(&view), view.is_branch_hidden(&row)), ("abcd".into(), true));
        view.set_filter(Filter::Messages);
        view.set_hidden(["a".to_string()]);
        view.set_outline(outline);
        assert_eq!((shown(&view), view.selected), ("a".into(), 0), "the current position is in it");
        let all = view.selected_row().unwrap().clone();
        assert!(!view.toggle_hidden(&all));
        assert_eq!((shown(&view), view.selected), ("abcd".into(), 0));
    }

    #[test]
    fn session_tree_selection_returns_with_a_filter_that_has_its_row() {
        let mut tree = Tree::default();
        let rows = [("a", "null", "user"), ("b", "\"a\"", "assistant"), ("c", "\"b\"", "user")];
        for (id, parent, role) in rows {
            let line = format!(
                r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"{role}"}}}}"#
            );
            tree.push(Entry::parse(&line).unwrap()).unwrap();
        }
        let labels: HashMap<String, String> = [("c".to_string(), "L".to_string())].into();
        let mut view = SessionView::new(1, 0);
        let filter = |view: &mut SessionView, filter| {
            view.set_filter(filter);
            view.set_outline(outline(&tree, &labels, filter));
            view.selected_row().map(|row| row.id.to_string())
        };
        filter(&mut view, Filter::Turns);
        view.step(-1);
        assert_eq!(view.selected_row().map(|row| row.id.as_str()), Some("b"));
        assert_eq!(filter(&mut view, Filter::User).as_deref(), Some("a"), "the row before it");
        assert_eq!(filter(&mut view, Filter::Labels).as_deref(), Some("c"), "there is no row before it");
        assert_eq!(filter(&mut view, Filter::All).as_deref(), Some("b"));
        filter(&mut view, Filter::User);
        view.step(1);
        assert_eq!(filter(&mut view, Filter::Turns).as_deref(), Some("c"), "another row was selected since");
    }

    #[test]
    fn session_tree_page_moves_only_as_far_as_the_selected_row_needs() {
        let mut view = view();
        assert_eq!(view.page(2), 2..4);
        view.keep_page(2);
        view.step(-1);
        assert_eq!(view.page(2), 2..4);
        view.step(-1);
        assert_eq!(view.page(2), 1..3);
        view.keep_page(2);
        view.step(1);
        assert_eq!((view.page(2), view.page(9)), (1..3, 0..4));
        // The row stays where it is on the screen.
        view.set_matches(Some(("x".into(), ["a".into(), "c".into(), "d".into()].into())));
        assert_eq!((view.selected, view.page(2)), (1, 0..2));
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
    fn session_tree_selection_follows_the_conversation_until_it_is_moved() {
        let mut view = view();
        let mut grown = view.outline.clone().unwrap();
        grown.rows.push(Row { id: "e".into(), ..grown.rows[3].clone() });
        grown.leaf_row = Some(4);
        view.set_outline(grown.clone());
        assert_eq!((shown(&view), view.selected), ("abcde".into(), 4));
        view.step(-1);
        grown.rows.push(Row { id: "f".into(), ..grown.rows[3].clone() });
        grown.leaf_row = Some(5);
        view.set_outline(grown);
        assert_eq!((shown(&view), view.selected), ("abcdef".into(), 3));
        assert!(!view.missing(9, false).contains(&Missing::Turn("d".into())), "it is not shown");
    }

    #[test]
    fn session_tree_refetches_turn_after_new_outline() {
        let mut view = view();
        let asks = |view: &mut SessionView| view.missing(9, true).contains(&Missing::Turn("d".into()));
        assert_eq!((asks(&mut view), asks(&mut view)), (true, false));
        let again = view.outline.clone().unwrap();
        view.set_outline(again);
        assert_eq!((asks(&mut view), asks(&mut view)), (true, false), "it may be another one now");
        view.invalidate();
        assert!(asks(&mut view));
    }

    #[test]
    fn session_tree_asks_for_summaries_of_the_rows_on_screen_in_parts() {
        let mut tree = Tree::default();
        for n in 0..40 {
            let line =
                format!(r#"{{"type":"message","id":"{n}","parentId":null,"message":{{"role":"user"}}}}"#);
            tree.push(Entry::parse(&line).unwrap()).unwrap();
        }
        let mut view = SessionView::new(1, 0);
        view.set_outline(outline(&tree, &HashMap::new(), Filter::Turns));
        let asked = |view: &mut SessionView| -> Vec<usize> {
            let missing = view.missing(20, true).into_iter();
            missing
                .filter_map(|what| if let Missing::Summaries(ids) = what { Some(ids.len()) } else { None })
                .collect()
        };
        assert_eq!((asked(&mut view), asked(&mut view)), (vec![8, 8, 4], vec![]));
        let row = view.row(39).unwrap().1.clone();
        assert_eq!(view.summary_of(&row), None);
        view.set_summaries(vec![("39".into(), TurnSummary { files: 2, ..TurnSummary::default() })]);
        assert_eq!(view.summary_of(&row).map(|summary| summary.files), Some(2));
        view.invalidate();
        assert!(view.summary_of(&row).is_some(), "until it has arrived again");
        assert_eq!(asked(&mut view), [8, 8, 4]);
    }

    #[test]
    fn session_tree_requests_each_text_once() {
        let mut view = view();
        let words = Missing::Texts(["a", "b", "c", "d"].map(String::from).to_vec());
        let turns = Missing::Summaries(["a", "b", "c", "d"].map(String::from).to_vec());
        assert_eq!(view.missing(10, true), [words, turns, Missing::Turn("d".into())]);
        assert_eq!(view.missing(10, true), []);
        view.step(-1);
        assert_eq!(view.missing(10, true), [Missing::Turn("c".into())]);
        view.set_texts(vec![("a".into(), "hello".into())]);
        let row = view.row(0).unwrap().1.clone();
        assert_eq!(view.text_of(&row), Some("hello"));
        view.invalidate();
        assert_eq!(view.text_of(&row), Some("hello"), "until it has arrived again");
        let again = Missing::Texts(["a", "b", "c", "d"].map(String::from).to_vec());
        let turns = Missing::Summaries(["a", "b", "c", "d"].map(String::from).to_vec());
        assert_eq!(view.missing(10, true), [again, turns, Missing::Turn("c".into())]);
        assert_eq!(view.missing(10, true), []);
    }
}
