//! A picker: a list with a fuzzy filter that can be filled from any thread while shown. Must not know what
//! its rows represent.

use std::any::Any;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nucleo::Injector;
use ratatui::layout::{Position, Rect};
use tokio_util::sync::DropGuard;

use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::frame;
use crate::ide::core::layers::last_picker;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::layers::marked_rows;
use crate::ide::core::layers::matching::{self, Matching};
use crate::ide::core::layers::picker_draw;
use crate::ide::core::layers::prefix::{self, Prefix};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::layers::query_position::AcceptAt;
use crate::ide::core::layers::raised::Bonuses;
use crate::ide::core::layers::row_actions;
use crate::ide::core::state::State;
use crate::ide::model::text_area::TextArea;
use crate::text::position::Byte;
use crate::tui::canvas::Canvas;
use crate::tui::input::Key;

/// Table row of a picker.
pub struct PickerSpec {
    /// Its id.
    pub id: &'static str,
    /// Title of its frame.
    pub title: &'static str,
    /// What the title says beside that, such as which rows are listed.
    pub title_note: Option<fn(&State) -> Option<&str>>,
    /// Footer that says what Enter and Tab do, and what a mark means.
    pub footer: &'static str,
    /// The footer while a row is selected, where not all rows have the same keys.
    pub row_footer: Option<fn(&Pick) -> &'static str>,
    /// Commands whose keys the footer names, with what they do in a word or two.
    pub hints: &'static [(&'static str, &'static str)],
    /// What Tab does; without it rows cannot be toggled.
    pub toggle: Option<Toggle>,
    /// The place in a file or the text that is shown beside the list for a row, if it stands for one.
    pub preview: Option<fn(&State, &Pick) -> Option<PreviewTarget>>,
    /// Whether what is shown are places in files, which can be opened in windows and listed as results.
    pub has_places: bool,
    /// What is said below the list about a row.
    pub about: Option<About>,
    /// The sign before a marked row.
    pub mark: &'static str,
    /// Whether it stays open below what accepting a row opens.
    pub stays_open: bool,
    /// The signs at the beginning of the query that mean other lists.
    pub prefixes: &'static [Prefix],
    /// Whether the text of a row is a path: the name is shown before its folder.
    pub has_path: fn(&Pick) -> bool,
    /// Whether each word of the query must be in a row as it is, in place of its letters anywhere in their order: where
    /// Enter runs what nobody meant otherwise.
    pub by_words: bool,
    /// Whether a narrow list shows the text of a row whole, and its detail in what is left.
    pub keeps_text: bool,
    /// Whether details have all that the texts leave, in place of half of the list, and begin in one column.
    pub fills_detail: bool,
    /// What the list says without rows, before something is typed: `""` is that nothing matches.
    pub placeholder: &'static str,
    /// Source of its rows, and which of them are marked.
    pub load: fn(&State) -> RowSource,
    /// The letters of a row that a query matches, as indices of graphemes, where the rows are not found by the filter.
    pub letters: Option<fn(query: &str, row: &PickRow) -> Vec<u32>>,
    /// How well a query matches a row that is available at once, in place of the filter; `None` if it does not.
    pub rank: Option<fn(query: &str, row: &PickRow) -> Option<u32>>,
    /// Whether a row is dimmed, because accepting it does nothing now.
    pub is_dimmed: fn(&Pick) -> bool,
    /// The commands with keys in lists that mean something in this one, beside those of all lists.
    pub commands: &'static [&'static str],
    /// Accepts a row. `marked` are the rows marked with Tab.
    pub accept: fn(&mut Cx<'_>, pick: &Pick, marked: &[Pick]),
    /// Accepts a row at the one-based line and column behind a colon of the query; without it these are matched.
    pub accept_at: Option<AcceptAt>,
    /// Accepts all rows marked with Tab together; without it places in files are opened.
    pub accept_many: Option<fn(&mut Cx<'_>, marked: &[Pick])>,
    /// Removes what a row stands for; without it the key edits the query.
    pub remove: Option<fn(&mut Cx<'_>, pick: &Pick)>,
    /// Gives what a row stands for its default back.
    pub reset: Option<fn(&mut Cx<'_>, pick: &Pick)>,
    /// Tries what a row stands for.
    pub test: Option<fn(&mut Cx<'_>, pick: &Pick)>,
    /// Whether the marked row is selected first, in place of the first one.
    pub starts_at_mark: bool,
    /// Shows the effect of a row while it is selected.
    pub on_select: fn(&mut Cx<'_>, &Pick),
    /// Takes back what was shown, when the picker is closed without a choice.
    pub on_cancel: fn(&mut Cx<'_>),
}

impl PickerSpec {
    /// A picker without rows, which rows of the table complete.
    pub const EMPTY: Self = Self {
        id: "",
        title: "",
        title_note: None,
        footer: "Enter accept",
        row_footer: None,
        hints: &[],
        toggle: None,
        letters: None,
        rank: None,
        is_dimmed: |_| false,
        commands: &[],
        starts_at_mark: false,
        preview: None,
        has_places: true,
        about: None,
        mark: "✓",
        stays_open: false,
        prefixes: &[],
        has_path: |_| false,
        by_words: false,
        keeps_text: false,
        fills_detail: false,
        placeholder: "",
        load: |_| RowSource::Rows(Vec::new(), Vec::new()),
        accept: |_, _, _| {},
        accept_at: None,
        accept_many: None,
        remove: None,
        reset: None,
        test: None,
        on_select: |_, _| {},
        on_cancel: |_| {},
    };
}

impl PickerSpec {
    /// Returns whether the rows stand for places in files.
    pub fn is_in_files(&self) -> bool {
        self.preview.is_some() && self.has_places
    }

    /// Returns whether several rows can be marked and accepted together.
    pub fn accepts_many(&self) -> bool {
        self.accept_many.is_some() || self.toggle.is_none() && self.is_in_files()
    }

    /// Returns whether a command that lists have a key for means something in this one.
    pub fn has_command(&self, id: &str) -> bool {
        match id {
            "list.toggle" | "list.toggle-up" => self.toggle.is_some() || self.accepts_many(),
            "list.remove" => self.remove.is_some(),
            "list.reset" => self.reset.is_some(),
            "list.test" => self.test.is_some(),
            "list.accept-right" | "list.accept-below" | "list.show-results" => self.is_in_files(),
            id => id.starts_with("list.") || self.commands.contains(&id),
        }
    }
}

/// What is said below the list about a row.
pub struct About {
    /// Lines that there is room for.
    pub lines: u16,
    /// Whether it is said only where there is no room for what is shown beside the list.
    pub in_place_of_preview: bool,
    /// Returns the lines.
    pub text: fn(&State, &PickRow) -> Vec<String>,
}

/// How the rows of a picker are toggled.
pub struct Toggle {
    /// Whether Space toggles like Tab: where no text has a space to search for.
    pub by_space: bool,
    /// Reaction to a toggled row, and whether it is on now.
    pub on_toggle: fn(&mut Cx<'_>, &Pick, bool),
}

/// Source of rows.
pub enum RowSource {
    /// Available at once; the second list is marked.
    Rows(Vec<PickRow>, Vec<Pick>),
    /// Loaded by a task. The function that starts it gets the injector for rows and the number of the picker.
    Task(fn(&mut Cx<'_>, Injector<PickRow>, u64)),
    /// Found by a search for the query, restarted after every key. The string is the initial query.
    Live(String, fn(&mut Cx<'_>)),
}

/// A value that a row may represent.
trait PickValue: Any + Debug + Send + Sync {
    fn is_same(&self, other: &dyn Any) -> bool;
}

impl<T: PartialEq + Debug + Send + Sync + 'static> PickValue for T {
    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }
}

/// Value of an accepted row, created by the picker that filled it in.
#[derive(Debug, Clone)]
pub struct Pick(Arc<dyn PickValue>);

impl Pick {
    /// Returns a pick for `value`.
    pub fn new(value: impl PartialEq + Debug + Send + Sync + 'static) -> Self {
        Self(Arc::new(value))
    }

    /// Returns the value if it is a `T`.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        let value: &dyn Any = &*self.0;
        value.downcast_ref()
    }
}

impl PartialEq for Pick {
    fn eq(&self, other: &Self) -> bool {
        let other: &dyn Any = &*other.0;
        self.0.is_same(other)
    }
}

impl Eq for Pick {}

/// A location in a file that a row may represent: one-based line and column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Which file.
    pub path: PathBuf,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// One row of a picker.
#[derive(Debug, Clone)]
pub struct PickRow {
    /// Text that is shown and matched by the filter.
    pub text: String,
    /// Other names that the filter matches and that are not shown.
    pub aliases: Vec<String>,
    /// The group under whose heading it is listed. Rows of a group follow each other.
    pub group: Option<Arc<str>>,
    /// Dimmed text after it: keys, sizes, prices.
    pub detail: String,
    /// What it represents.
    pub pick: Pick,
}

/// A list with a fuzzy filter that can be filled from any thread while shown.
pub struct Picker {
    /// Its row in the table of pickers.
    pub spec: &'static PickerSpec,
    /// Number of the picker in this run, so that late results find the right one. The upper half counts the
    /// searches of a picker whose query is a search.
    pub number: u64,
    /// Searches for the query, instead of filtering the rows.
    pub live: Option<fn(&mut Cx<'_>)>,
    /// The query being typed.
    pub query: TextArea,
    /// Which match is selected, from the best.
    pub selected: u32,
    /// Marked rows, for pickers that switch things.
    pub marked: Vec<Pick>,
    /// Whether more rows may come.
    pub is_filling: bool,
    /// Whether the matcher has processed every row and the whole query.
    pub is_settled: bool,
    /// Whether the query changed since the matcher last got it.
    pub is_query_stale: bool,
    /// Whether the first match is accepted as soon as there is one: Enter was pressed before.
    pub accepts_first: bool,
    /// The row whose effect is shown.
    selected_pick: Option<Pick>,
    /// Where the caret of the query was, and its length, when a key moved the selection.
    stepped_at: Option<(Byte, usize)>,
    /// The row to select once it is listed, in a list that was opened again.
    wanted: Option<Pick>,
    /// Cancels the search for the query on drop, as when the picker closes.
    pub search: Option<DropGuard>,
    /// The list from which a sign in its query led here.
    pub came_from: Option<&'static PickerSpec>,
    /// Lines of the list that there is room for.
    lines: u16,
    /// All rows of a list whose row in the table ranks them.
    ranked: Vec<PickRow>,
    matching: Matching,
    last_query: String,
}

impl Picker {
    /// Returns an empty picker. `wake` is called, from any thread, when there is something new to show.
    pub fn new(row: &'static PickerSpec, number: u64, wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self {
            spec: row,
            number,
            live: None,
            query: TextArea::default(),
            selected: 0,
            marked: Vec::new(),
            is_filling: false,
            is_settled: true,
            is_query_stale: false,
            accepts_first: false,
            selected_pick: None,
            stepped_at: None,
            wanted: None,
            search: None,
            came_from: None,
            lines: LINES_MAX,
            ranked: Vec::new(),
            matching: Matching::new(wake),
            last_query: String::new(),
        }
    }

    /// Returns an injector that adds rows from any thread.
    pub fn injector(&self) -> Injector<PickRow> {
        self.matching.injector()
    }

    /// Raises some rows, which must be the first that are added, among those that match about as well.
    pub fn set_bonuses(&mut self, bonuses: Bonuses) {
        self.matching.set_bonuses(bonuses);
    }

    /// Adds rows.
    pub fn fill(&mut self, rows: impl IntoIterator<Item = PickRow>) {
        if let Some(rank) = self.spec.rank {
            self.ranked.extend(rows);
            return self.fill_ranked(rank);
        }
        let injector = self.injector();
        for row in rows {
            push(&injector, row);
        }
    }

    /// Replaces the shown rows by those that the query means, the best first.
    fn fill_ranked(&mut self, rank: fn(&str, &PickRow) -> Option<u32>) {
        let found = self.ranked.iter().filter_map(|row| Some((rank(&self.last_query, row)?, row)));
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.matching.restart();
        let injector = self.injector();
        for (_, row) in found {
            push(&injector, row.clone());
        }
        (self.is_query_stale, self.is_settled) = (true, false);
    }

    /// Returns whether the query differs from the matcher's.
    pub fn query_changed(&self) -> bool {
        self.query.text().to_string() != self.last_query
    }

    /// Removes all rows before a new search for the current query.
    pub fn restart(&mut self) -> Injector<PickRow> {
        self.last_query = self.query.text().to_string();
        self.matching.restart();
        (self.selected, self.is_settled) = (0, false);
        self.number += SEARCH_NUMBER;
        self.injector()
    }

    /// Replaces all rows and keeps the query.
    pub fn replace(&mut self, rows: impl IntoIterator<Item = PickRow>) {
        self.ranked.clear();
        self.matching.restart();
        self.fill(rows);
    }

    /// Passes the current query to the matcher, which starts at the next [`Picker::tick`].
    pub fn refilter(&mut self) {
        let query = self.query.text().to_string();
        if let Some(rank) = self.spec.rank {
            (self.last_query, self.selected) = (query, 0);
            return self.fill_ranked(rank);
        }
        let (matched, before) = (self.matched_part(&query), self.matched_part(&self.last_query));
        if matched == before {
            // Only the position is another one: the selected row stays.
            self.last_query = query;
            return;
        }
        let appended = matched.starts_with(before);
        let pattern = if self.spec.by_words { matching::as_words(matched) } else { matched.to_string() };
        self.matching.set_query(&pattern, appended);
        self.last_query = query;
        self.selected = 0;
        (self.is_query_stale, self.is_settled) = (true, false);
    }

    /// Lets the matcher publish its results; waits at most `wait_ms`. Returns whether the list changed.
    pub fn tick(&mut self, wait_ms: u64) -> bool {
        let stepped_to = self.current().filter(|_| self.matching.has_first() && self.selected > 0);
        let stepped_to = stepped_to.map(|row| row.pick.clone());
        let status = self.matching.tick(wait_ms);
        (self.is_query_stale, self.is_settled) = (false, !status.running);
        if let Some(pick) = stepped_to.filter(|_| !self.matching.has_first()) {
            let at = self.rows(0, FOUND_AGAIN).position(|row| row.pick == pick);
            self.selected = at.map_or(self.selected, |at| at as u32);
        }
        self.find_wanted();
        // While it searches, the selected row may be yet to come.
        self.select(self.selected);
        status.changed
    }

    /// Selects the row that was selected when the list was closed, which may be yet to come, or else the one in its place.
    pub fn select_again(&mut self, selected: u32, pick: Option<Pick>) {
        self.wanted = pick;
        self.select(selected);
        self.find_wanted();
    }

    fn find_wanted(&mut self) {
        let Some(wanted) = &self.wanted else { return };
        let at = self.rows(0, FOUND_AGAIN).position(|row| row.pick == *wanted);
        self.selected = at.map_or(self.selected, |at| at as u32);
        if self.is_settled && !self.is_filling {
            self.wanted = None;
        }
    }

    /// Waits for the matches of the current query before a choice: the shown matches may belong to the
    /// previous query.
    pub fn catch_up(&mut self) {
        if !self.is_settled {
            self.tick(CHOICE_WAIT_MS);
        }
    }

    /// Returns the number of matching rows.
    pub fn matches(&self) -> u32 {
        self.matching.count()
    }

    /// Whether the matches are those of the query that was typed, be it only the first ones.
    pub fn shows_query(&self) -> bool {
        !self.query_changed() && self.matching.shows_query()
    }

    /// Returns the number of rows.
    pub fn total(&self) -> u32 {
        if self.spec.rank.is_some() { self.ranked.len() as u32 } else { self.matching.total() }
    }

    /// Returns the matching rows from an index on, best first.
    pub fn rows(&self, from: u32, count: u32) -> impl Iterator<Item = &PickRow> {
        self.matching.rows(from, count)
    }

    /// The selected row.
    pub fn current(&self) -> Option<&PickRow> {
        self.rows(self.selected, 1).next()
    }

    /// Returns what is shown beside the list for the selected row.
    pub fn preview(&self, state: &State) -> Option<PreviewTarget> {
        let pick = &self.current()?.pick;
        let target = (self.spec.preview?)(state, pick)?;
        let at = self.position().filter(|_| (self.spec.has_path)(pick));
        Some(PreviewTarget { line: at.map(|(line, _)| line).or(target.line), ..target })
    }

    /// Returns which letters of a row the query matches, as indices of graphemes, sorted.
    pub fn matched(&self, row: &PickRow) -> Vec<u32> {
        if let Some(letters) = self.spec.letters {
            return letters(&self.last_query, row);
        }
        let is_filtered = !self.last_query.is_empty() && self.live.is_none();
        if is_filtered { self.matching.letters(&row.text) } else { Vec::new() }
    }

    /// Adjusts the height to the rows; returns whether it is another one. While rows may come, it stays. It always does
    /// beside a preview: that needs its lines however few rows match, and with every key its text would jump, and the list
    /// of a live search would shrink and grow again with every query.
    fn fit_height(&mut self) -> bool {
        if self.is_filling || !self.is_settled || self.spec.preview.is_some() {
            return false;
        }
        let headings = picker_draw::headings(self);
        let lines = u16::try_from(self.matches() as usize + headings).unwrap_or(u16::MAX).clamp(1, LINES_MAX);
        std::mem::replace(&mut self.lines, lines) != lines
    }

    /// Selects a row, which may be yet to come.
    pub fn select(&mut self, n: u32) {
        let is_complete = self.is_settled && !self.is_filling;
        self.selected = if is_complete { n.min(self.matches().saturating_sub(1)) } else { n };
    }

    /// Moves the selection.
    pub fn step(&mut self, by: i64) {
        self.wanted = None;
        let last = i64::from(self.matches().saturating_sub(1));
        self.selected = (i64::from(self.selected) + by).clamp(0, last) as u32;
    }
}

/// What is said where no row can be accepted.
const NO_MATCHES: &str = "No matches to choose";

/// Columns of a picker, and of one that shows files beside its list.
const COLS: u16 = 96;
const PREVIEW_COLS: u16 = 150;
/// Maximum lines of the list.
const LINES_MAX: u16 = 40;
/// Rows around the list: the frame, and the query.
const AROUND: u16 = 3;

/// How long a choice waits for the matches, in milliseconds.
const CHOICE_WAIT_MS: u64 = 500;

/// Matches among which the selected one of the first ones is found again.
const FOUND_AGAIN: u32 = 5_000;

/// Increment of a picker's number for each search.
const SEARCH_NUMBER: u64 = 1 << 32;

impl Picker {
    /// Returns the caret in the query, and its length: what keys that edit it change.
    fn query_state(&self) -> (Byte, usize) {
        (self.query.selection.primary().head, self.query.text().end().0)
    }
}

/// Adds one row to a picker.
pub fn push(injector: &Injector<PickRow>, row: PickRow) {
    injector.push(row, |row, columns| {
        columns[0] = match row.aliases.as_slice() {
            [] => row.text.as_str().into(),
            aliases => format!("{}  {}", row.text, aliases.join("  ")).into(),
        };
    });
}

impl Layer for Picker {
    fn context(&self) -> KeyContext {
        KeyContext::Picker
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        let cols = if self.spec.preview.is_some() { PREVIEW_COLS } else { COLS };
        let around = AROUND + self.spec.about.as_ref().map_or(0, |about| about.lines + 1);
        let area = frame::frame_area(size, cols, LINES_MAX + around);
        Rect { height: area.height.min(self.lines + around), ..area }
    }

    fn draw(&self, canvas: &mut Canvas<'_>, state: &State) {
        picker_draw::draw(canvas, self, state);
    }

    fn cursor(&self, _size: (u16, u16)) -> Option<(u16, u16)> {
        Some(picker_draw::cursor(self))
    }

    fn has_caret_in_list(&self) -> bool {
        // Where the last key had an effect.
        self.stepped_at == Some(self.query_state())
    }

    fn text(&mut self) -> Option<&mut TextArea> {
        Some(&mut self.query)
    }

    fn actions(&self) -> Actions {
        Actions { click, step, accept, key, escape, on_change: on_query_change, ..Actions::default() }
    }

    fn is_busy(&self) -> bool {
        self.is_filling || !self.is_settled
    }
}

/// How long opening a picker with available rows waits for its first matches, in milliseconds.
const FILL_WAIT_MS: u64 = 10;

/// How long a key waits for the first matches of the filter, in milliseconds. Short lists are done by then
/// and show no stale frame.
const FILTER_WAIT_MS: u64 = 5;

/// Maximum number of rows that are filtered before the key is shown. With more rows the key is shown first,
/// above the matches of the previous query, and the matcher starts when the frame is sent.
const FILTERED_AT_ONCE: u32 = 2_000;

/// How long the first matches of a long list are searched for: they come with the next frame.
const FIRST_BUDGET: Duration = Duration::from_millis(6);

/// Interval at which a busy matcher is polled: one frame.
const MATCH_POLL: Duration = Duration::from_millis(16);

/// Opens the picker of a row.
pub fn open(cx: &mut Cx<'_>, row: &'static PickerSpec) {
    cx.state.picker_count += 1;
    let mut picker = Picker::new(row, cx.state.picker_count, cx.state.wake.clone());
    let (injector, number) = (picker.injector(), picker.number);
    let (mut begin, mut is_live) = (None, false);
    match (row.load)(cx.state) {
        RowSource::Rows(rows, marked) => {
            picker.fill(rows);
            picker.marked = marked;
            picker.tick(FILL_WAIT_MS);
            if row.starts_at_mark {
                let marked =
                    picker.rows(0, picker.matches()).position(|row| picker.marked.contains(&row.pick));
                picker.selected = marked.unwrap_or(0) as u32;
            }
        }
        RowSource::Live(query, search) => {
            picker.live = Some(search);
            is_live = true;
            picker.query.set(&query, cx.now_ms);
        }
        RowSource::Task(start) => {
            picker.is_filling = true;
            begin = Some(start);
        }
    }
    picker.selected_pick = picker.current().map(|row| row.pick.clone());
    picker.fit_height();
    cx.state.push_layer(picker);
    if let Some(begin) = begin {
        begin(cx, injector, number);
    }
    if is_live && let Some(search) = cx.state.layers.top::<Picker>().and_then(|picker| picker.live) {
        return search(cx);
    }
    on_query_change(cx);
}

fn step(cx: &mut Cx<'_>, by: isize) {
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.accepts_first = false;
        picker.step(by as i64);
        picker.stepped_at = Some(picker.query_state());
    }
    show_selected(cx);
}

/// Selects the row at a click; that of the selected row accepts it.
fn click(cx: &mut Cx<'_>, at: Position) {
    let size = cx.state.size;
    let Some(picker) = cx.state.layers.top::<Picker>() else { return };
    let area = picker.area(size);
    let Some(row) = picker_draw::row_at(picker, cx.state, (area.width, area.height), at) else { return };
    match i64::from(row) - i64::from(picker.selected) {
        0 => accept(cx),
        by => step(cx, by as isize),
    }
    cx.state.damage.add(Part::Overlay);
}

/// Shows the effect of the selected row, if it is another one than before.
pub fn show_selected(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top_mut::<Picker>() else { return };
    let selected = picker.current().map(|row| row.pick.clone());
    if selected == picker.selected_pick {
        return;
    }
    picker.selected_pick.clone_from(&selected);
    let on_select = picker.spec.on_select;
    if let Some(pick) = selected {
        on_select(cx, &pick);
    }
}

/// Closes the picker without a choice.
fn escape(cx: &mut Cx<'_>) {
    last_picker::remember(cx.state);
    let on_cancel = cx.state.layers.top::<Picker>().map(|picker| picker.spec.on_cancel);
    drop(cx.state.pop_layer());
    if let Some(on_cancel) = on_cancel {
        on_cancel(cx);
    }
}

/// Accepts the marked rows, of a list that accepts several, or else the selected one. While there is none, but rows
/// may come, the first one that comes is accepted.
pub fn accept(cx: &mut Cx<'_>) {
    if !marked_rows::accept(cx) {
        accept_selected(cx);
    }
}

/// Closes the topmost picker, which can be opened again.
pub fn close(cx: &mut Cx<'_>) -> Option<Box<Picker>> {
    last_picker::remember(cx.state);
    cx.state.damage.add_all();
    cx.state.layers.pop_as::<Picker>()
}

/// Accepts the selected row, whichever are marked.
pub fn accept_selected(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top_mut::<Picker>() else { return };
    picker.catch_up();
    if picker.current().is_none() && picker.is_busy() {
        picker.accepts_first = true;
        // Other rows may have been found meanwhile.
        return cx.state.damage.add(Part::Overlay);
    }
    if picker.spec.stays_open {
        let chosen = picker.current().map(|row| (row.pick.clone(), picker.marked.clone(), picker.spec));
        // The matches may have changed, perhaps to none.
        redraw(cx.state);
        match chosen {
            Some((pick, marked, spec)) => (spec.accept)(cx, &pick, &marked),
            None => cx.state.set_status(NO_MATCHES),
        }
        return;
    }
    if picker.current().is_none() {
        // The rest of a query may be typed yet, or corrected.
        redraw(cx.state);
        return cx.state.set_status(NO_MATCHES);
    }
    let Some(picker) = close(cx) else { return };
    let Some(pick) = picker.current().map(|row| row.pick.clone()) else { return };
    match picker.spec.accept_at.zip(picker.position()) {
        Some((accept_at, at)) => accept_at(cx, &pick, at),
        None => (picker.spec.accept)(cx, &pick, &picker.marked),
    }
}

/// Waits for the matches of the current query, which may not be on screen yet.
pub fn catch_up(state: &mut State) {
    if let Some(picker) = state.layers.top_mut::<Picker>() {
        picker.catch_up();
        redraw(state);
    }
}

/// Returns whether the selected row stands for a place in a file.
pub fn has_place(state: &State) -> bool {
    let picker = state.layers.top::<Picker>();
    picker.is_some_and(|picker| picker.spec.is_in_files() && picker.current().is_some())
}

/// Accepts the first row if Enter waits for it.
pub fn accept_awaited(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top_mut::<Picker>().filter(|picker| picker.accepts_first) else {
        return;
    };
    let has_changed = picker.tick(0);
    let is_found = picker.current().is_some();
    picker.accepts_first = !is_found && picker.is_busy();
    if has_changed {
        cx.state.damage.add(Part::Overlay);
    }
    if is_found {
        accept(cx);
    }
}

/// Reacts to typing: filters the rows or starts a search.
pub fn on_query_change(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top_mut::<Picker>().filter(|picker| picker.query_changed()) else {
        return;
    };
    (picker.accepts_first, picker.wanted) = (false, None);
    if prefix::follow(cx) {
        return;
    }
    let Some(picker) = cx.state.layers.top_mut::<Picker>() else { return };
    if let Some(search) = picker.live {
        return search(cx);
    }
    picker.refilter();
    if picker.total() <= FILTERED_AT_ONCE {
        picker.tick(FILTER_WAIT_MS);
    }
    redraw(cx.state);
    show_selected(cx);
}

/// Handles Space where it toggles, and what leads back to the list of a sign.
fn key(cx: &mut Cx<'_>, key: Key) -> bool {
    if prefix::go_back(cx, key) {
        return true;
    }
    let is_toggle = |picker: &Picker| picker.spec.toggle.as_ref().is_some_and(|toggle| toggle.by_space);
    let toggles = key.typed() == Some(' ') && cx.state.layers.top::<Picker>().is_some_and(is_toggle);
    if toggles {
        row_actions::toggle(cx, 1);
    }
    toggles
}

/// Returns when to poll the matcher of the topmost picker again, from `now` on. The matcher signals that it
/// is done slightly before it releases its results, and polling in that moment gets no further signal.
pub fn match_deadline(state: &State, now: Duration) -> Option<Duration> {
    state.layers.top::<Picker>().filter(|picker| !picker.is_settled).map(|_| now + MATCH_POLL)
}

/// Starts the matcher of the topmost picker on a query that is already on screen.
pub fn match_query(cx: &mut Cx<'_>) {
    if !cx.state.layers.top::<Picker>().is_some_and(|picker| picker.is_query_stale) {
        return;
    }
    on_wake(cx.state);
    let Some(picker) = cx.state.layers.top::<Picker>() else { return };
    let Some(search) = picker.matching.first_search() else { return };
    let number = picker.number;
    let work = move || {
        let begun = Instant::now();
        search.run(|| begun.elapsed() >= FIRST_BUDGET)
    };
    cx.tasks.spawn_blocking("picker.match", work, move |cx, found| {
        let Some(first) = answer_or_error(cx, "search the list", found) else { return };
        let pickers = &mut cx.state.layers;
        let Some(picker) = pickers.top_mut::<Picker>().filter(|picker| picker.number == number) else {
            return;
        };
        if picker.matching.show_first(first) {
            cx.state.damage.add(Part::Overlay);
            show_selected(cx);
        }
    });
}

/// Replaces the rows of the open pickers of that id, with the same row selected.
pub fn refresh(state: &mut State, id: &str, rows: &[PickRow], marked: &[Pick]) {
    let mut is_open = false;
    for picker in state.layers.all_mut::<Picker>().filter(|picker| picker.spec.id == id) {
        is_open = true;
        let selected = picker.selected;
        picker.replace(rows.iter().cloned());
        marked.clone_into(&mut picker.marked);
        picker.tick(FILL_WAIT_MS);
        picker.select(selected);
    }
    if is_open {
        state.damage.add(Part::Overlay);
    }
}

/// Draws the topmost picker again, as high as its rows are now.
pub fn redraw(state: &mut State) {
    let has_new_height = state.layers.top_mut::<Picker>().is_some_and(Picker::fit_height);
    if has_new_height {
        state.damage.add_all();
    } else {
        state.damage.add(Part::Overlay);
    }
}

/// Updates the topmost picker, which may have new matches.
pub fn on_wake(state: &mut State) {
    let Some(picker) = state.layers.top_mut::<Picker>() else { return };
    let is_changed = picker.tick(0);
    if picker.fit_height() {
        state.damage.add_all();
    } else if is_changed {
        state.damage.add(Part::Overlay);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::core::layers::first_matches::LONG_LIST;

    #[test]
    fn picker_row_selected_among_first_matches_stays_selected() {
        let mut picker = Picker::new(&PickerSpec::EMPTY, 1, Arc::new(|| {}));
        let row = |text: String| PickRow {
            pick: Pick::new(text.clone()),
            text,
            aliases: Vec::new(),
            group: None,
            detail: String::new(),
        };
        // The best row is the last one.
        let texts = (0..LONG_LIST).map(|n| format!("file {n}")).chain(["f2".to_string()]);
        picker.fill(texts.map(row));
        while !picker.is_settled || picker.total() == 0 {
            picker.tick(10);
        }
        picker.query.set("f2", 0);
        picker.refilter();
        let asked = std::cell::Cell::new(false);
        let first = picker.matching.first_search().expect("the list is long").run(|| asked.replace(true));
        assert!(picker.matching.show_first(first));
        picker.step(1);
        let selected = picker.current().expect("a row is selected").text.clone();
        while !picker.is_settled {
            picker.tick(10);
        }
        assert_eq!(picker.rows(0, 1).next().unwrap().text, "f2");
        assert_eq!(picker.current().unwrap().text, selected);
        assert_eq!(picker.selected, 2);
    }
}
