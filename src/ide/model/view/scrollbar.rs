//! What the scrollbar says: which lines are on screen, and where in the text something is
//! worth going to. Must not know how it is drawn. Costs what the marks that are drawn cost.

use crate::ide::model::buffers::{Buffer, BufferId};
use crate::ide::model::view::hunks::HunkKind;
use crate::ide::model::view::visible_rows::{BarCell, BarMark};
use crate::text::display::rows::Row;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::search::Needle;

/// Marks of one kind that are looked at; of more, every so manieth.
const MARKS_MAX: usize = 200;
/// Lines with matches that are remembered.
const FOUND_MAX: usize = 10_000;
/// Texts with more bytes are not searched for the scrollbar.
pub const SCAN_MAX: usize = 32 << 20;

/// Where in a text something was found, for the scrollbar.
#[derive(Debug)]
pub struct ScanResult {
    /// Of which file.
    pub buffer: BufferId,
    /// The version of its text.
    pub version: u64,
    /// The search pattern.
    pub needle: Needle,
    /// The lines.
    pub lines: Vec<Line>,
}

/// What is known of the text that is shown.
#[derive(Debug, Default)]
pub struct ScrollbarScans {
    /// What was found last.
    pub found: Option<ScanResult>,
    /// Whether a text is being searched.
    pub running: bool,
}

/// A text to be searched for the scrollbar.
#[derive(Debug)]
pub struct ScanJob {
    /// Of which file.
    pub buffer: BufferId,
    /// The version of its text.
    pub version: u64,
    /// The text.
    pub text: Text,
    /// The search pattern.
    pub needle: Needle,
}

impl ScanJob {
    /// Searches the whole text; not to be called on the loop.
    pub fn run(self) -> ScanResult {
        let mut lines: Vec<Line> = Vec::new();
        let mut from = Byte(0);
        while lines.len() < FOUND_MAX
            && let Some(found) = self.needle.find(&self.text, from)
        {
            let line = self.text.line_of(found.start);
            lines.push(line);
            // One match a line is enough.
            from = self.text.line_start(Line(line.0 + 1));
            if line == self.text.last_line() {
                break;
            }
        }
        ScanResult { buffer: self.buffer, version: self.version, needle: self.needle, lines }
    }
}

impl ScanResult {
    /// Whether it is what a search of this file as it is would find.
    pub fn is_of(&self, buffer: &Buffer, needle: &Needle) -> bool {
        (self.buffer, self.version) == (buffer.id, buffer.area.document.version())
            && self.needle.is_same(needle)
    }

    /// The lines, if they are those of this file.
    pub fn lines_in(&self, buffer: &Buffer) -> &[Line] {
        if self.buffer == buffer.id { &self.lines } else { &[] }
    }
}

/// Some of them, evenly.
fn sample<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(MARKS_MAX).max(1))
}

/// The scrollbar of a pane of so many rows.
pub fn cells(buffer: &Buffer, rows: &[Row], height: usize, matches: &[Line]) -> Vec<BarCell> {
    let text = buffer.area.text();
    let lines = text.line_count();
    let cell = |line: Line| (line.0.min(lines - 1) * height / lines).min(height - 1);
    let mut cells = vec![BarCell::default(); height];
    if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
        cells[cell(first.line)..=cell(last.line)].iter_mut().for_each(|cell| cell.is_thumb = true);
    }
    let mut mark = |line: Line, mark: BarMark| {
        let cell = &mut cells[cell(line)];
        cell.mark = cell.mark.max(Some(mark));
    };
    for found in sample(matches) {
        mark(*found, BarMark::Match);
    }
    for hunk in sample(buffer.area.per_view.hunks.all()) {
        let sign = match hunk.kind() {
            HunkKind::Added => BarMark::Added,
            HunkKind::Changed => BarMark::Changed,
            HunkKind::Removed | HunkKind::RemovedAbove => BarMark::Removed,
        };
        mark(text.line_of(hunk.range.start), sign);
    }
    for edit in sample(buffer.area.document.marks().all()) {
        mark(text.line_of(edit.range.start), BarMark::Agent);
    }
    mark(text.line_of(buffer.area.selection.primary().head), BarMark::Cursor);
    cells
}
