//! The open files. Must not read or write them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::area::Area;
use super::coloring::{ColorJob, Coloring};
use crate::exec::Stamp;
use crate::text::columns;
use crate::text::document::Document;
use crate::text::position::{Byte, Column, Line};
use crate::text::selection::Selection;

/// Lines kept between the cursor and the pane's edge.
const SCROLL_MARGIN: usize = 3;

/// Identifies an open file for as long as the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// How the file on disk stands to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disk {
    /// As it was read or written last.
    Same,
    /// Somebody else has changed it.
    Changed,
    /// It is gone.
    Gone,
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
    pub area: Area,
    /// The file's state when it was read or written last; `None` for a new file.
    pub stamp: Option<Stamp>,
    /// The file's state now, as far as we know.
    pub disk: Disk,
    /// Its colours.
    pub coloring: Coloring,
    /// How the selection grew by the text's tree: the version, before, after.
    pub expanded: Vec<(u64, Selection, Selection)>,
    /// First line on screen.
    pub top: Line,
    /// First column on screen.
    pub left: Column,
    /// Which change one was taken to, and the version of the text then.
    pub change_shown: Option<(u64, usize)>,
    /// Whether a save is on its way.
    pub saving: bool,
    /// Whether the agent's edit that is on its way to disk takes unsaved changes along.
    pub saved_along: bool,
    /// Whether another one was asked for meanwhile.
    pub save_again: bool,
}

impl Buffer {
    /// The file's name, for tabs and messages.
    pub fn name(&self) -> String {
        let name = self.path.as_deref().and_then(Path::file_name);
        name.map_or_else(|| "scratch".to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// The primary cursor's line and column, both from 0.
    pub fn cursor(&self, tab_width: usize) -> (Line, Column) {
        let text = self.area.text();
        let head = self.area.caret();
        (text.line_of(head), columns::column_of(text, head, tab_width))
    }

    /// Whether there is something to save. An empty text without a file is nothing.
    pub fn is_unsaved(&self) -> bool {
        self.area.document.is_modified() && (self.path.is_some() || !self.area.text().is_empty())
    }

    /// Why it cannot be edited, if it cannot.
    pub fn read_only(&self) -> Option<&'static str> {
        self.area.document.format().read_only()
    }

    /// Puts the cursor at a line and column from 1, as near as the text allows.
    pub fn place(&mut self, (line, column): (usize, usize), tab_width: usize) {
        let text = self.area.text();
        let line = Line((line.max(1) - 1).min(text.last_line().0));
        let at = columns::at_column(text, line, Column(column.max(1) - 1), tab_width);
        self.area.go_to(at);
    }

    /// Scrolls so that the cursor is inside a pane of this size; tells whether it moved.
    pub fn scroll_to_cursor(&mut self, rows: usize, cols: usize, tab_width: usize) -> bool {
        let (line, column) = self.cursor(tab_width);
        let before = (self.top, self.left);
        let margin = SCROLL_MARGIN.min(rows.saturating_sub(1) / 2);
        let lowest = (line.0 + margin + 1).saturating_sub(rows.max(1));
        let highest = line.0.saturating_sub(margin);
        self.top = Line(self.top.0.clamp(lowest.min(highest), highest).min(self.area.text().last_line().0));
        // Columns jump by half a pane, so that typing at the edge does not redraw at every key.
        if column.0 < self.left.0 || column.0 >= self.left.0 + cols.max(1) {
            self.left = Column(if column.0 < cols { 0 } else { column.0 - cols / 2 });
        }
        before != (self.top, self.left)
    }

    /// Moves the view by lines; the cursor stays where it is.
    pub fn scroll_by(&mut self, lines: isize) {
        self.top = Line(self.top.0.saturating_add_signed(lines).min(self.area.text().last_line().0));
    }

    /// What has to be looked for so that the next frame of so many rows has its colours.
    pub fn color(&mut self, rows: usize) -> Option<ColorJob> {
        self.coloring.next(&mut self.area.document, self.path.as_deref(), (self.top, rows))
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
        let untouched =
            |b: &Buffer| b.path.is_none() && b.area.text().is_empty() && !b.area.document.is_modified();
        self.list.retain(|buffer| !untouched(buffer));
        self.next_id += 1;
        let id = BufferId(self.next_id);
        self.list.push(Buffer {
            id,
            path,
            real: None,
            area: Area::new(document),
            stamp,
            disk: Disk::Same,
            coloring: Coloring::default(),
            expanded: Vec::new(),
            top: Line(0),
            left: Column(0),
            change_shown: None,
            saving: false,
            saved_along: false,
            save_again: false,
        });
        self.current = self.list.len() - 1;
        id
    }

    /// Shows a file.
    pub fn show(&mut self, id: BufferId) {
        if let Some(at) = self.list.iter().position(|buffer| buffer.id == id) {
            self.current = at;
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
