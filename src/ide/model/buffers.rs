//! The open files. Must not read or write them.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::base::width::{truncate, visible};
use crate::exec::Stamp;
use crate::ide::model::results::SearchResults;
use crate::ide::model::text_area::TextArea;
use crate::ide::model::view::highlighting::{HighlightJob, Highlighting};
use crate::syntax::Span;
use crate::text::display::columns;
use crate::text::display::rows::Row;
use crate::text::document::Document;
use crate::text::file_format::format::Format;
use crate::text::position::{Byte, Column, Line};
use crate::text::selection::Selection;
use crate::text::undo::history::RevisionId;
use crate::workspace::editorconfig::Rules;

/// Identifies an open file for as long as the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// How the file on disk stands to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskState {
    /// As it was read or written last.
    Same,
    /// Somebody else has changed it.
    Changed,
    /// It is gone.
    Deleted,
    /// A folder has taken its place.
    Folder,
    /// It is there, but may not be read any more.
    Unreadable,
}

/// A file that is still being read.
#[derive(Debug)]
pub struct LoadProgress {
    /// How much of it was read, in percent.
    pub percent: u8,
    /// Where to put the cursor once that is read: line and column from 1.
    pub at: Option<(usize, usize)>,
    /// The reading goes on for as long as somebody has this.
    pub ticket: Arc<()>,
}

/// An open file.
#[derive(Debug)]
pub struct Buffer {
    /// Its id.
    pub id: BufferId,
    /// Where it is or will be; `None` for the scratch text.
    pub path: Option<PathBuf>,
    /// The same with every link followed, by which the agent knows it.
    pub real: Option<PathBuf>,
    /// Its text and cursors.
    pub area: TextArea,
    /// Whether it is still being read: then it cannot be edited.
    pub loading: Option<LoadProgress>,
    /// How its project wants it written.
    pub rules: Rules,
    /// The file's state when it was read or written last; `None` for a new file.
    pub stamp: Option<Stamp>,
    /// Whether its project's rules and its undo tree of an earlier run were asked for.
    pub looked_up: bool,
    /// The version of the text, and the revision in its file, whose undo tree is kept.
    pub stored_undo: Option<(u64, RevisionId)>,
    /// The file's state now, as far as we know.
    pub disk: DiskState,
    /// The state on disk that the user was asked about, or has been shown.
    pub asked_stamp: Option<Stamp>,
    /// The version of an unmodified text whose file went away: nothing of the user's is lost
    /// when the file that comes back takes its place.
    pub deleted_at_version: Option<u64>,
    /// Its colors.
    pub highlighting: Highlighting,
    /// How the selection grew by the text's tree: the version, before, after.
    pub expand_history: Vec<(u64, Selection, Selection)>,
    /// Which change one was taken to, and the version of the text then.
    pub last_visited_change: Option<(u64, usize)>,
    /// Whether a save is on its way.
    pub is_saving: bool,
    /// Whether the agent's edit that is on its way to disk takes unsaved changes along.
    pub saved_along: bool,
    /// Whether another one was asked for meanwhile.
    pub save_again: bool,
    /// Its title and why it cannot be edited, where it is a text of the program's own.
    pub builtin: Option<(&'static str, &'static str)>,
    /// What is known about its lines, where it is a list of places rather than a file, and what
    /// was shown before it.
    pub results: Option<(Box<SearchResults>, Option<BufferId>)>,
}

/// Columns of what was looked for in the name of its list.
const QUERY_MAX: usize = 24;

impl Buffer {
    /// A tab's text: the name and a sign for its state.
    pub fn label(&self) -> String {
        let sign = match self.disk {
            DiskState::Changed => " ≠",
            DiskState::Deleted | DiskState::Folder | DiskState::Unreadable => " ✗",
            DiskState::Same if self.is_unsaved() || self.has_unapplied_edits() => " ●",
            DiskState::Same => "",
        };
        format!(" {}{sign} ", self.name())
    }

    /// The file's name, for tabs and messages.
    pub fn name(&self) -> String {
        if let Some((listing, _)) = &self.results {
            return format!("search: {}", truncate(&visible(&listing.query.pattern), QUERY_MAX));
        }
        if let Some((title, _)) = self.builtin {
            return title.to_string();
        }
        let name = self.path.as_deref().and_then(Path::file_name);
        name.map_or_else(|| "scratch".to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// Where its file is with every link followed, as far as that is known.
    pub fn real_path(&self) -> Option<&Path> {
        self.real.as_deref().or(self.path.as_deref())
    }

    /// Columns from one tab stop to the next; `usual` where its project says nothing.
    pub fn tab_width(&self, usual: usize) -> usize {
        self.rules.tab_width.unwrap_or(usual)
    }

    /// The primary cursor's line and column, both from 0. `tab_width` is the usual one.
    pub fn cursor(&self, tab_width: usize) -> (Line, Column) {
        let tab_width = self.tab_width(tab_width);
        let text = self.area.text();
        let head = self.area.caret();
        let line = text.line_of(head);
        (line, columns::column_in(text, line, text.line_start(line), head, tab_width))
    }

    /// Whether there is something to save. An empty text without a file is nothing.
    pub fn is_unsaved(&self) -> bool {
        let is_text = self.path.is_some() || !self.area.text().is_empty();
        self.area.document.is_modified() && is_text && self.results.is_none()
    }

    /// Whether it is a list with edits that were not applied.
    pub fn has_unapplied_edits(&self) -> bool {
        self.results.is_some() && self.area.document.is_modified()
    }

    /// What is known about its lines, where it is a list.
    pub fn results(&self) -> Option<&SearchResults> {
        self.results.as_ref().map(|(listing, _)| &**listing)
    }

    /// The same, to change.
    pub fn results_mut(&mut self) -> Option<&mut SearchResults> {
        self.results.as_mut().map(|(listing, _)| &mut **listing)
    }

    /// The scopes in a part of one of its lines, as far as they are known.
    pub fn scopes(&self, range: &Range<Byte>) -> Vec<Span> {
        match self.results() {
            Some(listing) => listing.scopes(self.area.text(), range),
            None => self.highlighting.within(range).collect(),
        }
    }

    /// Why it cannot be edited, if it cannot.
    pub fn read_only(&self) -> Option<&'static str> {
        let reading = self.loading.as_ref().map(|_| "file is still loading");
        let searching = || self.results().and_then(SearchResults::read_only);
        let fixed = || self.builtin.map(|(_, reason)| reason);
        reading.or_else(fixed).or_else(searching).or_else(|| self.area.document.format().read_only())
    }

    /// Puts the cursor at a line and column from 1, as near as the text allows.
    pub fn place_cursor(&mut self, (line, column): (usize, usize), tab_width: usize) {
        let (text, tab_width) = (self.area.text(), self.tab_width(tab_width));
        let line = Line((line.max(1) - 1).min(text.last_line().0));
        let at = columns::at_column(text, line, Column(column.max(1) - 1), tab_width);
        self.area.go_to(at);
    }

    /// Moves the view by rows; the cursor stays where it is.
    pub fn scroll_by(&mut self, rows: isize, tab_width: usize) {
        let lens = self.area.display_map(self.tab_width(tab_width));
        let top = lens.row_at(self.area.per_view.view.top);
        let step = |row: &Row| if rows < 0 { lens.above(row) } else { lens.below(row) };
        let top = std::iter::successors(Some(top), step).take(rows.unsigned_abs() + 1).last();
        if let Some(top) = top {
            self.area.per_view.view.top = top.start;
        }
    }

    /// What has to be looked for so that the next frame has the colors of what it shows.
    pub fn next_highlight_job(&mut self, visible: &[Range<Byte>], now: Duration) -> Option<HighlightJob> {
        if self.loading.is_some() || self.results.is_some() {
            return None;
        }
        self.highlighting.next_job(&mut self.area.document, self.path.as_deref(), visible, now)
    }

    /// Whether the agent's unreviewed marks touch a line.
    pub fn is_marked(&self, line: Range<Byte>) -> bool {
        let marks = self.area.document.marks().all();
        marks.iter().any(|mark| {
            mark.range.start <= line.end && mark.range.end > line.start
                || mark.range == (line.start..line.start)
        })
    }
}

/// All open files, in the order in which they were opened, and which one is shown.
#[derive(Debug, Default)]
pub struct Buffers {
    /// Whether the file that is shown first is still being read.
    pub opening: bool,
    list: Vec<Buffer>,
    current: usize,
    next_id: u32,
}

impl Buffers {
    /// All of them.
    pub fn all(&self) -> &[Buffer] {
        &self.list
    }

    /// All of them, to change.
    pub fn all_mut(&mut self) -> &mut [Buffer] {
        &mut self.list
    }

    /// The one that is shown.
    pub fn current(&self) -> Option<&Buffer> {
        self.list.get(self.current)
    }

    /// The one that is shown, to change.
    pub fn current_mut(&mut self) -> Option<&mut Buffer> {
        self.list.get_mut(self.current)
    }

    /// By id.
    pub fn get_mut(&mut self, id: BufferId) -> Option<&mut Buffer> {
        self.list.iter_mut().find(|buffer| buffer.id == id)
    }

    /// By path, as it was opened or with links followed.
    pub fn by_path(&self, path: &Path) -> Option<&Buffer> {
        self.list
            .iter()
            .find(|buffer| buffer.path.as_deref() == Some(path) || buffer.real.as_deref() == Some(path))
    }

    /// Adds a file and shows it. An untouched scratch text gives way to it.
    pub fn open(&mut self, path: Option<PathBuf>, document: Document, stamp: Option<Stamp>) -> BufferId {
        let untouched = |b: &Buffer| {
            b.path.is_none()
                && b.area.text().is_empty()
                && !b.area.document.is_modified()
                && b.results.is_none()
        };
        self.list.retain(|buffer| !untouched(buffer));
        self.next_id += 1;
        let id = BufferId(self.next_id);
        self.list.push(Buffer {
            id,
            path,
            real: None,
            area: TextArea::new(document),
            loading: None,
            rules: Rules::default(),
            stamp,
            looked_up: false,
            stored_undo: None,
            disk: DiskState::Same,
            asked_stamp: None,
            deleted_at_version: None,
            highlighting: Highlighting::default(),
            expand_history: Vec::new(),
            last_visited_change: None,
            is_saving: false,
            saved_along: false,
            save_again: false,
            builtin: None,
            results: None,
        });
        self.current = self.list.len() - 1;
        id
    }

    /// Shows a text of the program's own, in place of the one of that title if there is one.
    pub fn open_builtin(&mut self, title: &'static str, reason: &'static str, text: &str) {
        self.list.retain(|buffer| buffer.builtin.is_none_or(|(known, _)| known != title));
        let id = self.open(None, Document::new(text, Format::default()), None);
        if let Some(buffer) = self.get_mut(id) {
            buffer.builtin = Some((title, reason));
        }
    }

    /// Adds a list of places and shows it.
    pub fn open_results(&mut self, listing: SearchResults) -> BufferId {
        let came_from = self.current().map(|buffer| buffer.id);
        let id = self.open(None, Document::default_file(), None);
        if let Some(buffer) = self.get_mut(id) {
            buffer.results = Some((Box::new(listing), came_from));
        }
        id
    }

    /// Shows a file.
    pub fn show(&mut self, id: BufferId) {
        if let Some(at) = self.list.iter().position(|buffer| buffer.id == id) {
            self.current = at;
        }
    }

    /// Puts files in the order of these paths; others follow.
    pub fn sort_by_paths(&mut self, paths: &[PathBuf]) {
        let shown = self.current().map(|buffer| buffer.id);
        let place = |buffer: &Buffer| paths.iter().position(|path| Some(path) == buffer.path.as_ref());
        self.list.sort_by_key(|buffer| place(buffer).unwrap_or(usize::MAX));
        if let Some(id) = shown {
            self.show(id);
        }
    }

    /// Shows the next or the previous file.
    pub fn cycle(&mut self, step: isize) {
        if !self.list.is_empty() {
            self.current = (self.current as isize + step).rem_euclid(self.list.len() as isize) as usize;
        }
    }

    /// Forgets a file, saved or not.
    pub fn close(&mut self, id: BufferId) {
        if let Some(at) = self.list.iter().position(|buffer| buffer.id == id) {
            self.list.remove(at);
            if self.current > at || self.current >= self.list.len() {
                self.current = self.current.saturating_sub(1);
            }
        }
    }

    /// The ones with something to save.
    pub fn unsaved(&self) -> impl Iterator<Item = &Buffer> {
        self.list.iter().filter(|buffer| buffer.is_unsaved())
    }
}
